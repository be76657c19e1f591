import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import type { Item, Value, World } from '../support/oracle-model.ts';
import { inOrder } from '../support/oracle-paths.ts';
import { nameOf, type Path, type SortKey } from '../support/oracle-query.ts';
import { itemOf } from './records.ts';
import { seed } from '../support/seed.ts';
import { bodyOf, patience, read, serveWorld } from './world.ts';
import { type Draw, drawOf } from './draw.ts';

/** `WALKS=1000 SEED=random` looks longer, and elsewhere. */
const walks = Number(process.env['WALKS'] ?? 60);

let both: Both;
let world: World;
/** Everything that has been there, also what is deleted by now: what stays has to keep its place among it. */
let data: Record<string, readonly Item[]>;
const gone = new Set<Value>();
beforeAll(async () => {
  ({ both, world } = await serveWorld());
  data = Object.fromEntries(
    [...world.resources.keys()].map((name) => [name, world.rowsOf(name).map(({ item }) => item)]),
  );
});
afterAll(() => both?.stop());

/** Keys of every kind; none leads back to things, which the walk itself changes. */
const keys = [
  ['id', 'name', 'mail', 'whole', 'real', 'price', 'large', 'flag', 'day', 'clock', 'moment'],
  ['token', 'kind', 'size', 'words', 'numbers', 'prices', 'flags', 'days', 'limit_eq', 'ownerId'],
  ['spec.code', 'spec.width', 'spec.fresh', 'spec.made', 'spec.inner.depth', 'owner.name'],
  ['owner.born', 'owner.score', 'owner.address.city', 'owner.address.place.tall'],
  ['owner.boss.name', 'owner.boss.id', 'owner.profile.level', 'owner.staff.score'],
  ['owner.reviews.rating', 'reviews.rating', 'reviews.cost', 'reviews.approved', 'reviews.at'],
  ['reviews.text', 'reviews.author.name', 'reviews.author.id', 'labels.weight', 'labels.words'],
  ['labels.title', 'labels.colour', 'labels.id', 'notes.stars', 'notes.text'],
].flat();

function pathOf(name: string): Path {
  const names = name.split('.');
  const steps = [];
  let resource: string | undefined = 'things';
  for (;;) {
    const relation = world.resource(resource ?? '').relations.get(names[0] ?? '');
    if (relation === undefined) return { steps, isPivot: false, names };
    steps.push({ relation: relation.name });
    names.shift();
    [resource] = relation.targets;
  }
}

function randomSort(draw: Draw): readonly SortKey[] {
  const names = new Set(Array.from({ length: draw.below(4) }, () => draw.pick(keys)));
  return [...names].map((name) => ({ ...pathOf(name), descending: draw.chance(50) }));
}

async function write(method: string, path: string, sent?: object): Promise<unknown> {
  const { status, text, body } = await both.send(method, path, sent);
  expect(status, `${method} ${path} ${JSON.stringify(sent)}\n${text}`).toBeLessThan(300);
  return body;
}

/** A thing that nothing else needs: it can be deleted, and no sort goes through it. */
function randomLone(draw: Draw): Item | undefined {
  const needed = new Set([
    ...(data['things'] ?? []).map(({ parentId }) => parentId),
    ...(data['notes'] ?? []).map(({ subjectId }) => Number(subjectId)),
  ]);
  const lone = (data['things'] ?? []).filter(({ id = null }) => !needed.has(id) && !gone.has(id));
  return lone.length === 0 ? undefined : draw.pick(lone);
}

/** Inserts, deletes or changes a record between two pages; what is changed is no key. */
async function disturb(draw: Draw): Promise<void> {
  const kind = draw.pick(['insert', 'insert', 'delete', 'delete', 'change'] as const);
  const lone = randomLone(draw);
  if (kind === 'insert' || lone === undefined) {
    const item = { ...itemOf(draw, world, 'things', data), id: 0, parentId: null };
    const made = await write('POST', '/v1/things', bodyOf(item));
    data = { ...data, things: [...(data['things'] ?? []), made as Item] };
    world.fill(data);
    return;
  }
  const path = `/v1/things/${String(lone['id'])}`;
  if (kind === 'change') {
    await write('PATCH', path, { prose: 'changed', extra: draw.below(9) });
    return;
  }
  await write('DELETE', path);
  gone.add(lone['id'] ?? null);
}

/** Walks to the end; each page is what follows the last record of the page before, as things are by then. */
async function walk(draw: Draw): Promise<void> {
  const sort = randomSort(draw);
  const nulls = draw.pick([undefined, 'first', 'last'] as const);
  const limit = 1 + draw.below(20);
  const parameters = [
    `limit=${limit}`,
    'fields=id',
    ...(nulls === undefined ? [] : [`nulls=${nulls}`]),
  ];
  const order = sort.map((key) => `${key.descending ? '-' : ''}${nameOf(key)}`).join(',');
  const sorted = sort.length === 0 ? [] : [`sort=${order}`];
  const seen = new Set<Value>();
  let last: Value = null;
  let cursor: string | null | undefined = draw.chance(50) ? '' : undefined;
  for (;;) {
    const query = [
      ...parameters,
      ...(cursor === undefined || cursor === '' || draw.chance(50) ? sorted : []),
      ...(cursor === undefined ? [] : [`cursor=${cursor}`]),
    ].join('&');
    const answer = await read(both, `/v1/things?${query}`);
    expect(answer.status, `${query}\n${answer.text}`).toBe(200);
    const body = answer.body as Item[] & { data: Item[]; next_cursor: string | null };
    const page = (cursor === undefined ? body : body.data).map(({ id = null }) => id);
    const all = inOrder(world, world.rowsOf('things'), sort, nulls).map(
      ({ item }) => item['id'] ?? null,
    );
    const rest = all.slice(all.indexOf(last) + 1).filter((id) => !gone.has(id));
    expect(page, `${query} after ${String(last)} by ${order}`).toEqual(rest.slice(0, limit));
    for (const id of page) {
      expect(seen).not.toContain(id);
      seen.add(id);
    }
    const next = answer.headers.get('x-next-cursor');
    expect(next !== null, query).toBe(rest.length > limit);
    if (cursor !== undefined) expect(body.next_cursor).toBe(next);
    if (next === null) return;
    cursor = next;
    last = page.at(-1) ?? null;
    await disturb(draw);
  }
}

test(
  `${walks} walks by cursor, records coming and going (seed ${seed})`,
  async () => {
    for (let index = 0; index < walks; index += 1) await walk(drawOf(seed + index));
    expect(both.failures).toEqual([]);
  },
  patience,
);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { quote } from '../../src/sql/dialect.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { World, type Item } from '../support/oracle-model.ts';
import { recordsOf } from '../oracle/records.ts';
import { specification } from '../oracle/specification.ts';
import { bodyOf } from '../oracle/world.ts';
import type { Draw } from '../oracle/draw.ts';

/** What the token of the caller says; `missing` is not among it. */
export interface TestClaims {
  readonly [claim: string]: unknown;
  readonly person: string;
  readonly people: readonly unknown[];
  readonly thing: string;
  readonly things: readonly unknown[];
  readonly numbers: readonly unknown[];
  readonly word: string;
}

/** A rule, and the filter of a request that asks for the same rows; undefined: for none. */
type Candidate = readonly [where: string, same: ((claims: TestClaims) => string) | undefined];

const never = undefined;
const list = (items: readonly unknown[]): string =>
  encodeURIComponent(items.filter((item) => item !== 'no id').join(','));

/** Rules of every kind for each resource of the oracle's specification. */
const candidates: Readonly<Record<string, readonly Candidate[]>> = {
  people: [
    ['id={user.people}', ({ people }) => `id_in=${list(people)}`],
    ['id_neq={user.person}', ({ person }) => `id_neq=${person}`],
    ['id_nin={user.people}', ({ people }) => `id_nin=${list(people)}`],
    [
      'things.flag=true&things.whole_exists=true',
      () => 'things.flag=true&things.whole_exists=true',
    ],
    [
      '_or=id:{user.person},boss.id:{user.person}',
      ({ person }) => `_or=id:${person},boss.id:${person}`,
    ],
    ['id_neq={user.missing}', never],
    ['boss_exists=false', () => 'boss_exists=false'],
  ],
  profiles: [
    ['personId={user.people}', ({ people }) => `personId_in=${list(people)}`],
    ['person.staff_exists=true', () => 'person.staff_exists=true'],
    ['level_gte={user.thing}', ({ thing }) => `level_gte=${thing}`],
  ],
  places: [
    ['title_ilike={user.word}', ({ word }) => `title_ilike=${word}`],
    ['codes_contains={user.numbers}', ({ numbers }) => `codes_containsAny=${list(numbers)}`],
    ['tall_exists=true', () => 'tall_exists=true'],
  ],
  labels: [
    ['things.id={user.things}', ({ things }) => `things.id_in=${list(things)}`],
    ['weight_exists=true', () => 'weight_exists=true'],
    ['words_contains=a', () => 'words_contains=a'],
  ],
  things: [
    ['ownerId={user.people}', ({ people }) => `ownerId_in=${list(people)}`],
    ['id_gt={user.thing}', ({ thing }) => `id_gt=${thing}`],
    // Any of them: the smallest decides.
    [
      'id_gt={user.things}',
      ({ things }) => `id_gt=${Math.min(...things.map(Number).filter((id) => !Number.isNaN(id)))}`,
    ],
    ['id_in=1,{user.things}', ({ things }) => `id_in=1,${list(things)}`],
    ['id_neq={user.people}', never],
    ['_or=flag:true,id:{user.missing}', never],
    ['labels.pivot.position_exists=true', () => 'labels.pivot.position_exists=true'],
    ['parent.owner.id_neq={user.person}', ({ person }) => `parent.owner.id_neq=${person}`],
  ],
  'thing-labels': [
    ['position_exists=true', () => 'position_exists=true'],
    ['thing.flag=true', () => 'thing.flag=true'],
    ['label.weight_exists=true', () => 'label.weight_exists=true'],
    ['thingId={user.things}', ({ things }) => `thingId_in=${list(things)}`],
  ],
  reviews: [
    ['approved=true', () => 'approved=true'],
    ['authorId={user.person}', ({ person }) => `authorId=${person}`],
    ['thing.ownerId={user.people}', ({ people }) => `thing.ownerId_in=${list(people)}`],
    ['context_exists=true', () => 'context_exists=true'],
    ['rating={user.numbers}', ({ numbers }) => `rating_in=${list(numbers)}`],
  ],
  notes: [
    ['subject_exists=true', () => 'subject_exists=true'],
    ['stars_exists=true', () => 'stars_exists=true'],
    ['subject:things.id={user.things}', ({ things }) => `subject:things.id_in=${list(things)}`],
  ],
};

/** Fields that may be hidden, each with the relations that go with it. */
const secrets: Readonly<Record<string, readonly string[]>> = {
  'people.score': [],
  'people.address': [],
  'people.bossId': ['people.boss', 'people.staff'],
  'things.price': [],
  'things.logged': [],
  'things.spec': [],
  'labels.title': [],
  'thing-labels.remark': [],
  'reviews.authorId': ['reviews.author', 'people.reviews'],
  'reviews.rating': [],
  'notes.subjectId': ['notes.subject', 'people.notes', 'labels.notes', 'things.notes'],
};

interface Document {
  resources: Record<string, { access?: object; fields: Record<string, Record<string, unknown>> }>;
}

/** One service with access rules, and one over a copy from which everything that they hide was taken. */
export interface Reduced {
  readonly both: Both;
  readonly reduced: TestApi;
  readonly world: World;
  readonly headers: Readonly<Record<string, string>>;
  /** What the rules are, for messages. */
  readonly told: string;
  readonly stop: () => Promise<void>;
}

const admin = caller({ sub: 'admin', roles: ['admin'] });

/** Draws data, rules and claims, and serves both. */
export async function serveReduced(draw: Draw): Promise<Reduced> {
  const world = new World(specification);
  const data = recordsOf(draw, world);
  world.fill(data);
  const claims = drawClaims(draw, data);
  const rules = new Map(
    Object.entries(candidates).map(([name, list]) => [
      name,
      Array.from({ length: draw.below(3) }, () => draw.pick(list)),
    ]),
  );
  const hidden = Object.keys(secrets).filter(() => draw.chance(25));
  const both = await serveBoth(withAccess(rules, hidden));
  for (const [resource, items] of Object.entries(data)) {
    const { status, text } = await both.send('POST', `/v1/${resource}`, items.map(bodyOf), admin);
    expect(status, text).toBe(201);
  }
  const visible = new Map<string, ReadonlySet<unknown>>();
  for (const [name, alternatives] of rules)
    if (alternatives.length > 0) visible.set(name, await rowsOf(both, name, alternatives, claims));
  const { reduced, remove } = await serveCopy(both, without(hidden), visible);
  return {
    both,
    reduced,
    world,
    headers: caller({ ...claims, roles: ['reader'] }),
    told: JSON.stringify({ rules: [...rules], hidden, claims }),
    stop: async () => {
      await reduced.stop();
      await both.stop();
      remove();
    },
  };
}

function drawClaims(draw: Draw, data: Readonly<Record<string, readonly Item[]>>): TestClaims {
  const ids = (name: string): readonly unknown[] => (data[name] ?? []).map(({ id }) => id);
  const some = (all: readonly unknown[], most: number): unknown[] =>
    Array.from({ length: 1 + draw.below(most) }, () => draw.pick(all));
  return {
    sub: 'reader',
    person: String(draw.pick(ids('people'))),
    people: some(ids('people'), 5),
    thing: String(draw.below(30)),
    // Strings fit whole numbers, and what fits nothing is passed over.
    things: [...some(ids('things'), 5).map((id) => (draw.chance(50) ? String(id) : id)), 'no id'],
    numbers: [1, '2', 3, 5].slice(0, 1 + draw.below(4)),
    word: draw.pick(['a', 'B', 'é']),
  };
}

function withAccess(
  rules: ReadonlyMap<string, readonly Candidate[]>,
  hidden: readonly string[],
): string {
  const document = parse(specification) as Document;
  for (const [name, resource] of Object.entries(document.resources)) {
    const own = (rules.get(name) ?? []).map(([where]) => ({ role: 'reader', where }));
    const read = own.length === 0 ? ['reader', 'admin'] : [...own, 'admin'];
    resource.access = { read, write: 'admin' };
  }
  for (const path of hidden) {
    const [name = '', field = ''] = path.split('.');
    const fields = document.resources[name]?.fields;
    if (fields?.[field] !== undefined) fields[field]['access'] = { read: 'admin' };
  }
  return `${withTokens}\n${stringify(document)}`;
}

/** The specification without what is hidden. */
function without(hidden: readonly string[]): string {
  const document = parse(specification) as Document;
  for (const path of hidden.flatMap((one) => [one, ...(secrets[one] ?? [])])) {
    const [name = '', field = ''] = path.split('.');
    delete document.resources[name]?.fields[field];
    for (const definition of Object.values(document.resources).flatMap(({ fields }) =>
      Object.values(fields),
    ))
      if (definition['through'] === name && Array.isArray(definition['withPivot']))
        definition['withPivot'] = definition['withPivot'].filter((pivot) => pivot !== field);
  }
  for (const [name, resource] of Object.entries(document.resources)) {
    leaveKnownKeys(resource, name, document);
    for (const field of Object.values(resource.fields))
      leaveKnownKeys(field, String(field['resource'] ?? name), document);
  }
  return stringify(document);
}

/** Takes the keys out of a default sort whose fields are gone, as a caller who may not read them has it. */
function leaveKnownKeys(
  sorted: { [key: string]: unknown; sort?: unknown; withPivot?: unknown },
  resource: string,
  { resources }: Document,
): void {
  if (typeof sorted.sort !== 'string') return;
  const keys = sorted.sort.split(',').filter((key) => {
    const [first = '', ...parts] = key.replace(/^-/u, '').split('.');
    // `withPivot` has no field that is gone.
    if (first === 'pivot')
      return Array.isArray(sorted.withPivot) && sorted.withPivot.includes(parts[0]);
    let name: string | undefined = resource;
    for (const part of [first, ...parts]) {
      const field: Readonly<Record<string, unknown>> | undefined =
        name === undefined ? undefined : resources[name]?.fields[part];
      if (field === undefined && part !== 'id') return false;
      name = field?.['resource'] === undefined ? undefined : String(field['resource']);
    }
    return true;
  });
  if (keys.length === 0) delete sorted.sort;
  else sorted.sort = keys.join(',');
}

/** The ids of the rows that alternatives leave, by the same filters as an administrator would ask. */
async function rowsOf(
  both: Both,
  name: string,
  alternatives: readonly Candidate[],
  claims: TestClaims,
): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  for (const [, same] of alternatives) {
    if (same === undefined) continue;
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/${name}?fields=id&limit=40&cursor=${cursor}&${same(claims)}`;
      const { status, body, text } = await both.get(path, admin);
      expect(status, `${path}\n${text}`).toBe(200);
      const page = body as { data: { id: unknown }[]; next_cursor: string | null };
      for (const { id } of page.data) ids.add(id);
      cursor = page.next_cursor;
    }
  }
  return ids;
}

async function serveCopy(
  { servedApi }: Both,
  text: string,
  visible: ReadonlyMap<string, ReadonlySet<unknown>>,
): Promise<{ readonly reduced: TestApi; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = join(folder, 'reduced.db');
  (servedApi.database as SqliteDatabase).schemaConnection.exec(`VACUUM INTO '${file}'`);
  const database = openSqlite(file, 'temporary');
  const { schemaConnection } = database;
  // What stays may point to what goes.
  schemaConnection.pragma('foreign_keys = OFF');
  for (const [name, ids] of visible)
    schemaConnection
      .prepare(`DELETE FROM ${quote(name)} WHERE id NOT IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify([...ids]));
  const draw = { now: () => new Date(), uuid: uuidv7 };
  const reduced = await serve(buildValid(text), database, draw, []);
  return { reduced, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

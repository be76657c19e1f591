import { afterAll, beforeAll, expect, test } from 'vitest';
import { mostlyInProcess, type Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';
import { seed } from '../support/seed.ts';
import { patience, requests } from './world.ts';
import { Drawer, type Fault } from './random-changes.ts';
import {
  Missing,
  plain,
  resources,
  sent,
  specification,
  State,
  type Body,
  type Id,
  type Item,
} from './write-state.ts';
import { type Draw, drawOf } from './draw.ts';

/** A request, what it is answered, and what it leaves. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the body has to be, if it is known. */
  readonly shows?: unknown;
  /** The place of a problem. */
  readonly field?: string | undefined;
  /** In a batch: the operation that fails. */
  readonly operation?: number;
  readonly after: State;
}

let both: Both;
beforeAll(async () => {
  both = mostlyInProcess(await serveBoth(specification));
});
afterAll(() => both?.stop());

/** The answer of a write with a fault, or of one that the oracle does. */
function done(before: State, fault: Fault | undefined, change: (after: State) => unknown): Outcome {
  if (fault !== undefined) return { ...fault, after: before };
  const after = new State(before);
  try {
    return { status: 200, shows: change(after), after };
  } catch (error) {
    if (error instanceof Missing) return { status: 422, after: before };
    throw error;
  }
}

interface Outcome {
  readonly status: number;
  readonly field?: string;
  readonly shows?: unknown;
  readonly after: State;
}

/** Writes of one record, or of an array of them, as they stand alone and in a batch. */
class Changes {
  private readonly draw: Draw;
  private readonly drawer: Drawer;

  constructor(draw: Draw, drawer: Drawer) {
    this.draw = draw;
    this.drawer = drawer;
  }

  /** One of the ways to write; `references` are the texts for ids of earlier answers. */
  one(state: State, references: ReadonlyMap<Id, string> = new Map()): Change {
    const { draw } = this;
    const filled = ['teams', 'teams', 'people', 'tasks', 'tags', 'notes'].filter(
      (name) => state.of(name).size > 0,
    );
    const kind = draw.pick(['post', 'post', 'patch', 'patch', 'put', 'delete', 'upsert'] as const);
    if (kind === 'post' || filled.length === 0) return this.post(state, references);
    if (kind === 'upsert') return this.upsert(state);
    const resource = draw.pick(filled);
    const id = draw.pick([...state.of(resource).keys()]);
    const path = `/v1/${resource}/${references.get(id) ?? String(id)}`;
    if (kind === 'delete') {
      const isNeeded = state.isNeeded(resource, id);
      const after = new State(state);
      if (!isNeeded) after.remove(resource, id);
      return { method: 'DELETE', path, status: isNeeded ? 409 : 204, after };
    }
    const writing = { kind: kind === 'put' ? 'replace' : 'update', resource, id } as const;
    const { body, fault } = this.drawer.body(state, writing, references);
    const outcome = done(state, fault, (after) => {
      if (kind === 'put') after.replace(resource, id, body);
      else after.update(resource, id, body);
      return after.get(resource, id);
    });
    return {
      method: kind === 'put' ? 'PUT' : 'PATCH',
      path,
      body: sent(resource, body),
      ...outcome,
    };
  }

  private post(state: State, references: ReadonlyMap<Id, string>): Change {
    const { draw } = this;
    const choices = [
      'teams',
      'people',
      'tags',
      'notes',
      ...(state.of('people').size > 0 ? ['tasks'] : []),
    ];
    const resource = draw.pick(choices);
    const path = `/v1/${resource}`;
    if (draw.chance(70)) {
      const { body, fault } = this.drawer.body(state, { kind: 'create', resource }, references);
      const outcome = done(state, fault, (after) =>
        after.get(resource, after.create(resource, body)),
      );
      const status = outcome.status === 200 ? 201 : outcome.status;
      return { method: 'POST', path, body: sent(resource, body), ...outcome, status };
    }
    // Without nested records, of which both might name the same.
    const all = [0, 1].map(() =>
      this.drawer.body(state, { kind: 'create', resource, depth: 2 }, references),
    );
    const wrong = all.findIndex(({ fault }) => fault !== undefined);
    const fault = all[wrong]?.fault;
    if (all.filter((one) => one.fault !== undefined).length > 1)
      return this.post(state, references);
    const outcome = done(
      state,
      fault && { status: fault.status, field: `[${wrong}].${fault.field}` },
      (after) =>
        all.map(({ body }) => after.create(resource, body)).map((id) => after.get(resource, id)),
    );
    const status = outcome.status === 200 ? 201 : outcome.status;
    const body = all.map((one) => sent(resource, one.body));
    return { method: 'POST', path, body, ...outcome, status };
  }

  private upsert(state: State): Change {
    const { draw } = this;
    const [resource, key] = draw.pick([
      ['tags', 'name'],
      ['people', 'code'],
    ] as const);
    const known = [...state.of(resource).values()].filter((one) => one[key] !== null);
    const isIgnoring = draw.chance(30);
    const keys = new Set<unknown>();
    const bodies = Array.from({ length: 1 + draw.below(3) }, (): Body => {
      const value =
        known.length > 0 && draw.chance(60)
          ? (draw.pick(known)[key] ?? null)
          : resource === 'people' && draw.chance(20)
            ? null
            : this.drawer.fresh();
      const more: Record<string, string | number | null> =
        resource === 'tags'
          ? { weight: draw.below(9) }
          : { name: `n${draw.below(6)}`, age: draw.below(99) };
      if (draw.chance(40)) delete more['weight'];
      if (draw.chance(40)) delete more['age'];
      return { values: { ...more, [key]: value }, nested: {} };
    });
    const isTwice = bodies.some(({ values }) => {
      const value = plain(values[key] ?? null);
      if (value !== null && keys.has(value)) return true;
      keys.add(value);
      return false;
    });
    const after = new State(state);
    let made = 0;
    const shown = bodies.map((body): Item => {
      const value = plain(body.values[key] ?? null);
      const there = [...after.of(resource)].find(([, one]) => value !== null && one[key] === value);
      if (there === undefined) {
        made += 1;
        return after.get(resource, after.create(resource, body));
      }
      if (!isIgnoring) after.update(resource, there[0], body);
      return after.get(resource, there[0]);
    });
    const isArray = bodies.length > 1 || draw.chance(20);
    const [only] = bodies;
    const request = {
      method: 'POST',
      path: `/v1/${resource}?onConflict=${key}`,
      body: isArray
        ? bodies.map((one) => sent(resource, one))
        : sent(resource, only ?? { values: {}, nested: {} }),
      ...(isIgnoring ? { headers: { prefer: 'resolution=ignore-duplicates' } } : {}),
    };
    return isTwice
      ? { ...request, status: 422, after: state }
      : {
          ...request,
          status: made === bodies.length ? 201 : 200,
          shows: isArray ? shown : shown[0],
          after,
        };
  }

  /** Makes a record under an id of the client's, unless it is there. */
  putNew(state: State): Change {
    const ids = [...state.of('teams').keys()];
    const id = ids.length > 0 && this.draw.chance(30) ? this.draw.pick(ids) : this.drawer.fresh();
    const headers = { 'if-none-match': '*' };
    const request = { method: 'PUT', path: `/v1/teams/${id}`, body: { name: 'new' }, headers };
    if (state.of('teams').has(id)) return { ...request, status: 412, after: state };
    const after = new State(state);
    after.create('teams', { values: { id, name: 'new' }, nested: {} });
    return { ...request, status: 201, shows: after.get('teams', id), after };
  }

  /** Changes or deletes all records that filters match. */
  many(state: State): Change {
    const { draw } = this;
    const number = draw.below(100);
    const text = `n${draw.below(6)}`;
    type Filter = readonly [resource: string, query: string, matches: (item: Item) => boolean];
    const filters: readonly Filter[] = [
      ['tasks', `points_lt=${number}`, ({ points }) => Number(points) < number],
      [
        'tasks',
        `title=${text}&points_gte=${number}`,
        (one) => one['title'] === text && Number(one['points']) >= number,
      ],
      [
        'tasks',
        `person.name=${text}`,
        ({ personId }) => state.get('people', Number(personId))['name'] === text,
      ],
      ['people', `age_gte=${number}`, ({ age }) => age !== null && Number(age) >= number],
      [
        'people',
        `_or=name:${text},teamId_null:true`,
        (one) => one['name'] === text || one['teamId'] === null,
      ],
      ['notes', `text=${text}`, (one) => one['text'] === text],
      ['teams', `name=${text}`, (one) => one['name'] === text],
      ['badges', `label_neq=${text}`, (one) => one['label'] !== text],
    ];
    const [resource, query, matches] = draw.pick(filters);
    const found = [...state.of(resource).values()]
      .filter(matches)
      .toSorted((a, b) => Number(a['id']) - Number(b['id']));
    const most = draw.chance(50) ? draw.below(8) + 1 : undefined;
    const isShown = draw.chance(30) && resource !== 'teams';
    const prefer = [
      ...(most === undefined ? [] : [`max-affected=${most}`]),
      ...(isShown ? ['return=representation'] : []),
    ].join(', ');
    const isDelete = draw.chance(40) || !(resource === 'tasks' || resource === 'people');
    const numeric = resource === 'tasks' ? 'points' : 'age';
    const [least, greatest] = resource === 'tasks' ? [-Infinity, 999] : [0, 99];
    const step = draw.below(7) - 3;
    const change: Item | undefined = draw.chance(60) ? undefined : { [numeric]: draw.below(90) };
    const request = {
      method: isDelete ? 'DELETE' : 'PATCH',
      path: `/v1/${resource}?${query}`,
      ...(isDelete ? {} : { body: change ?? { [numeric]: { increment: step } } }),
      ...(prefer === '' ? {} : { headers: { prefer } }),
    };
    if (most !== undefined && found.length > most) return { ...request, status: 409, after: state };
    const after = new State(state);
    const answered = (records: readonly Item[]): Change => ({
      ...request,
      status: 200,
      shows: isShown ? records : { count: found.length },
      after,
    });
    if (isDelete) {
      if (found.some(({ id }) => state.isNeeded(resource, id ?? '')))
        return { ...request, status: 409, after: state };
      for (const { id } of found) after.remove(resource, id ?? '');
      return answered(found);
    }
    for (const item of found) {
      const sum = Number(item[numeric]) + step;
      const isWrong =
        change === undefined && (item[numeric] === null || sum < least || sum > greatest);
      if (isWrong) return { ...request, status: 422, field: numeric, after: state };
      after.update(resource, item['id'] ?? '', {
        values: change ?? { [numeric]: sum },
        nested: {},
      });
    }
    return answered(found.map(({ id }) => after.get(resource, id ?? '')));
  }

  batch(state: State): Change {
    const { draw } = this;
    const operations: object[] = [];
    const shows: unknown[] = [];
    const references = new Map<Id, string>();
    let after = state;
    const request = { method: 'POST', path: '/v1/_batch', body: operations };
    for (let index = 0, count = 1 + draw.below(5); index < count; index += 1) {
      const change = this.one(after, references);
      const as = `a${index}`;
      operations.push({
        method: change.method,
        path: draw.chance(50) ? change.path : change.path.slice(3),
        ...(change.body === undefined ? {} : { body: change.body }),
        ...(change.headers === undefined ? {} : { headers: change.headers }),
        as,
      });
      if (change.status >= 400) {
        const { status, field } = change;
        return { ...request, status, field, operation: index, after: state };
      }
      after = change.after;
      for (const id of references.keys())
        if (!resources.some((name) => after.of(name).has(id))) references.delete(id);
      const made = (change.shows ?? {}) as Item;
      // A number may be the id of several resources, so only those that differ are referred to.
      if (change.path === '/v1/teams' && typeof made['id'] === 'string')
        references.set(made['id'], `{${as}.id}`);
      shows.push({ status: change.status, body: change.shows ?? null });
    }
    return { ...request, status: 200, shows, after };
  }
}

/** What a check compares: links without their ids, which nothing says. */
async function stored(): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const name of resources) {
    const { body, status } = await both.get(`/v1/${name}?limit=2000`);
    expect(status).toBe(200);
    state[name] = byId(body as Item[]);
  }
  return state;
}

function byId(items: readonly Item[]): Readonly<Record<string, Item>> {
  return Object.fromEntries(
    items.map(({ id = null, ...item }) =>
      'tagId' in item
        ? [`${item['personId']}-${item['tagId']}`, item]
        : [String(id), { id, ...item }],
    ),
  );
}

function expected(state: State): Record<string, unknown> {
  return Object.fromEntries(resources.map((name) => [name, byId([...state.of(name).values()])]));
}

/** Compares an answer with what the oracle says. */
function compare(answer: Answer, change: Change, what: string): void {
  const { status, shows, field, operation } = change;
  expect(answer.status, what).toBe(status);
  if (status >= 400) {
    if (field !== undefined)
      expect(
        problemsOf(answer).map((text) => text.split(': ')[0]),
        what,
      ).toContainEqual(
        expect.stringMatching(
          new RegExp(`^${field.replaceAll(/[[\].]/gu, String.raw`\$&`)}(?:$|\\.)`, 'u'),
        ),
      );
    if (operation !== undefined) expect(answer.body.operation, what).toBe(operation);
  } else if (change.path === '/v1/_batch')
    expect(answer.body, what).toMatchObject(shows as object[]);
  else if (shows !== undefined) expect(answer.body, what).toEqual(shows);
}

/** How many requests stand between two looks at everything. */
const unchecked = 8;
/** A write takes both databases ten times as long as a read. */
const writes = Math.ceil(requests / 2);

test(
  `${writes} random writes leave what the oracle says, on both databases (seed ${seed})`,
  async () => {
    let state = new State();
    let count = 0;
    const next = (): number => (count += 1);
    const seen = new Set<string>();
    let history: string[] = [];
    for (let number = 0; number < writes; number += 1) {
      const draw = drawOf(seed + number);
      const changes = new Changes(draw, new Drawer(draw, next));
      const kind = draw.pick(['one', 'one', 'one', 'many', 'batch', 'putNew'] as const);
      const change = changes[kind](state);
      const what = `${change.method} ${change.path} ${JSON.stringify(change.headers ?? {})}\n${JSON.stringify(change.body)}`;
      const answer = await both
        .send(change.method, change.path, change.body, change.headers)
        .catch((cause: unknown) => {
          throw new Error(`${what}\n${String(cause)}`, { cause });
        });
      compare(answer, change, `${what}\n${answer.text}`);
      seen.add(`${kind} ${change.method} ${change.status}`);
      if (change.status < 300)
        for (const [, name = ''] of what.matchAll(nestedOperation)) seen.add(`nested ${name}`);
      state = change.after;
      history.push(what);
      if (history.length < unchecked) continue;
      expect(await stored(), history.join('\n')).toEqual(expected(state));
      history = [];
      state = await prune(state);
    }
    expect(both.failures).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(kinds));
  },
  patience,
);

const nestedOperation = /"(create|update|delete|add|remove)":/gu;

/** What happens often enough in a few hundred requests. */
const kinds = [
  'one POST 201',
  'one POST 200',
  'one POST 400',
  'one POST 422',
  'one PATCH 200',
  'one PATCH 422',
  'one PUT 200',
  'one DELETE 204',
  'one DELETE 409',
  'many PATCH 200',
  'many PATCH 409',
  'many DELETE 200',
  'batch POST 200',
  'batch POST 422',
  'putNew PUT 201',
  'putNew PUT 412',
  ...['create', 'update', 'delete', 'add', 'remove'].map((name) => `nested ${name}`),
];

/** Deletes some of what has become too much to look at. */
async function prune(state: State): Promise<State> {
  const after = new State(state);
  for (const resource of ['badges', 'teams', 'people', 'tasks', 'tags', 'notes']) {
    const all = [...after.of(resource).keys()];
    if (all.length < 60) continue;
    for (const id of all.slice(0, 30)) {
      if (after.isNeeded(resource, id)) continue;
      const { status } = await both.send('DELETE', `/v1/${resource}/${id}`);
      expect(status).toBe(204);
      after.remove(resource, id);
    }
  }
  return after;
}

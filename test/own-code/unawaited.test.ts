import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnyApi, Code, Db } from '../../src/extensions/code.ts';
import type { CodeNote } from '../../src/observability/events.ts';
import type { TestApi } from '../support/api.ts';
import { isHold, readerOf, serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  orders:
    fields: { name: { type: string } }
  logs:
    fields: { name: { type: string } }
  notes:
    fields:
      text: { type: string, maxLength: 9 }
      parts: { type: relation, relation: hasMany, resource: parts }
  parts:
    fields:
      size: { type: integer }
      noteId: { type: integer, reference: notes.id }
      note: { type: relation, relation: belongsTo, resource: notes }
`;

/** A note of several statements. */
const note = (text: string): object => ({ text, parts: { create: [{ size: 1 }, { size: 2 }] } });

/** Continues what a function has left after its end. */
let resume: (() => Promise<unknown>) | undefined;
const rejected: unknown[] = [];

async function twice(db: Db<AnyApi>): Promise<void> {
  await db['notes']?.create(note('first'));
  await db['notes']?.create(note('second'));
}

/** What hooks do without awaiting it, by the name of their record. */
const deeds: Readonly<Record<string, (db: Db<AnyApi>) => unknown>> = {
  one: (db) => void db['notes']?.create(note('a')),
  owner: (db) => void db.asOwner['notes']?.create(note('a')),
  batch: (db) => void db.batch([{ method: 'POST', path: '/notes', body: note('a') }]),
  several: (db) => {
    for (const text of ['a', 'b', 'c']) void db['notes']?.create(note(text));
  },
  chain: (db) => void twice(db),
  together: (db) =>
    Promise.all(['a', 'b', 'c'].map(async (text) => db['notes']?.create(note(text)))),
  fails: (db) => void db['notes']?.create(note('far too long')),
  later: (db) => {
    resume = async () =>
      db['notes']?.create(note('late')).catch((error: unknown) => rejected.push(error));
  },
  resumes: () => resume?.(),
};

const code: Code = {
  resources: {
    orders: {
      async beforeCreate({ name }, { db, also }) {
        if (String(name).startsWith('added '))
          also(() => ({ method: 'POST', path: '/logs', body: { name: String(name).slice(6) } }));
        else await deeds[String(name)]?.(db);
      },
    },
    logs: {
      async beforeCreate({ name }, { db }) {
        await deeds[String(name)]?.(db);
      },
    },
  },
};

const lines: CodeNote[] = [];
const readers = [readerOf((line) => void (isHold(line) || lines.push(line)))];
let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code, {}, { readers });
});
afterAll(() => own.stop());
beforeEach(() => {
  lines.length = 0;
  rejected.length = 0;
  resume = undefined;
});

/** The notes of a side, which are deleted then. Ids differ: what is not in a transaction runs at once. */
async function taken({ get, send }: TestApi): Promise<readonly unknown[]> {
  const { body } = await get('/v1/notes?expand=parts&fields=text&sort=text');
  for (const path of ['parts', 'notes', 'logs', 'orders'])
    await send('DELETE', `/v1/${path}?id_gt=0`);
  const notes = body as unknown as readonly { text: string; parts: readonly unknown[] }[];
  return notes.map(({ text, parts }) => `${text} with ${parts.length}`);
}

const logged = (): ReadonlySet<string> =>
  new Set(lines.splice(0).map(({ level, message }) => `${level}: ${message}`));

test.each([
  ['one', ['a with 2'], ['db.notes.create']],
  ['owner', ['a with 2'], ['db.asOwner.notes.create']],
  ['batch', ['a with 2'], ['db.batch']],
  ['several', ['a with 2', 'b with 2', 'c with 2'], ['db.notes.create']],
  ['chain', ['first with 2', 'second with 2'], ['db.notes.create']],
  ['together', ['a with 2', 'b with 2', 'c with 2'], []],
])('a write that a hook does not await is whole before it goes on: %s', async (name, all, told) => {
  const lineOf = (hook: string) => (call: string) => `warn: ${hook} has not awaited ${call}`;
  for (const side of own.sides) {
    expect((await side.send('POST', '/v1/orders', { name })).status).toBe(201);
    expect(await taken(side)).toEqual(all);
    expect(logged()).toEqual(new Set(told.map(lineOf('beforeCreate of orders'))));
    expect((await side.send('POST', '/v1/orders', { name: `added ${name}` })).status).toBe(201);
    expect(await taken(side)).toEqual(all);
    expect(logged()).toEqual(new Set(told.map(lineOf('beforeCreate of logs'))));
  }
  expect(own.taken()).toEqual([]);
});

test('the failure of a write that a hook does not await is logged, and undoes its transaction', async () => {
  for (const side of own.sides) {
    expect((await side.send('POST', '/v1/orders', { name: 'fails' })).status).toBe(201);
    expect([...logged()]).toEqual([
      expect.stringMatching(
        /^error: beforeCreate of orders has not awaited db\.notes\.create, which failed: /u,
      ),
    ]);
    expect((await side.send('POST', '/v1/orders', { name: 'added fails' })).status).toBe(500);
    expect([...logged()].join()).toContain('beforeCreate of logs has not awaited');
    expect((await side.get('/v1/logs')).body).toEqual([]);
    expect(await taken(side)).toEqual([]);
  }
  expect(own.taken().join()).toContain('also of orders');
});

test('what begins after its hook has ended is rejected while the transaction goes on', async () => {
  for (const side of own.sides) {
    const { status } = await side.send('POST', '/v1/_batch', [
      { method: 'POST', path: '/orders', body: { name: 'added later' } },
      { method: 'POST', path: '/orders', body: { name: 'added resumes' } },
    ]);
    expect(status).toBe(200);
    expect(rejected.splice(0).map(String)).toEqual([
      expect.stringContaining('beforeCreate of logs has ended'),
    ]);
    expect(await taken(side)).toEqual([]);
  }
});

import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, makeFolder, servePlinth, type Serving } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// Unique columns of every type: what introspect writes of them can be checked without a warning that is not about them, and
// the database's own rule is told with the field. See docs/contract/8-existing-databases.md#types.
interface Column {
  readonly type: string;
  /** A value, as it is sent and answered. */
  readonly value: unknown;
  /** Whether it has an order, so that `check` says which index sorts need. */
  readonly isSorted?: true;
}

const columns: Readonly<Record<string, Column>> = {
  address: { type: 'inet', value: '10.0.0.1', isSorted: true },
  network: { type: 'cidr', value: '10.0.0.0/8', isSorted: true },
  card: { type: 'macaddr', value: '08:00:2b:01:02:03', isSorted: true },
  span: { type: 'interval', value: 'PT2H', isSorted: true },
  zoned: { type: 'timetz', value: '08:00:00+00', isSorted: true },
  cash: { type: 'money', value: '7.00', isSorted: true },
  exact: { type: 'numeric', value: '1.5', isSorted: true },
  single: { type: 'real', value: 0.5, isSorted: true },
  caseless: { type: 'citext', value: 'Ada', isSorted: true },
  fixed: { type: 'char(3)', value: 'ab', isSorted: true },
  bits: { type: 'bit(3)', value: '101', isSorted: true },
  path: { type: 'ltree', value: 'a.b', isSorted: true },
  reach: { type: 'int4range', value: '[1,5)', isSorted: true },
  lexemes: { type: 'tsvector', value: "'a'", isSorted: true },
  blob: { type: 'bytea', value: 'AP8=' },
  numbers: { type: 'integer[]', value: [1, 2] },
  extra: { type: 'jsonb', value: { a: 1 } },
};
const names = Object.keys(columns);

let database: TestDatabase;
let serving: Serving;
const folder = makeFolder();
const warnings: string[] = [];
beforeAll(async () => {
  database = await createDatabase();
  const client = postgres(database.url, { max: 1, onnotice: () => undefined });
  await client.unsafe(`
    CREATE EXTENSION citext; CREATE EXTENSION ltree;
    CREATE TABLE things (id serial PRIMARY KEY, ${names.map((name) => `${name} ${columns[name]?.type} UNIQUE`).join(', ')},
      part ltree, size int4range, note text, UNIQUE (part, size));
    CREATE TABLE uses (id serial PRIMARY KEY, address inet REFERENCES things (address));`);
  await client.end();
  const { url } = database;
  await good(['introspect', url, '--out', 'plinth.yaml'], folder.path);
  const { out } = await good(['check', '--database', url], folder.path);
  warnings.push(...out.split('\n').filter((line) => line.includes(' warning ')));
  serving = await servePlinth(['dev', '--database', url], { cwd: folder.path });
});
afterAll(async () => {
  await serving?.stop('SIGTERM');
  await database?.drop();
});

async function create(body: object, query = ''): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${serving.url}/v1/things${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

test('check names the index of a sort for those alone that have an order', () => {
  expect(warnings.map((line) => /fields\.(\w+): the API sorts/u.exec(line)?.[1] ?? line)).toEqual([
    ...names.filter((name) => columns[name]?.isSorted === true),
    'part',
  ]);
});

describe.each(Object.entries(columns))('%s', (name, { value }) => {
  test('a second record with the value is refused', async () => {
    expect(await create({ [name]: value })).toMatchObject({ status: 201, body: { [name]: value } });
    expect(await create({ [name]: value })).toMatchObject({
      status: 422,
      body: { errors: [{ field: name, rule: 'unique' }] },
    });
  });
});

test('fields that are unique together find the record that a create changes', async () => {
  const key = { part: 'a.b', size: '[1,5)' };
  const query = '?onConflict=part,size';
  const made = await create({ ...key, note: 'old' }, query);
  expect(made.status).toBe(201);
  const { id } = made.body as { id: number };
  expect(await create({ ...key, note: 'new' }, query)).toMatchObject({
    status: 200,
    body: { ...key, id, note: 'new' },
  });
});

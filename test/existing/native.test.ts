import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neededSteps } from '../../src/migrations/steps.ts';
import type { Answer } from '../support/api.ts';
import { existingPostgres, type Existing } from '../support/existing.ts';
import type { JsonValue } from '../../src/specification/specification.ts';
import type { Column } from './column.ts';
import { ownColumns } from './own-columns.ts';
import { textColumns } from './text-columns.ts';

/** A column of each type as PostgreSQL has it, without a migration. See docs/contract/8-existing-databases.md#types. */
const columns: Readonly<Record<string, Column>> = { ...ownColumns, ...textColumns };
const names = Object.keys(columns);

/** Columns of whose types there are arrays: not of arrays, nor of a domain over one. */
const listed = Object.entries(columns).filter(
  ([, { type, field }]) => !type.endsWith('[]') && !field.includes('type: array'),
);

const sql = `
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE EXTENSION cube;
CREATE EXTENSION isn;
CREATE TYPE pair AS (a integer, b text);
CREATE SCHEMA sales;
CREATE TYPE sales."Net Weight" AS (amount integer, unit text);
CREATE TYPE mood AS ENUM ('sad', 'happy', 'so so');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE DOMAIN mail AS text CHECK (VALUE LIKE '%@%');
CREATE DOMAIN temper AS mood;
CREATE DOMAIN price AS numeric(6,2);
CREATE DOMAIN amount AS price CHECK (VALUE > 0);
CREATE DOMAIN labels AS text[] CHECK (cardinality(VALUE) > 0);
CREATE TABLE things (id serial PRIMARY KEY, ${names.map((name) => `${name} ${columns[name]?.type}`).join(', ')});
${[0, 1].map((row) => `INSERT INTO things (${names.join(', ')}) VALUES (${names.map((name) => columns[name]?.sql[row]).join(', ')});`).join('\n')}
INSERT INTO things (id) VALUES (DEFAULT);
CREATE TABLE lists (id serial PRIMARY KEY, ${listed.map(([name, { type }]) => `${name} ${type}[]`).join(', ')});
INSERT INTO lists (${listed.map(([name]) => name).join(', ')}) VALUES
  (${listed
    .map(
      ([
        ,
        {
          type,
          sql: [first, second],
        },
      ]) => `ARRAY[${first}, NULL, ${second}]::${type}[]`,
    )
    .join(', ')}),
  (${listed
    .map(
      ([
        ,
        {
          type,
          sql: [, second],
        },
      ]) => `ARRAY[${second}]::${type}[]`,
    )
    .join(', ')}),
  (${listed.map(() => 'NULL').join(', ')});
CREATE TABLE kin (LIKE things INCLUDING ALL, boss integer REFERENCES kin (id));
INSERT INTO kin SELECT things.*, CASE WHEN id > 1 THEN 1 END FROM things;
`;

/** What the boss has to be so that a rule allows changes: of each type what record 1 has. */
const bossIsFirst = Object.entries(columns)
  .map(([name, { wire, finds = [`=${encodeURIComponent(String(wire[0]))}`] }]) => {
    return `boss.${name}${finds[0]}`;
  })
  .join('&');

const specification = `
access: public
database: { managed: false, collation: database }
resources:
  things:
    fields:
${names.map((name) => `      ${name}: ${columns[name]?.field}`).join('\n')}
  kin:
    access: { read: public, write: [{ role: public, where: "bossId_exists=false" }, { role: public, where: ${JSON.stringify(bossIsFirst)} }] }
    fields:
${names.map((name) => `      ${name}: ${columns[name]?.field}`).join('\n')}
      bossId: { type: integer, column: boss, reference: kin.id, nullable: true }
      boss: { type: relation, relation: belongsTo, resource: kin }
  lists:
    fields:
${listed.map(([name, { field }]) => `      ${name}: { type: array, items: ${field.slice(0, -2)}, nullable: true } }`).join('\n')}
`;

let existing: Existing;
beforeAll(async () => {
  existing = await existingPostgres(specification, sql);
});
afterAll(() => existing?.stop());

/** A value as an item of a list in a URL. */
function quoted(value: JsonValue): string {
  return encodeURIComponent(`"${String(value).replaceAll(/["\\]/gu, String.raw`\$&`)}"`);
}

async function idsOf(query: string): Promise<readonly unknown[]> {
  const { status, body } = await existing.api.get(`/things?${query}&id_lte=3&fields=id`);
  expect([query, status, status === 200 ? '' : body]).toEqual([query, 200, '']);
  return (body as { id: number }[]).map(({ id }) => id);
}

test('nothing has to be changed', () => {
  const needed = neededSteps(existing.steps);
  expect(needed.map(({ summary, obstacle }) => `${summary}: ${obstacle}`)).toEqual([]);
});

describe.each(Object.entries(columns))('%s', (name, column) => {
  const { wire, written, isSorted = true, refused = [] } = column;

  test('is read', async () => {
    const { body } = await existing.api.get(`/things?fields=${name}&id_lte=3&sort=id`);
    const values = (body as Record<string, unknown>[]).map((record) => record[name]);
    expect(values).toEqual([...wire, null]);
  });

  const value = encodeURIComponent(String(wire[0]));
  const {
    finds = isSorted ? [`=${value}`, `_in=${quoted(wire[0])}`, `_lte=${value}`] : [`=${value}`],
  } = column;
  test.each(
    column.field.startsWith('{ type: enum') || name === 'flag' || name === 'code'
      ? [`=${value}`]
      : column.field.includes('format')
        ? finds.filter((one) => !one.startsWith('_l'))
        : finds,
  )('is found by %s', async (filter) => {
    expect(await idsOf(`${name}${filter.startsWith('.') ? filter : filter}`)).toEqual([1]);
  });

  test('is null', async () => {
    expect(await idsOf(`${name}_null=true`)).toEqual([3]);
  });

  if (!isSorted && (column.field.includes('format') || wire.some((one) => typeof one !== 'string')))
    test('cannot be sorted by', async () => {
      const { status, body } = await existing.api.get(`/things?sort=${name}`);
      expect([status, body.code]).toEqual([400, 'INVALID_SORT']);
    });
  else {
    test('is sorted', async () => {
      expect(await idsOf(`sort=${name}`)).toEqual([3, 1, 2]);
      expect(await idsOf(`sort=-${name}`)).toEqual([2, 1, 3]);
    });
    test('is walked by cursor', async () => {
      const seen: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null && seen.length < 4;) {
        const query = `sort=${name}&id_lte=3&limit=1&fields=id&cursor=${cursor}`;
        const { status, body } = await existing.api.get(`/things?${query}`);
        expect(status).toBe(200);
        seen.push(body.data[0]?.id);
        cursor = body.next_cursor as string | null;
      }
      expect(seen).toEqual([3, 1, 2]);
    });
  }

  test('is written', async () => {
    const created = await existing.api.send('POST', '/things', { [name]: written });
    expect([created.status, (created.body as Record<string, unknown>)[name]]).toEqual([
      201,
      written,
    ]);
    const { id } = created.body as { id: number };
    const changed = await existing.api.send('PATCH', `/things/${id}`, { [name]: wire[0] });
    expect([changed.status, (changed.body as Record<string, unknown>)[name]]).toEqual([
      200,
      wire[0],
    ]);
    const emptied = await existing.api.send('PATCH', `/things/${id}`, { [name]: null });
    expect([emptied.status, (emptied.body as Record<string, unknown>)[name]]).toEqual([200, null]);
    expect((await existing.api.send('DELETE', `/things/${id}`)).status).toBe(204);
  });

  test.each(refused.map((bad) => ({ bad })))('refuses $bad', async ({ bad }) => {
    const { status, body } = await existing.api.send('POST', '/things', { [name]: bad });
    expect([status, body.errors]).toMatchObject([422, [{ field: expect.stringContaining(name) }]]);
  });
});

test('rules see rows as they were before the batch that has changed them', async () => {
  const change = (id: number, body: object): Promise<Answer> =>
    existing.api.send('PATCH', `/kin/${id}`, body);
  const patched = (id: number, body: object): object => ({
    method: 'PATCH',
    path: `/kin/${id}`,
    body,
  });
  expect((await change(2, { small: 3 })).status).toBe(200);
  const others = Object.fromEntries(
    Object.entries(columns).map(([name, { wire }]) => [name, wire[1]]),
  );
  const batch = [patched(1, others), patched(2, { small: 4 }), patched(1, { small: 1 })];
  const { status, text } = await existing.api.send('POST', '/_batch', batch);
  expect(status, text).toBe(200);
  expect((await change(2, { small: 5 })).status).toBe(403);
});

describe.each(listed)('an array of %s', (name, { wire: [first, second], written }) => {
  const found = async (filter: string): Promise<readonly unknown[]> => {
    const { status, text, body } = await existing.api.get(`/lists?${filter}&id_lte=3&fields=id`);
    expect(status, text).toBe(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };

  test('is read', async () => {
    const { body } = await existing.api.get(`/lists?fields=${name}&id_lte=3&sort=id`);
    const lists = (body as Record<string, unknown>[]).map((record) => record[name]);
    expect(lists).toEqual([[first, null, second], [second], null]);
  });

  test('is null', async () => {
    expect(await found(`${name}_null=true`)).toEqual([3]);
  });

  if (typeof first === 'object') return;
  test('is found by its items', async () => {
    expect(await found(`${name}_contains=${encodeURIComponent(String(first))}`)).toEqual([1]);
    expect(await found(`${name}_containsAny=${quoted(first)}`)).toEqual([1]);
  });

  test('is written', async () => {
    const body = { [name]: [written, null, first] };
    const created = await existing.api.send('POST', '/lists', body);
    expect([created.status, created.body]).toMatchObject([201, body]);
    const { id } = created.body as { id: number };
    const emptied = await existing.api.send('PATCH', `/lists/${id}`, { [name]: [] });
    expect([emptied.status, emptied.body]).toMatchObject([200, { [name]: [] }]);
    expect((await existing.api.send('DELETE', `/lists/${id}`)).status).toBe(204);
  });
});

test.each([
  ['whole=99999999999', 200],
  ['small_in=70000', 200],
  ['id=99999999999', 200],
  ['single=1e39', 200],
  ['positive=-1', 200],
  ['short=longer than five', 200],
  ['mood_neq=sad&mood=sad', 200],
  ['place=x', 200],
  ['amounts=x', 200],
  ['numbers_contains=99999999999', 200],
  ['mood_text=angry', 200],
  ['mood_more=gone', 200],
  ['day_text=soon', 200],
  ['whole_text=x', 200],
  ['address_text=x', 200],
  ['span4=x', 200],
  ['pair_in=x,y', 200],
  ['moods_contains=angry', 400],
  ['address=x', 400],
  ['span=x', 400],
] as const)('a filter beyond what the column holds finds nothing: %s', async (filter, expected) => {
  const { status, body } = await existing.api.get(`/things?${filter}`);
  expect(status).toBe(expected);
  if (status === 200) expect(body).toEqual([]);
});

test('an array is found by no value that the column cannot hold', async () => {
  for (const filter of [
    'positive_contains=-1',
    'short_contains=longer',
    'path_contains=a..b',
    'mood_more_contains=gone',
    'small_containsAll=1,70000',
    'small_containsAny=70000',
  ])
    expect((await existing.api.get(`/lists?${filter}`)).text).toBe('[]');
});

test('an id beyond the column is not found', async () => {
  for (const id of ['2147483648', '9007199254740991'])
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (
          await existing.api.send(
            method,
            `/things/${id}`,
            method === 'PATCH' ? { small: 1 } : undefined,
          )
        ).status,
      ).toBe(404);
});

test('a GIN index of an array serves filters of its items', async () => {
  const lists = await existingPostgres(
    `access: public
debug: true
database: { managed: false }
resources:
  lists:
    fields:
      texts: { type: array, items: { type: string } }
      numbers: { type: array, items: { type: integer } }
      codes: { type: array, items: { type: uuid } }
`,
    `CREATE TABLE lists (id serial PRIMARY KEY, texts text[], numbers integer[], codes uuid[]);
     CREATE INDEX by_texts ON lists USING gin (texts); CREATE INDEX by_numbers ON lists USING gin (numbers);
     CREATE INDEX by_codes ON lists USING gin (codes);
     DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$;
     DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_indexscan = off', current_database()); END $$;`,
  );
  try {
    const code = '00000000-0000-7000-8000-000000000001';
    for (const [filter, index] of [
      ['texts_contains=a', 'by_texts'],
      ['texts_containsAny=a,b', 'by_texts'],
      ['numbers_containsAll=1,2', 'by_numbers'],
      [`codes_contains=${code}`, 'by_codes'],
    ] as const) {
      const { text } = await lists.api.get(`/lists?${filter}&_debug=plan`);
      expect([filter, text]).toEqual([filter, expect.stringContaining(index)]);
    }
  } finally {
    await lists.stop();
  }
});

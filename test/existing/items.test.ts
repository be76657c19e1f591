import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

// Tables of others hold arrays and objects of which no client could send the items: no request of them is a 5xx.
const types = ['integer', 'number', 'decimal', 'boolean', 'string', 'date', 'datetime', 'uuid'];
const arrays = types.map((type) => `${type}s: { type: array, items: { type: ${type} } }`);
const parts = types.map((type) => `${type}: { type: ${type} }`);
const specification = `
resources:
  things: { fields: { ${arrays.join(', ')}, part: { type: object, properties: { ${parts.join(', ')} } } } }
`;

const long = '9'.repeat(400);
/** What may stand in the column: lists as they should be last, so that what fails with one of the others is seen. */
const items = [
  '"abc"',
  '""',
  '1.5',
  'true',
  'null',
  '{"a":1}',
  '[1]',
  long,
  `-${long}`,
  `0.${'0'.repeat(400)}1`,
  '1e308',
  '9007199254740993',
  '"1.50"',
  '"2026-03-01"',
];
const lists = [
  ...items.map((item) => `[${item}, 1]`),
  '[]',
  '{}',
  '{"0":1}',
  '"text"',
  '7',
  'null',
];
const columns = types.map((type) => `${type}s`);

function sql(id: string, json: string): string {
  const made = columns.map((column) => `${column} ${json}`).join(', ');
  const rows = lists.map((list, index) => {
    const members = types.map((type) => `"${type}":${items[index] ?? list}`).join(',');
    const values = [...columns.map(() => `'${list}'`), `'{${members}}'`];
    return `(${index + 1}, ${values.join(', ')})`;
  });
  return `CREATE TABLE things (id ${id}, ${made}, part ${json}); INSERT INTO things (id, ${columns.join(', ')}, part) VALUES ${rows.join(', ')}, (99${', NULL'.repeat(columns.length + 1)})`;
}

describe.each([
  ['SQLite', () => existingSqlite(specification, sql('INTEGER PRIMARY KEY', 'TEXT'))],
  ['PostgreSQL', () => existingPostgres(specification, sql('bigint PRIMARY KEY', 'jsonb'))],
] as const)('odd items on %s', (_, open) => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await open();
  });
  afterAll(() => existing.stop());

  const get = async (query: string) => {
    const answer = await existing.api.get(`/v1/things?${query}`);
    expect(answer.status, `${query} ${answer.text}`).toBe(200);
    return answer;
  };
  const idsOf = (body: unknown): readonly number[] =>
    (body as { id: number }[]).map(({ id }) => id);

  test('are shown', async () => {
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      // Not of the types that the document promises, so they are not held against it.
      const answer = await fetch(`${existing.api.url}/v1/things?limit=100`, {
        headers: { accept },
      });
      expect(answer.status).toBe(200);
      if (accept === 'application/json')
        expect(idsOf(await answer.json())).toHaveLength(lists.length + 1);
    }
  });

  test.each([...columns, ...types.flatMap((type) => (type === 'decimal' ? [] : `part.${type}`))])(
    'a sort by %s has them all',
    async (key) => {
      for (const sort of [key, `-${key}`]) {
        const { body } = await get(`sort=${sort}&fields=id&limit=100`);
        expect(new Set(idsOf(body)).size).toBe(lists.length + 1);
        // Behind a whole number beyond 2^53 no cursor leads.
        if (/integers?$/u.test(key)) continue;
        const seen: number[] = [];
        for (let cursor: string | null = ''; cursor !== null && seen.length <= lists.length;) {
          const page = await get(`sort=${sort}&fields=id&limit=4&cursor=${cursor}`);
          const { data, next_cursor: next } = page.body as {
            data: unknown;
            next_cursor: string | null;
          };
          seen.push(...idsOf(data));
          cursor = next;
        }
        expect(seen).toEqual(idsOf(body));
      }
    },
  );

  test.each([
    'integers_contains=1',
    'numbers_containsAny=1,2',
    'booleans_containsAll=true',
    'strings_contains=abc',
    'decimals_contains=1.50',
    'dates_contains=2026-03-01',
    'part.integer_gt=1',
    'part.integer_in=1,2',
    'part.number_lt=5',
    'part.number=1.5',
    'part.decimal=1.50',
    'part.boolean=true',
    'part.string_like=a',
    'part.date_gte=2026-01-01',
  ])('a filter by %s answers', async (query) => {
    await get(`${query}&fields=id`);
  });
});

test('what is of the type sorts as its values do, and what is not comes where null does', async () => {
  const existing = await existingPostgres(
    'resources: { things: { fields: { a: { type: array, items: { type: integer } } } } }',
    `CREATE TABLE things (id bigint PRIMARY KEY, a jsonb); INSERT INTO things VALUES (1, '[10]'), (2, '["x"]'), (3, '[9]'), (4, '[{}]'), (5, '[-1, 5]')`,
  );
  const { body } = await existing.api.get('/v1/things?sort=a&nulls=last&fields=id');
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual([5, 3, 1, 2, 4]);
  await existing.stop();
});

test('the least and the greatest of numbers are numbers, and what is beyond them is not', async () => {
  const numbers = ['1.7976931348623157e308', '5e-324', '-1.7976931348623157e308', '1e309', '0'];
  const existing = await existingPostgres(
    'resources: { things: { fields: { a: { type: array, items: { type: number } } } } }',
    `CREATE TABLE things (id bigint PRIMARY KEY, a jsonb); INSERT INTO things VALUES ${numbers.map((number, index) => `(${index}, '[${number}]')`).join(', ')}`,
  );
  const { body } = await existing.api.get('/v1/things?sort=a&nulls=last&fields=id');
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual([2, 4, 1, 0, 3]);
  await existing.stop();
});

const ofParts =
  'resources: { things: { fields: { parts: { type: array, items: { type: object, properties: { a: { type: integer } } } } } } }';
const oddParts = [
  '[{"a":1},7,"x",null,[{"a":2}]]',
  '[{"a":"1"},{"b":{"a":1}}]',
  '{"a":1}',
  '"a"',
  '7',
  'null',
  '[]',
  '[[{"a":1}]]',
  '[{}]',
];
const partsSql = (id: string, json: string): string =>
  `CREATE TABLE things (id ${id}, parts ${json}); INSERT INTO things VALUES ${oddParts.map((value, index) => `(${index + 1}, '${value}')`).join(', ')}, (10, NULL)`;

test.each([
  ['SQLite', () => existingSqlite(ofParts, partsSql('INTEGER PRIMARY KEY', 'TEXT'))],
  ['PostgreSQL', () => existingPostgres(ofParts, partsSql('bigint PRIMARY KEY', 'jsonb'))],
] as const)('items that are no objects are none of a filter, on %s', async (_, open) => {
  const existing = await open();
  const found = async (query: string): Promise<unknown> => {
    const { body } = await existing.api.get(`/v1/things?${query}&fields=id`);
    return (body as { id: number }[]).map(({ id }) => id);
  };
  expect(await found('parts.a=1')).toEqual([1]);
  expect(await found('parts.a_exists=true')).toEqual([1, 2]);
  expect(await found('parts.a_exists=false')).toEqual([2, 9]);
  expect(await found('parts.a_neq=1')).toEqual([2, 9]);
  expect(await found('parts.a=2')).toEqual([]);
  await existing.stop();
});

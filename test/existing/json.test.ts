import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertValue } from '../../src/migrations/sqlite/values.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

// Files of others hold text that is no JSON where the specification says json, array or object. It is shown as the
// string that it is, as any value is that does not fit its type, and means what that string would mean.
const specification = `
resources:
  things:
    fields:
      any: { type: json, column: Any }
      list: { type: array, items: { type: string } }
      prices: { type: array, items: { type: decimal } }
      part: { type: object, properties: { a: { type: string }, b: { type: integer }, tags: { type: array, items: { type: string } } } }
      open: { type: object }
      name: { type: string }
      bossId: { type: integer, nullable: true, reference: things.id }
      boss: { type: relation, relation: belongsTo, resource: things }
      staff: { type: relation, relation: hasMany, resource: things }
`;

/** What stands in all five columns of a row, and what of it is shown. */
const values: readonly (readonly [sql: string, shown: unknown])[] = [
  ["'n/a'", 'n/a'],
  ["''", ''],
  // SQLite alone would read it.
  ["'{a:1, b:+2}'", '{a:1, b:+2}'],
  ["'[1'", '[1'],
  ["'NaN'", 'NaN'],
  ["x'5b315d'", [1]],
  ["x'6e2f61'", 'n/a'],
  // JSON in the form that SQLite keeps to itself.
  ["jsonb('[1]')", expect.any(String)],
  ["CAST(x'610062' AS TEXT)", 'a\0b'],
  ['7', 7],
  ['1e999', 'Inf'],
  [`'"x"'`, 'x'],
  [`'["x","y"]'`, ['x', 'y']],
  [`'{"a":"x","b":2,"tags":["x"]}'`, { a: 'x', b: 2, tags: ['x'] }],
  ['NULL', null],
];
const rows = values.map(
  ([sql], index) => `(${index + 1}, ${`${sql}, `.repeat(5)}'n', ${index === 0 ? 'NULL' : index})`,
);
const [list, object] = [13, 14];

let existing: Existing;
beforeAll(async () => {
  existing = await existingSqlite(
    specification,
    `CREATE TABLE things (id INTEGER PRIMARY KEY, "ANY" TEXT, list TEXT, prices TEXT, part TEXT, open TEXT, name TEXT,
      bossId INTEGER REFERENCES things (id)); INSERT INTO things VALUES ${rows.join(', ')}`,
  );
});
afterAll(() => existing.stop());

// Not of the types that the document promises, so the answers are not held against it.
async function get(query: string, accept = 'application/json'): Promise<Response> {
  const answer = await fetch(`${existing.api.url}/v1/things?limit=100&${query}`, {
    headers: { accept },
  });
  expect(answer.status, query).toBe(200);
  return answer;
}

type Shown = Readonly<Record<string, unknown>> & { readonly id: number };
const records = async (query: string): Promise<readonly Shown[]> =>
  (await get(query)).json() as Promise<readonly Shown[]>;
const idsOf = (found: readonly Shown[]): readonly number[] => found.map(({ id }) => id);

describe('text that is no JSON', () => {
  test.each(['any', 'list', 'prices', 'part', 'open'])('is shown as it is in %s', async (field) => {
    const found = await records(`fields=${field}`);
    expect(found.map((record) => record[field])).toEqual(values.map(([, shown]) => shown));
  });

  test('is shown in CSV and NDJSON', async () => {
    const csv = await (await get('fields=any', 'text/csv')).text();
    expect(csv.split('\r\n').slice(0, 5)).toEqual([
      'id,any',
      '1,"""n/a"""',
      '2,""""""',
      '3,"""{a:1, b:+2}"""',
      '4,"""[1"""',
    ]);
    const lines = (await (await get('fields=any', 'application/x-ndjson')).text()).split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"id":1,"any":"n/a"}', '{"id":2,"any":""}']);
    expect(lines.filter((line) => line !== '')).toHaveLength(values.length);
  });

  test.each([
    ['list_contains=x', [12, list, object]],
    ['list_contains=n/a', [1, 7]],
    ['list_containsAny=y,n/a', [1, 7, list]],
    ['list_containsAll=x,y', [list]],
    ['prices_contains=1.00', []],
    ['part.a=x', [object]],
    ['part.a_neq=x', values.map((_, index) => index + 1).filter((id) => id !== object)],
    ['part.a_like=x', [object]],
    ['part.b_gt=1', [object]],
    ['part.b_in=1,2', [object]],
    ['part.tags_contains=x', [object]],
    ['part.a_null=false', [object]],
    ['open.a=x', [object]],
    ['open.b_gte=2', [object]],
    ['open.a_ilike=X', [object]],
    ['open.a_exists=true', [object]],
    ['any.a=x', [object]],
    ['any.a.b=x', []],
    ['any_null=true', [15]],
    ['any_exists=true', values.map((_, index) => index + 1).slice(0, -1)],
    ['boss.part.a=x', [15]],
    ['staff.list_contains=y', [12]],
    ['_or=part.a:x,list_contains:y', [list, object]],
  ] as const)('is filtered by %s', async (query, expected) => {
    expect(idsOf(await records(`fields=id&${query}`))).toEqual(expected);
  });

  test.each(['list', 'prices', 'part.a', 'part.b', 'part.tags', 'boss.list', 'staff.part.a'])(
    'is sorted and walked by %s',
    async (key) => {
      for (const sort of [key, `-${key}`])
        for (const nulls of ['', '&nulls=first', '&nulls=last']) {
          const all = idsOf(await records(`fields=id&sort=${sort}${nulls}`));
          expect([...all].sort((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
          const seen: number[] = [];
          for (let cursor: string | null = ''; cursor !== null && seen.length <= values.length;) {
            const url = `fields=id&sort=${sort}${nulls}&limit=4&cursor=${cursor}`;
            const answer = await fetch(`${existing.api.url}/v1/things?${url}`);
            const page = (await answer.json()) as { data: readonly Shown[]; next_cursor: string };
            expect(answer.status).toBe(200);
            seen.push(...idsOf(page.data));
            cursor = page.next_cursor;
          }
          expect(seen).toEqual(all);
        }
    },
  );

  test('is expanded, cut and counted', async () => {
    const [first, second] = await records(
      'expand=boss,staff&staff.sort=list&fields=any,boss.list,staff',
    );
    expect(first).toMatchObject({ any: 'n/a', boss: null, staff: [{ id: 2, part: '' }] });
    expect(second).toMatchObject({ any: '', boss: { id: 1, list: 'n/a' } });
    expect((await records('fields=part.a')).slice(0, 2)).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await records('exclude=part.a'))[0]).toMatchObject({ part: 'n/a' });
    expect((await get('part.a=x')).headers.get('x-total-count')).toBe('1');
  });

  test('can be replaced, merged over, and left as it is', async () => {
    const send = async (body: object, type: string, headers = {}): Promise<Shown> => {
      const answer = await fetch(`${existing.api.url}/v1/things/4`, {
        method: 'PATCH',
        headers: { 'content-type': type, ...headers },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Shown;
    };
    const tag = (await fetch(`${existing.api.url}/v1/things/4`)).headers.get('etag') ?? '';
    expect(await send({ name: 'new' }, 'application/json', { 'if-match': tag })).toMatchObject({
      name: 'new',
      part: '[1',
    });
    const merged = await send({ part: { a: 'm' } }, 'application/merge-patch+json');
    expect(merged).toMatchObject({ part: { a: 'm' }, list: '[1' });
    expect(await send({ list: ['z'] }, 'application/json')).toMatchObject({ list: ['z'] });
  });
});

test('a field that becomes a string keeps it', () => {
  const becomes = (text: string): unknown => convertValue('json', 'string', text)?.value;
  expect(['n/a', '"x"', '{a:1}', '[1]'].map(becomes)).toEqual(['n/a', 'x', '{a:1}', undefined]);
});

test.each(['text', 'varchar(80)', 'json'])(
  'a column of %s on PostgreSQL has to become jsonb before it is served',
  async (type) => {
    const served = await existingPostgres(
      'resources: { things: { fields: { any: { type: json } } } }',
      `CREATE TABLE things (id bigint PRIMARY KEY, "any" ${type}); INSERT INTO things VALUES (1, '"a"')`,
    );
    const from = type === 'json' ? 'json to jsonb' : 'string to json';
    expect(served.steps.map(({ summary }) => summary)).toContain(`change things.any from ${from}`);
    await served.stop();
  },
);

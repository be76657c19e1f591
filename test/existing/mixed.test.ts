import { readFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingSqlite, type Existing } from '../support/existing.ts';
import { good, makeFolder } from '../support/command.ts';

/** SQLite stores any value in any column. See docs/contract/8-existing-databases.md#types, rules 8 and 9. */
const rows: readonly (readonly [sql: string, text: string | null])[] = [
  ['1', '1'],
  ['10', '10'],
  ['9007199254740993', '9007199254740993'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['2.5', '2.5'],
  ['0.1', '0.1'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['1e300', '1e+300'],
  ['9e999', 'Infinity'],
  ['-9e999', '-Infinity'],
  [`'many'`, 'many'],
  [`'Zoë'`, 'Zoë'],
  [`''`, ''],
  [`x'616263'`, 'abc'],
  [`x'FF00'`, `x'FF00'`],
  [`x''`, ''],
  ['NULL', null],
];

/** Columns by how SQLite converts what they take; one of texts converts numbers itself. */
const columns = {
  whole: 'INTEGER',
  real: 'DOUBLE',
  any: '',
  date: 'DATE',
  word: 'UUID UNIQUE',
  text: 'TEXT',
  indexed: 'VARCHAR(9)',
} as const;
const names = Object.keys(columns) as readonly (keyof typeof columns)[];

const specification = `
access: public
database: { managed: false }
resources:
  things:
    fields:
      ${names.map((name) => `${name}: { type: string }`).join('\n      ')}
      bytes: { type: string, format: base64 }
  parts:
    fields:
      key: { type: string }
      thing: { type: string }
    key: key
`;
const unique = (sql: string, index: number): string => (sql.endsWith("''") ? `'u${index}'` : sql);
const sql = `
CREATE TABLE things (id INTEGER PRIMARY KEY, ${names.map((name) => `${name} ${columns[name]}`).join(', ')}, bytes BLOB);
CREATE INDEX by_indexed ON things (indexed);
${rows.map(([value], index) => `INSERT INTO things VALUES (${[index + 1, ...names.map((name) => (name === 'word' ? unique(value, index) : value)), "x'00FF'"].join(', ')});`).join('\n')}
INSERT INTO things (id, bytes) VALUES (100, 'text'), (101, 7);
CREATE TABLE parts (key PRIMARY KEY, thing NUMERIC);
INSERT INTO parts VALUES ('a', 1), (2, 'x'), (2.5, x'00'), (x'616262', NULL)`;

let existing: Existing;
beforeAll(async () => {
  existing = await existingSqlite(specification, sql);
});
afterAll(() => existing?.stop());

const get = async (path: string): Promise<unknown> => {
  const { status, body } = await existing.api.get(path);
  expect(status, path).toBe(200);
  return body;
};
const idsOf = async (query: string): Promise<readonly number[]> =>
  ((await get(`/v1/things?fields=id&limit=100&${query}`)) as { id: number }[]).map(({ id }) => id);

/** What the column shows for a value. */
const shownIn = (name: keyof typeof columns, index: number): string | null => {
  const [value = '', text = null] = rows[index] ?? [];
  if (name === 'word') return unique(value, index) === value ? text : `u${index}`;
  // A column of numbers as floating point, and one of texts, store what they make of a whole number.
  if (name === 'real' && /^-?\d{16,}$/u.test(value)) return String(Number(value));
  if (name !== 'text' && name !== 'indexed') return text;
  const stored: Record<string, string> = { '1e300': '1.0e+300', '9e999': 'Inf', '-9e999': '-Inf' };
  return stored[value] ?? text;
};

describe.each(names)('a column with values of any kind: %s', (name) => {
  test('shows each as text, with all digits', async () => {
    const body = await get(`/v1/things?fields=${name}&limit=100&id_lt=100`);
    expect(body).toEqual(rows.map((_, index) => ({ id: index + 1, [name]: shownIn(name, index) })));
  });

  test('is filtered by these texts', async () => {
    for (const index of rows.keys()) {
      const text = shownIn(name, index);
      if (text === null) continue;
      const alike = [...rows.keys()]
        .filter((other) => shownIn(name, other) === text)
        .map((other) => other + 1);
      const operand = encodeURIComponent(text);
      expect(await idsOf(`${name}=${operand}`), text).toEqual(alike);
      const others = await idsOf(`${name}_neq=${operand}&id_lt=100`);
      expect(
        [...others, ...alike].toSorted((a, b) => a - b),
        text,
      ).toHaveLength(rows.length);
      expect(await idsOf(`${name}_in="${operand}",nothing`), text).toEqual(alike);
    }
    for (const none of ['01', '1.0', ' 1', '2.50', '1e0', '0x1', 'ABC'])
      expect(await idsOf(`${name}=${encodeURIComponent(none)}`), none).toEqual([]);
    expect(await idsOf(`${name}_null=true&id_lt=100`)).toEqual([rows.length]);
  });

  test('is sorted by them, in pages as in one', async () => {
    for (const sort of [name, `-${name}`]) {
      const all = await idsOf(`sort=${sort}&id_lt=100`);
      const walked: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null && walked.length <= rows.length) {
        const page = (await get(
          `/v1/things?fields=id&limit=2&id_lt=100&sort=${sort}&cursor=${cursor}`,
        )) as { data: { id: number }[]; next_cursor: string | null };
        walked.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(walked, sort).toEqual(all);
    }
    const texts = (await idsOf(`sort=${name}&id_lt=100&${name}_null=false`)).map(
      (id) => shownIn(name, id - 1) ?? '',
    );
    const byCodePoint = (a: string, b: string): number =>
      Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(texts).toEqual(texts.toSorted(byCodePoint));
  });

  test('is searched, grouped and written', async () => {
    expect(await idsOf(`${name}_like=an`)).toEqual([rows.length - 6]);
    const groups = (await get(`/v1/things?group=${name}&aggregate=count&limit=100`)) as object[];
    expect(groups.length).toBeGreaterThan(10);
    const { status, body } = await existing.api.send('POST', '/v1/things', { [name]: 'new one' });
    expect([status, body[name]]).toEqual([201, 'new one']);
    const path = `/v1/things/${String(body.id)}`;
    expect((await existing.api.send('PATCH', path, { [name]: '77' })).body[name]).toMatch(/^77/u);
    expect((await existing.api.send('DELETE', path)).status).toBe(204);
  });
});

test('bytes are base64, whatever else is there', async () => {
  expect(await get('/v1/things?fields=bytes&id_gte=100')).toEqual([
    { id: 100, bytes: 'dGV4dA==' },
    { id: 101, bytes: 'Nw==' },
  ]);
  expect(await idsOf('bytes=AP8%3D&id_lt=3')).toEqual([1, 2]);
});

test('a key may be of any kind', async () => {
  const list = (await get('/v1/parts?sort=key')) as { id: string }[];
  expect(list.map(({ id }) => id)).toEqual(['2', '2.5', 'a', 'abb']);
  for (const { id } of list) expect(await get(`/v1/parts/${id}`)).toMatchObject({ id });
  const { body } = await existing.api.get('/v1/parts?thing=x%2700%27');
  expect(body).toMatchObject([{ id: '2.5', thing: "x'00'" }]);
  expect((await existing.api.send('PATCH', '/v1/parts/2', { thing: 'y' })).body).toMatchObject({
    thing: 'y',
  });
  expect((await existing.api.send('DELETE', '/v1/parts/abb')).status).toBe(204);
});

test('introspection leaves none out, and says what kept it from a narrower type', async () => {
  const folder = makeFolder();
  const driver = new Driver(folder.at('old.db'));
  driver.exec(sql);
  driver.exec(`CREATE TABLE notes (id INTEGER PRIMARY KEY, anything, big, letters BLOB, empty BLOB, rate REAL);
    INSERT INTO notes VALUES (1, 1, 9007199254740993, 'text', NULL, 9e999)`);
  driver.close();
  const { out } = await good(
    ['introspect', 'sqlite:old.db', '--out', 'plinth.yaml', '--json'],
    folder.path,
  );
  const { specification: found, left } = JSON.parse(out) as {
    specification: { resources: Record<string, { fields: Record<string, object> }> };
    left: readonly string[];
  };
  expect(left).toEqual([]);
  expect(found.resources['things']?.fields).toMatchObject(
    Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  );
  expect(found.resources['notes']?.fields).toEqual({
    anything: { type: 'integer' },
    big: { type: 'integer', format: 'bigint' },
    letters: { type: 'string' },
    empty: { type: 'string', format: 'base64' },
    rate: { type: 'string' },
  });
  expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toContain(
    '# Each value is served as text: ',
  );
});

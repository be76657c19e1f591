import Driver from 'better-sqlite3';
import { constantFrom, integer, nat, sample, string, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowsFrom } from '../../src/databases/database.ts';
import { foldName } from '../../src/databases/postgres/search/search.ts';
import { allFoldings, searchFolded } from '../../src/lib/text/search-folding.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

// Resources with an index, each beside one without: every search gives the same records of both.
const fields = `
    fields:
      title: { type: string, nullable: true }
      body: { type: text, nullable: true }
      mail: { type: email, nullable: true }
      code: { type: string, nullable: true, access: { read: chef, write: chef } }
      rank: { type: integer, nullable: true }
      shelfId: { type: integer, reference: shelves.id, nullable: true, onDelete: cascade }`;
const specification = `
${withTokens}
limits: { batchItems: 5000, bulkItems: 5000, maxLimit: 5000, defaultLimit: 5000 }
access: { read: public, write: chef }
resources:
  shelves:
    fields:
      name: { type: string }
      plain: { type: relation, relation: hasMany, resource: plain }
      indexed: { type: relation, relation: hasMany, resource: indexed }
  plain:${fields}
  indexed:
    searchIndex: true${fields}
  tags-plain:
    search: [name]
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      other: { type: string, nullable: true }
  tags-indexed:
    search: [name]
    searchIndex: true
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      other: { type: string, nullable: true }
`;

const chef = caller({ roles: ['chef'] });
const pairs = [
  ['plain', 'indexed'],
  ['tags-plain', 'tags-indexed'],
] as const;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(() => both.stop());

/** Sends a write to both resources of a pair, whose records have the same ids; returns the id of a new one. */
async function write(
  method: string,
  [plain, indexed]: readonly [string, string],
  path: string,
  body?: unknown,
): Promise<number> {
  const answers = [
    await both.send(method, `/v1/${plain}${path}`, body, chef),
    await both.send(method, `/v1/${indexed}${path}`, body, chef),
  ];
  for (const { status, text } of answers) expect(status, text).toBeLessThan(300);
  return (answers[1]?.body as { id: number } | undefined)?.id ?? 0;
}

async function ids(path: string, headers?: Record<string, string>): Promise<readonly unknown[]> {
  const { status, text, body } = await both.get(`/v1/${path}`, headers);
  expect(status, text).toBe(200);
  return (body as { id: unknown }[]).map(({ id }) => id);
}

/** Searches both resources of a pair, which have to give the same; returns the ids. */
async function search(
  words: string,
  pair: readonly [string, string] = pairs[0],
  headers?: Record<string, string>,
): Promise<readonly unknown[]> {
  const query = `search=${encodeURIComponent(words)}&sort=${pair[0] === 'plain' ? 'id' : 'other'}&fields=id`;
  const expected = await ids(`${pair[0]}?${query}`, headers);
  const found = await ids(`${pair[1]}?${query}`, headers);
  if (pair[0] === 'plain') expect(found, words).toEqual(expected);
  else expect(found.length, words).toBe(expected.length);
  return found;
}

/** Rows whose texts a search has to read, in the only index of integer ids. */
function staleRows(): unknown {
  const { schemaConnection: file } = both.sqlite;
  const name = file
    .prepare(
      `SELECT name FROM sqlite_schema WHERE name LIKE '%_stale' AND sql NOT LIKE '%WITHOUT%'`,
    )
    .pluck()
    .get();
  return file
    .prepare(`SELECT count(*) FROM "${String(name)}"`)
    .pluck()
    .get();
}

const texts: readonly (readonly [title: string | null, body: string | null])[] = [
  ['Crème brûlée', 'Vanilla, burnt sugar'],
  ['Straßenfest', 'ﬁsh & chips'],
  ['Pho\u031b\u0309 bo\u0300', 'PHỞ'],
  ['ΣΟΦΌΣ', 'a%b_c*d [e] "f" \\g'],
  ['İstanbul ıspanak', 'ЁЛКА и йод'],
  ['שָׁלוֹם', 'مُحَمَّد'],
  [null, null],
  ['Ǆ ẞ ŉ և', 'two  blanks'],
  ['', 'OR AND NOT NEAR(a b) ^x -y col:z'],
  ['日本語の検索', '가각간 한국어'],
  ['😀😃😄 emoji', 'e\u0301e\u0301e\u0301'],
  ['long'.repeat(60), 'x'.repeat(3000)],
];
const words = [
  'creme',
  'CRÈME brul',
  'strasse',
  'STRAẞE',
  'stras',
  'senfest',
  'fish',
  'ish',
  'σοφος',
  'a%b',
  '%b_',
  '[e]',
  '"\\"f\\""',
  '\\g',
  'istanbul',
  'ispanak',
  'ıspanak',
  'елка йод',
  'שלום',
  'محمد',
  'ǆ',
  'ss',
  'ʼn',
  'եւ',
  '"two  blanks"',
  '"two blanks"',
  '" burnt"',
  'near',
  '"near(a b)"',
  'or and not',
  '"or and"',
  '^x -y',
  'col:z',
  'c0:creme',
  '{c0}',
  'a',
  'e',
  'an',
  'creme a',
  'an bu creme',
  '日本語',
  '検索',
  '한국어',
  '가각간',
  '😀😃😄',
  '😃',
  'éé',
  'eee',
  'longlong',
  'x'.repeat(64),
  'longx',
  'vanilla sugar burnt creme',
  "'; DROP TABLE",
  '*',
  '***',
  '"a  b"',
  'nothing',
];

describe('a search by an index finds what one without finds', () => {
  beforeAll(async () => {
    await write(
      'POST',
      pairs[0],
      '',
      texts.map(([title, body], at) => ({
        title,
        body,
        mail: `m${at}@example.org`,
        code: `code${at}`,
      })),
    );
    await write(
      'POST',
      pairs[1],
      '',
      texts.map(([name], at) => ({ name: name ?? 'none', other: String(at).padStart(2, '0') })),
    );
  });

  test('some of them are found', async () => {
    expect(await search('strasse')).toEqual([2]);
    expect(await search('creme sugar')).toEqual([1]);
    expect(await search('елка йод')).toEqual([5]);
    expect(await search('example.org m3')).toEqual([4]);
    expect(await search('strasse', pairs[1])).toHaveLength(1);
  });

  test.each(words)('%s', async (word) => {
    await search(word);
  });

  test('by ids that are no integers', async () => {
    for (const word of words.slice(0, 8)) await search(word, pairs[1]);
  });

  test('totals, pages, sorts, filters and groups', async () => {
    for (const query of ['limit=1', 'limit=1&page=2', 'sort=-title', 'id_gt=1', '_not=id:1']) {
      const [expected, found] = [
        await both.get(`/v1/plain?search=strasse&${query}`),
        await both.get(`/v1/indexed?search=strasse&${query}`),
      ];
      expect(found.text).toBe(expected.text);
      expect(found.headers.get('x-total-count')).toBe(expected.headers.get('x-total-count'));
    }
    const { body } = await both.get('/v1/indexed?aggregate=count&search=burnt');
    expect(body).toEqual([{ group: {}, count: 1 }]);
  });

  test('a text that the caller may not read is not found', async () => {
    expect(await search('code3')).toEqual([]);
    expect(await search('code3', pairs[0], chef)).toEqual([4]);
  });
});

describe('after every kind of write', () => {
  const zebra = { title: 'Zebrä', body: 'stripes' };

  test('created, changed, replaced and deleted records', async () => {
    const id = await write('POST', pairs[0], '', zebra);
    expect(await search('zebra')).toEqual([id]);
    await write('PATCH', pairs[0], `/${id}`, { title: 'Gnu' });
    expect(await search('zebra')).toEqual([]);
    expect(await search('gnu stripes')).toEqual([id]);
    await write('PATCH', pairs[0], `/${id}`, { rank: 7 });
    expect(await search('gnu stripes')).toEqual([id]);
    await write('PUT', pairs[0], `/${id}`, { title: 'Okapi' });
    expect(await search('stripes')).toEqual([]);
    expect(await search('okapi')).toEqual([id]);
    await write('DELETE', pairs[0], `/${id}`);
    expect(await search('okapi')).toEqual([]);
  });

  test('many at once, nested writes, a batch and a cascade', async () => {
    await write('POST', pairs[0], '', [zebra, zebra]);
    await write('PATCH', pairs[0], '?search=zebra', { body: 'savannah' });
    const [first] = await search('savannah');
    expect(await search('savannah')).toHaveLength(2);
    for (const name of pairs[0]) {
      const nested = { name, [name]: { create: [{ title: 'nested giraffe' }] } };
      const shelf = await both.send('POST', '/v1/shelves', nested, chef);
      expect(shelf.status, shelf.text).toBe(201);
    }
    expect(await search('giraffe')).toHaveLength(1);
    for (const name of pairs[0]) {
      const operations = [
        { method: 'POST', path: `/${name}`, body: { title: 'batched lion' } },
        { method: 'PATCH', path: `/${name}/${String(first)}`, body: { title: 'batched lion' } },
      ];
      const batch = await both.send('POST', '/v1/_batch', operations, chef);
      expect(batch.status, batch.text).toBe(200);
    }
    expect(await search('lion batched')).toHaveLength(2);
    await write('DELETE', pairs[0], '?search=lion');
    expect(await search('lion')).toEqual([]);
    for (const id of await ids('shelves'))
      expect((await both.send('DELETE', `/v1/shelves/${String(id)}`, undefined, chef)).status).toBe(
        204,
      );
    expect(await search('giraffe')).toEqual([]);
  });

  test('records with ids that are no integers', async () => {
    await write('POST', pairs[1], '', { name: 'Zebrä' });
    expect(await search('zebra', pairs[1])).toHaveLength(1);
    for (const name of pairs[1]) {
      const [id] = await ids(`${name}?search=zebra`);
      await both.send('PATCH', `/v1/${name}/${String(id)}`, { name: 'Gnu' }, chef);
    }
    expect(await search('zebra', pairs[1])).toEqual([]);
    expect(await search('gnu', pairs[1])).toHaveLength(1);
    for (const name of pairs[1]) {
      const [id] = await ids(`${name}?search=gnu`);
      await both.send('DELETE', `/v1/${name}/${String(id)}`, undefined, chef);
    }
    expect(await search('gnu', pairs[1])).toEqual([]);
  });
});

describe('the plan of a search', () => {
  let side: Both;
  beforeAll(async () => {
    side = await serveBoth(`
debug: true
resources:
  notes: { searchIndex: true, fields: { title: { type: string }, body: { type: text } } }
`);
    const insert = (series: string): string =>
      `INSERT INTO notes (title, body) SELECT 'note ' || n, 'number ' || (n * 7919 % 100000) FROM ${series}`;
    side.sqlite.schemaConnection.exec(
      insert(
        '(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5000) SELECT n FROM s)',
      ),
    );
    for (const sql of [insert('generate_series(1, 5000) AS s(n)'), 'ANALYZE notes'])
      await side.postgres.writeOne({ sql, parameters: [] }, { bound: [] });
  });
  afterAll(() => side.stop());

  test.each([
    ['79190', true],
    ['"number 79190" note', true],
    ['79190 1', true],
    ['79', false],
    ['79 19', false],
  ])('%s', async (words, isIndexed) => {
    for (const { get } of side.sides) {
      const path = `/v1/notes?search=${encodeURIComponent(words)}&_debug=plan`;
      const { status, text, body } = await get(path);
      expect(status, text).toBe(200);
      const { plan, sql } = body._debug.database.queries[0] as {
        plan: readonly string[];
        sql: string;
      };
      const all = `${sql}\n${plan.join('\n')}`;
      expect(/VIRTUAL TABLE INDEX|Bitmap Index Scan on _plinth_search_notes/u.test(all), all).toBe(
        isIndexed,
      );
    }
  });
});

test('the function of PostgreSQL folds every character as the table does', async () => {
  const characters = [...allFoldings().keys()].filter((one) => one !== '\0');
  const lines = [...characters.map((one) => `a${one}Z`), characters.join(''), 'ASCII only', '日本'];
  const [row] = await rowsFrom(
    both.postgres,
    `SELECT json_agg("${foldName()}"(value) ORDER BY place) FROM json_array_elements_text(convert_from(decode('${Buffer.from(JSON.stringify(lines)).toString('hex')}', 'hex'), 'UTF8')::json) WITH ORDINALITY AS each(value, place)`,
  );
  expect(JSON.parse(String(row?.[0]))).toEqual(lines.map(searchFolded));
});

test('random texts and words', async () => {
  const letter = constantFrom(
    ...Array.from('aAbBsSßẞſfFiIﬁﬀıİeéE\u0301 "%_\\*^-:()'),
    'ǆ',
    'ΐ',
    'Σ',
    'ς',
    'й',
    'и\u0306',
    '가',
    '😀',
  );
  const text = string({ unit: letter, maxLength: 24 });
  const found = sample(tuple(text, text), { numRuns: 300, seed: 7 });
  await write(
    'POST',
    pairs[0],
    '',
    found.map(([title, body]) => ({ title, body })),
  );
  const parts = sample(tuple(nat(299), nat(20), integer({ min: 3, max: 6 })), {
    numRuns: 60,
    seed: 11,
  });
  let any = 0;
  for (const [row, from, length] of parts) {
    const word = Array.from(found[row]?.[0] ?? '')
      .slice(from, from + length)
      .join('');
    if (searchFolded(word).trim() === '') continue;
    const quoted = `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
    if ((await search(quoted)).length > 0) any += 1;
  }
  expect(any).toBeGreaterThan(10);
});

test('what another program writes is found, and it needs nothing of Plinth', async () => {
  const statements = (table: string): readonly string[] => [
    `INSERT INTO ${table} (id, title, body) VALUES (3000, 'Großer Wal', 'blau'), (3001, 'Ｗａｌ', NULL)`,
    `UPDATE ${table} SET title = 'Kleiner Wal' WHERE id = 3001`,
    `DELETE FROM ${table} WHERE id = 3000`,
    `INSERT INTO ${table} (id, title) VALUES (3000, 'Seepferdchen')`,
    `UPDATE ${table} SET id = 3002 WHERE id = 3001`,
  ];
  const other = new Driver(both.sqlite.schemaConnection.name);
  try {
    for (const [at, sql] of statements('plain').entries()) {
      const indexed = statements('indexed')[at] ?? '';
      for (const one of [sql, indexed]) {
        other.exec(one);
        await both.postgres.writeOne({ sql: one, parameters: [] }, { bound: [] });
      }
      for (const word of ['grosser', 'kleiner wal', 'wal', 'seepferdchen']) await search(word);
    }
    expect(staleRows()).toBe(3);
    expect(await search('kleiner wal')).toEqual([3002]);
    expect(await search('seepferd')).toEqual([3000]);
  } finally {
    other.close();
  }
  // The next write indexes these rows.
  await write('PATCH', pairs[0], '/3000', { rank: 1 });
  expect(staleRows()).toBe(0);
  expect(await search('seepferd')).toEqual([3000]);
  expect(await search('grosser')).toEqual([]);
});

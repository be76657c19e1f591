import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { expectRows } from '../support/tables.ts';

// Tables of others may compare texts without regard to case or to blanks at the end.
const specification = `
resources:
  people:
    table: People
    fields:
      id: { type: id, format: string, column: Code }
      fullName: { type: string, column: "Full Name" }
      padded: { type: string }
      plain: { type: string }
      bossId: { type: string, nullable: true, reference: people.id, column: boss }
      boss: { type: relation, relation: belongsTo, resource: people }
      team: { type: relation, relation: hasMany, resource: people }
`;

const folder = mkdtempSync(join(tmpdir(), 'plinth-collations-'));
let api: TestApi;
beforeAll(async () => {
  const file = join(folder, 'others.db');
  new Driver(file)
    .exec(
      `CREATE TABLE People (
        Code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, "Full Name" TEXT collate nocase,
        padded TEXT COLLATE RTRIM, plain TEXT, boss TEXT REFERENCES People (Code)
      );
      CREATE INDEX names ON People ("Full Name");
      INSERT INTO People VALUES ('a', 'bob', 'x', 'q', NULL), ('B', 'Bob', 'x ', 'Q', 'a'),
        ('c', 'ann', 'y', NULL, 'a'), ('D', 'Zoe', NULL, 'z', 'B')`,
    )
    .close();
  const draw = { now: () => new Date(), uuid: uuidv7 };
  api = await serve(buildValid(specification), openSqlite(file, 'temporary'), draw, []);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});
const source = (): TestApi => api;

describe('texts are compared by code point', () => {
  expectRows(source, '/v1/people', [
    ['by id', '', ['B', 'D', 'a', 'c']],
    ['an id in another case', 'id=A', []],
    ['equal', 'fullName=bob', ['a']],
    ['different', 'fullName_neq=bob', ['B', 'D', 'c']],
    ['one of', 'fullName_in=BOB,Bob,zoe', ['B']],
    ['none of', 'fullName_nin=BOB,Bob,zoe', ['D', 'a', 'c']],
    ['greater', 'fullName_gt=Zoe', ['a', 'c']],
    ['less', 'fullName_lte=Bob', ['B']],
    ['in _or', '_or=fullName:ZOE,fullName:ann', ['c']],
    ['blanks at the end', 'padded=x', ['a']],
    ['behind a relation', 'boss.fullName=Bob', ['D']],
    ['of a collection', 'team.fullName=ANN', []],
    ['sorted', 'sort=fullName', ['B', 'D', 'c', 'a']],
    ['descending', 'sort=-fullName', ['a', 'c', 'D', 'B']],
    ['blanks sorted', 'sort=-padded&nulls=first', ['D', 'c', 'B', 'a']],
    ['sorted by a path', 'sort=boss.fullName', ['a', 'D', 'B', 'c']],
    ['sorted by the least of a collection', 'sort=team.fullName&nulls=last', ['a', 'B', 'D', 'c']],
    ['a column like ours', 'plain=q&sort=plain', ['a']],
  ]);

  test('cursors go by that order', async () => {
    const seen: string[] = [];
    let query = 'sort=fullName&limit=1&cursor=';
    for (let page = 0; page < 5; page += 1) {
      const { body } = await api.get(`/v1/people?${query}`);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      if (body.next_cursor === null) break;
      query = `limit=1&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(['B', 'D', 'c', 'a']);
  });

  test('an expanded collection is sorted by it too', async () => {
    const { body } = await api.get(
      '/v1/people/a?fields=team.fullName&expand=team&team.sort=fullName',
    );
    expect(body.team).toEqual([
      { id: 'B', fullName: 'Bob' },
      { id: 'c', fullName: 'ann' },
    ]);
  });
});

// By the collation of each column, where the file does not say otherwise: so in filters, sorts and cursors alike.
const words = `
access: public
debug: true
database: { managed: false }
resources:
  words:
    fields:
      plain: { type: string }
      folded: { type: string }
      exact: { type: string, collation: codePoint }
      mood: { type: enum, values: [sad, happy] }
`;
/** `plain` sorts as a dictionary does, `folded` takes capitals for small letters. */
const rows = `INSERT INTO words VALUES (1, 'b', 'b', 'Bob', 'sad'), (2, 'A', 'A', 'bob', 'happy'), (3, 'a', 'a', 'ann', 'sad'), (4, 'C', 'C', NULL, NULL)`;

const cases: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['sort=plain,id', [3, 2, 1, 4]],
  ['sort=-plain,id', [4, 1, 2, 3]],
  ['plain_gt=A&sort=id', [1, 4]],
  ['plain_lte=A&sort=id', [2, 3]],
  ['plain=a', [3]],
  ['folded=BOB', [1, 2]],
  ['folded_in=ANN,x', [3]],
  ['folded_neq=BOB', [3, 4]],
  ['folded_lt=BOB', [3]],
  ['sort=folded,id', [4, 3, 1, 2]],
  ['mood=sad&sort=id', [1, 3]],
  // Parts of a text are always looked for by code point, and so is what the file says so of.
  ['folded_like=ob', [1, 2]],
  ['folded_like=BO', []],
  ['sort=exact', [2, 4, 3, 1]],
  ['exact_gt=A&sort=id', [1, 3, 4]],
];

describe.each([
  [
    'PostgreSQL',
    () =>
      existingPostgres(
        words,
        `CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         CREATE TYPE mood AS ENUM ('sad', 'happy');
         CREATE TABLE words (id integer PRIMARY KEY, plain text COLLATE "en-x-icu", exact text COLLATE "en-x-icu", folded text COLLATE folding, mood mood);
         CREATE INDEX by_plain ON words (plain NULLS FIRST, id); CREATE INDEX by_folded ON words (folded);
         ${rows};`,
      ),
  ],
  [
    'SQLite',
    () =>
      existingSqlite(
        words,
        `CREATE TABLE words (id INTEGER PRIMARY KEY, plain TEXT COLLATE NOCASE, exact TEXT COLLATE NOCASE, folded TEXT COLLATE NOCASE, mood TEXT);
         CREATE INDEX by_plain ON words (plain, id); CREATE INDEX by_folded ON words (folded); ${rows};`,
      ),
  ],
] as const)('the collation of the column on %s', (kind, open) => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await open();
  });
  afterAll(() => existing?.stop());
  const idsOf = async (query: string): Promise<readonly number[]> => {
    const { status, text, body } = await existing.api.get(`/words?${query}&fields=id`);
    expect(status, text).toBe(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };

  // SQLite has no dictionary: there `plain` takes capitals for small letters too.
  const own = cases.filter(([query]) => kind === 'PostgreSQL' || !/\bplain/u.test(query));
  test.each(own)('%s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test('cursors go by that order', async () => {
    for (const sort of ['plain,id', '-plain,id', 'folded,id', '-folded,id', 'exact,id']) {
      const seen: number[] = [];
      for (let cursor: string | null = ''; cursor !== null && seen.length < 5;) {
        const { body } = await existing.api.get(`/words?sort=${sort}&limit=1&cursor=${cursor}`);
        seen.push(body.data[0]?.id);
        cursor = body.next_cursor as string | null;
      }
      expect(seen).toEqual(await idsOf(`sort=${sort}`));
    }
  });

  test('an index of the column serves filters and sorts', async () => {
    if (kind === 'PostgreSQL') {
      await existing.ask(
        'INSERT INTO words SELECT n, n::text, n::text, n::text FROM generate_series(10, 5000) AS n',
      );
      await existing.ask('ANALYZE words');
    }
    for (const [query, index] of [
      ['plain=a', 'by_plain'],
      ['folded=BOB', 'by_folded'],
      ['sort=plain,id&limit=2', 'by_plain'],
    ] as const) {
      const { text } = await existing.api.get(`/words?${query}&_debug=plan`);
      expect([query, text]).toEqual([query, expect.stringContaining(index)]);
    }
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

import Driver from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedProblems } from '../../src/transfer/stored-problems.ts';
import { makeFolder, plinth } from '../support/command.ts';
import { Keyed } from '../support/keyed.ts';

// Stored values that a file with tighter rules refuses. See docs/contract/6-operation.md#check.
const specification = `
access: public
database: { managed: false }
resources:
  shelves:
    fields:
      label: { type: string, maxLength: 3 }
  jars:
    fields:
      level: { type: enum, values: [low, high] }
      size: { type: integer, minimum: 2 }
      code: { type: string, pattern: "^[a-z]+$" }
      note: { type: string, nullable: false }
      price: { type: decimal, precision: 6, scale: 2, maximum: 5 }
      shelfId: { type: integer, column: shelf_id, reference: shelves.id }
  racks:
    key: [hall, no]
    fields:
      hall: { type: string }
      no: { type: integer }
  boxes:
    fields:
      hall: { type: string }
      rackNo: { type: integer, column: rack_no }
      rack: { type: relation, relation: belongsTo, resource: racks, foreignKey: [hall, rackNo] }
`;

const sql = (text: string): string => `
CREATE TABLE shelves (id integer PRIMARY KEY NOT NULL, label ${text});
CREATE TABLE jars (id integer PRIMARY KEY NOT NULL, level ${text}, size integer, code ${text}, note ${text}, price numeric(6, 2), shelf_id integer);
CREATE TABLE racks (hall ${text} NOT NULL, no integer NOT NULL, PRIMARY KEY (hall, no));
CREATE TABLE boxes (id integer PRIMARY KEY NOT NULL, hall ${text}, rack_no integer);
INSERT INTO shelves VALUES (1, 'abc'), (2, 'äöü'), (3, 'abcd');
INSERT INTO jars VALUES (1, 'low', 2, 'a', 'x', 5, 1), (2, 'mid', 1, 'A', 'x', 1, 9), (3, 'mid', 0, 'b', NULL, 5.25, 2),
  (4, 'mid', NULL, NULL, 'x', NULL, NULL), (5, 'mid', 3, 'c', 'x', 1, 1);
INSERT INTO racks VALUES ('a', 1);
INSERT INTO boxes VALUES (1, 'a', 1), (2, 'a', 2), (3, NULL, 7);
`;

let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.of(
    specification,
    sql('TEXT').replace('numeric(6, 2)', 'REAL'),
    sql('text COLLATE "C"'),
  );
});
afterAll(() => keyed?.stop());

const expected = [
  'shelves.label 1 stored value breaks its rules (id 3): must have at most 3 characters',
  'jars.level 4 stored values break its rules (id 2, 3, 4, …): must be one of low, high',
  'jars.size 2 stored values break its rules (id 2, 3): must be at least 2',
  'jars.code 1 stored value breaks its rules (id 2): must match the pattern ^[a-z]+$',
  'jars.note 1 stored value breaks its rules (id 3): must not be null',
  'jars.price 1 stored value breaks its rules (id 3): must be at most 5',
  'jars.shelfId 1 stored key refers to no record of shelves (id 2)',
  'boxes.hall 1 stored key refers to no record of racks (id 2)',
];

test('are counted on both databases alike, with the first ids', async () => {
  for (const { api } of keyed.databases) {
    const { servedApi } = api;
    const found = await storedProblems(servedApi.api, servedApi.database);
    const lines = found.map(
      ({ field, message }) => `${field.resource.name}.${field.name} ${message}`,
    );
    expect(lines.toSorted()).toEqual(expected.toSorted());
  }
});

test('check warns of them where the command line names the database', async () => {
  const folder = makeFolder({
    'plinth.yaml':
      'access: public\nresources:\n  jobs:\n    fields:\n      level: { type: enum, values: [low, high] }\n',
  });
  const run = (...args: readonly string[]) => plinth(['check', ...args], { cwd: folder.path });
  const missing = await run('--database', 'sqlite:jobs.db');
  expect(missing.code).toBe(1);
  new Driver(folder.at('jobs.db')).exec('CREATE TABLE others (id INTEGER PRIMARY KEY)').close();
  expect((await run('--database', 'sqlite:jobs.db')).out).toBe(
    'plinth.yaml is valid: 1 resource.\n',
  );
  new Driver(folder.at('jobs.db'))
    .exec(
      `CREATE TABLE jobs (id INTEGER PRIMARY KEY, level TEXT); INSERT INTO jobs VALUES (4, 'mid')`,
    )
    .close();
  const { code, out } = await run('--database', 'sqlite:jobs.db');
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      'plinth.yaml:5:7 warning resources.jobs.fields.level: 1 stored value breaks its rules (id 4): must be one of low, high',
      'plinth.yaml is valid: 1 resource.',
      '',
    ],
  ]);
});

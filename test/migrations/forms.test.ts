import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arePossible } from '../../src/migrations/steps.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// A column that a migration has made gets another form (`storedAs`), or loses the one that it has.
const of = (type: string, form: string): string =>
  `resources: { things: { fields: { a: { type: ${type}${form === '' ? '' : `, storedAs: "${form}"`} } } } }`;

const decimals = ['19.90', '3.00', null];
const moments = ['2026-03-01T14:05:00.000Z', null];

const folder = makeFolder();
let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server?.drop());

const unlike = (form: string, count = 1): string =>
  `read things.a as ${form} ! ${count} ${count === 1 ? 'value is' : 'values are'} not stored so; change them, or say of the field what they are`;

/** The steps on SQLite, and on PostgreSQL where they are others. */
type Lines = readonly string[];

describe.each<
  [
    type: string,
    from: string,
    to: string,
    values: readonly unknown[],
    onSqlite: Lines,
    onPostgres?: Lines,
  ]
>([
  [
    'boolean',
    '',
    't/f',
    [true, false],
    ['change things.a from boolean to string', unlike('t/f', 2)],
  ],
  ['boolean', '', 'true/false', [true, false], ['change things.a from boolean to string']],
  ['boolean', '', '1/0', [true, false], ['change things.a from boolean to integer']],
  [
    'datetime',
    '',
    'sqlText',
    moments,
    ['change things.a from datetime to string', unlike('sqlText')],
  ],
  ['datetime', '', 'isoText', moments, ['change things.a from datetime to string']],
  [
    'datetime',
    'unixSeconds',
    'isoText',
    moments,
    ['change things.a from integer to string', unlike('isoText')],
  ],
  [
    'decimal',
    'scaled',
    'real',
    decimals,
    ['change things.a from decimal(18,2) to number'],
    ['change things.a from integer to number - 2 values'],
  ],
  [
    'decimal',
    '',
    'scaled',
    ['19.00'],
    [],
    ['change things.a from decimal(18,2) to integer - 1 value'],
  ],
  ['decimal', 'real', 'text', decimals, ['change things.a from number to string']],
  ['datetime', 'unixSeconds', 'unixMilliseconds', moments, [unlike('unixMilliseconds')]],
  ['datetime', 'unixMilliseconds', 'unixSeconds', moments, [unlike('unixSeconds')]],
  ['datetime', 'unixSeconds', 'unixMilliseconds', [null], []],
])('a %s from %j to %j', (type, from, to, values, onSqlite, onPostgres = onSqlite) => {
  test.each(['sqlite', 'postgres'] as const)('is kept, or refused: %s', async (name) => {
    const side =
      name === 'sqlite'
        ? sqliteSide(folder.at(`${type}-${from}-${to}.db`.replaceAll('/', '')))
        : postgresSide(server.url);
    const [before, after] = [of(type, from), of(type, to)];
    // The table of the case before, where there was one.
    await side.apply('resources: { none: { fields: { b: { type: string } } } }', {
      allowDataLoss: true,
    });
    await side.apply(before, { allowDataLoss: true });
    await side.write(before, { things: values.map((a) => ({ a })) });
    const steps = await side.plan(after);
    expect(linesOf(steps)).toEqual(name === 'sqlite' ? onSqlite : onPostgres);
    if (!arePossible(steps)) return;
    await side.apply(after);
    expect(linesOf(await side.plan(after))).toEqual([]);
    const read = await side.served(after, async (api) => api.get('/v1/things'));
    expect(read.body).toEqual(values.map((a, index) => ({ id: index + 1, a })));
  });
});

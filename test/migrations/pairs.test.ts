import Driver from 'better-sqlite3';
import * as fc from 'fast-check';
import driver from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arePossible } from '../../src/migrations/steps.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { seed } from '../support/seed.ts';

const folder = makeFolder();
let server: TestDatabase;
let other: driver.Sql;
let count = 0;

beforeAll(async () => {
  server = await createDatabase();
  other = driver(server.url, { max: 1, onnotice: () => undefined });
});

afterAll(async () => {
  await other?.end();
  await server?.drop();
});

/** Values of each type, several of which can become values of others. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  string: ['r1', '', 'x', '7', '-1', '1.5', 'true', '2026-03-01', '2026-03-01T10:00:00Z'],
  integer: [0, 1, 7, -3],
  number: [0, 1.5, -2, 1e21],
  decimal: ['0.00', '19.90', '-7.00'],
  'decimal, scale: 4, precision: 6': ['0.0000', '19.9950', '7.0000'],
  boolean: [true, false],
  date: ['2026-03-01', '1999-12-31'],
  datetime: ['2026-03-01T00:00:00.000Z', '2026-03-01T10:11:12.345Z'],
  uuid: ['0190a000-0000-7000-8000-00000000000a'],
  json: ['x', 7, { a: 1 }, [1]],
};

interface OneField {
  readonly type: string;
  readonly more: string;
  readonly column: string | undefined;
}

const field = (name: string): fc.Arbitrary<OneField> =>
  fc.constantFrom(...Object.keys(values)).chain((type) =>
    fc.record({
      type: fc.constant(type),
      more: fc.constantFrom(
        '',
        '',
        ', nullable: false',
        ', index: true',
        ', unique: true',
        `, nullable: false, default: ${JSON.stringify(values[type]?.[0])}`,
        type === 'string' ? ', reference: things.id' : '',
      ),
      column: fc.constantFrom(undefined, undefined, undefined, `${name}_x`, `${name}_y`),
    }),
  );

const names = ['a', 'b', 'c', 'd'] as const;
const pair = fc
  .tuple(
    ...names.map((name) => fc.tuple(fc.option(field(name)), fc.option(field(name)), fc.boolean())),
  )
  .map((fields) =>
    fields.map(([before, after, isKept]) => [before, isKept ? before : after] as const),
  );

function textOf(fields: readonly (OneField | null)[]): string {
  const lines = fields.map((one, index) => {
    // JSON is neither ordered nor unique.
    const more = one?.type === 'json' ? '' : one?.more;
    return one === null
      ? ''
      : `      ${names[index]}: { type: ${one.type}${more}${one.column === undefined ? '' : `, column: ${one.column}`} }\n`;
  });
  return `resources:\n  things:\n    fields:\n      id: { type: id, format: string }\n      z: { type: string }\n${lines.join('')}`;
}

const everything = (text: string, side: Side, fields: readonly string[]): Promise<string> =>
  side.served(text, async (api) => {
    const answer = await api.get(
      `/v1/things?sort=id&limit=100&fields=${['id', ...fields].join(',')}`,
    );
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  });

test('any specification after any other', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      pair,
      fc.array(fc.array(fc.nat(20), { minLength: 4, maxLength: 4 }), { maxLength: 6 }),
      fc.boolean(),
      async (fields, rows, allowDataLoss) => {
        count += 1;
        const file = folder.at(`${count}.db`);
        await other`DROP SCHEMA public CASCADE`;
        await other`CREATE SCHEMA public`;
        const [before, after] = [
          textOf(fields.map(([one]) => one)),
          textOf(fields.map(([, one]) => one)),
        ];
        const kept = [
          'z',
          ...names.filter((_, index) => {
            const [one, next] = fields[index] ?? [null, null];
            return one !== null && JSON.stringify(one) === JSON.stringify(next);
          }),
        ];
        const seen: unknown[] = [];
        for (const side of [sqliteSide(file), postgresSide(server.url)]) {
          await side.apply(before);
          await side.served(before, async (api) => {
            for (const [number, row] of rows.entries())
              await api.send('POST', '/v1/things', {
                id: `r${number}`,
                z: 'same',
                ...Object.fromEntries(
                  fields.flatMap(([one], index) => {
                    const all = values[one?.type ?? ''] ?? [];
                    const value = all[(row[index] ?? 0) % (all.length + 2)];
                    return one === null || value === undefined ? [] : [[names[index], value]];
                  }),
                ),
              });
          });
          const old = await everything(before, side, kept);
          const planned = await side.plan(after, { allowDataLoss });
          expect(await side.apply(after, { allowDataLoss })).toEqual(planned);
          const isPossible = arePossible(planned, { allowDataLoss });
          expect(await everything(isPossible ? after : before, side, kept)).toBe(old);
          const left = await side.plan(isPossible ? after : before);
          expect(left.filter(({ isOptional }) => !isOptional || allowDataLoss)).toEqual([]);
          const all = isPossible
            ? await everything(
                after,
                side,
                names.filter((_, index) => (fields[index]?.[1] ?? null) !== null),
              )
            : '';
          // A key of a column that is added is a step of its own on PostgreSQL alone.
          seen.push([
            linesOf(planned).filter((line) => !line.startsWith('refer ')),
            isPossible,
            all,
          ]);
        }
        expect(seen[1]).toEqual(seen[0]);
        const database = new Driver(file, { readonly: true });
        expect(database.pragma('foreign_key_check')).toEqual([]);
        expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
        database.close();
      },
    ),
    { numRuns: Number(process.env['PLINTH_TEST_MIGRATIONS'] ?? 15), seed },
  );
});

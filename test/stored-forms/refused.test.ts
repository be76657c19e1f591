import { expect, test } from 'vitest';
import { databases, fileOf, tableOf, type Name } from './columns.ts';

/** A column, values in it, and what there is to do before it is served. */
const refusals: readonly (readonly [
  Name,
  string,
  string,
  'datetime' | 'decimal' | 'boolean',
  readonly unknown[],
])[] = [
  [
    'SQLite',
    'TEXT',
    `('2026-03-01T14:05:00.000Z'), ('2026-03-01T14:05:01.000Z'), ('2026-03-01 14:05:00')`,
    'datetime',
    ['isoText', 1],
  ],
  [
    'SQLite',
    'TEXT',
    `('2026-03-01T14:05:00.000Z'), ('2026-03-01 14:05:01'), ('2026-03-01 14:05:00')`,
    'datetime',
    ['sqlText', 1],
  ],
  [
    'SQLite',
    'DATETIME',
    `('2026-03-01 14:05:00'), ('2026-03-01 14:05:01'), (1700000000)`,
    'datetime',
    ['sqlText', 1],
  ],
  ['SQLite', 'TEXT', `('soon'), ('later'), (NULL)`, 'datetime', ['isoText', 2]],
  ['SQLite', 'TEXT', `('2026-02-30 14:05:00')`, 'datetime', ['isoText', 1]],
  [
    'SQLite',
    'INTEGER',
    `(1700000000), (1700000000000), (1700000000001)`,
    'datetime',
    ['unixSeconds', 2],
  ],
  ['SQLite', 'INTEGER', `(1), (0), (2)`, 'boolean', ['1/0', 1]],
  ['SQLite', 'TEXT', `('Y'), ('n')`, 'boolean', ['Y/N', 1]],
  ['SQLite', 'REAL', `(1.25), (1.255)`, 'decimal', ['real', 1]],
  ['SQLite', 'NUMERIC', `(1.25), ('much')`, 'decimal', ['real', 1]],
  [
    'SQLite',
    'TEXT',
    `('1.25'), ('1,25'), ('1.'), ('.5'), ('--1'), ('1.2.3'), ('1e3'), (''), ('1.255'), ('٣')`,
    'decimal',
    ['text', 9],
  ],
  [
    'PostgreSQL',
    'text',
    `('2026-03-01T14:05:00.000Z'), ('2026-03-01T14:05:01.000Z'), ('2026-03-01 14:05:00')`,
    'datetime',
    ['isoText', 1],
  ],
  ['PostgreSQL', 'text', `('soon'), ('later'), (NULL)`, 'datetime', ['isoText', 2]],
  [
    'PostgreSQL',
    'bigint',
    `(1700000000), (1700000000000), (1700000000001)`,
    'datetime',
    ['unixSeconds', 2],
  ],
  ['PostgreSQL', 'text', `('Y'), ('n')`, 'boolean', ['Y/N', 1]],
  ['PostgreSQL', 'double precision', `(1.25), (1.255), ('NaN')`, 'decimal', ['real', 2]],
  [
    'PostgreSQL',
    'text',
    `('1.25'), ('1,25'), ('1.'), ('.5'), ('--1'), ('1.2.3'), ('1e3'), (''), ('1.255'), ('٣')`,
    'decimal',
    ['text', 9],
  ],
];

test.each(refusals)('%s: %s with %s is refused as a %s', async (name, column, rows, type, told) => {
  const existing = await databases[name](fileOf(`type: ${type}`), tableOf(name, column, rows));
  const [form, count] = told;
  const found = existing.steps.map(({ summary, obstacle }) => [summary, obstacle]);
  await existing.stop();
  expect(found).toContainEqual([
    `read things.value as ${String(form)}`,
    `${String(count)} ${count === 1 ? 'value is' : 'values are'} not stored so; change them, or say of the field what they are`,
  ]);
});

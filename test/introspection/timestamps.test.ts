import postgres from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

// A filter takes what the API shows: all digits of the column.
test('moments that timestamps set keep the digits of their columns', async () => {
  const folder = makeFolder();
  const { url, drop } = await createDatabase();
  const client = postgres(url, { max: 1, onnotice: () => undefined });
  const at = 'NOT NULL DEFAULT now()';
  try {
    await client.unsafe(`
      CREATE TABLE fine (id serial PRIMARY KEY, "createdAt" timestamptz ${at}, "updatedAt" timestamp(3) ${at});
      CREATE TABLE plain (id serial PRIMARY KEY, "createdAt" timestamptz(3) ${at}, "updatedAt" timestamptz(3) ${at});
      CREATE TABLE first (id serial PRIMARY KEY, created_at timestamp(0) ${at}, updated_at timestamp ${at}, n integer);
    `);
    const { out } = await good(['introspect', url, '--out', 'plinth.yaml', '--json'], folder.path);
    const { resources } = (
      JSON.parse(out) as {
        specification: { resources: Record<string, { timestamps?: boolean; fields?: object }> };
      }
    ).specification;
    const moment = { type: 'datetime', nullable: false };
    expect(resources['fines']).toMatchObject({
      timestamps: true,
      fields: { createdAt: { ...moment, precision: 6 }, updatedAt: moment },
    });
    expect(resources['plains']).toMatchObject({ timestamps: true, fields: {} });
    expect(resources['firsts']?.fields).toMatchObject({
      createdAt: { ...moment, precision: 0, column: 'created_at' },
      updatedAt: { ...moment, precision: 6, column: 'updated_at' },
    });
  } finally {
    await client.end();
    await drop();
  }
});

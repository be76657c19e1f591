import postgresClient from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { readPostgres, unreadableViews } from '../../src/introspection/postgres/introspect.ts';
import { draftOf } from '../../src/introspection/resources.ts';
import { specificationText } from '../../src/introspection/document.ts';
import { buildApi } from '../../src/model/build/api.ts';
import { buildValid } from '../support/api.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// What public schemas have, in small.
let found: ReturnType<typeof draftOf>;
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  const client = postgresClient(database.url, { max: 1, onnotice: () => undefined });
  await client.unsafe(`
    CREATE TABLE editors (id serial PRIMARY KEY, name text, total numeric(19, 4));
    CREATE TABLE nodes (node_id bigint, version bigint, PRIMARY KEY (node_id, version));
    CREATE TABLE members (id serial PRIMARY KEY, member_type text NOT NULL, member_id bigint NOT NULL);
    INSERT INTO members (member_type, member_id) VALUES ('Node', 1);
    CREATE VIEW totals AS SELECT id, total FROM editors;
    CREATE SCHEMA parts;
    CREATE FUNCTION parts.one() RETURNS integer LANGUAGE sql AS 'SELECT 1';
    CREATE FUNCTION parts.two() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN one() + 1; END';
    INSERT INTO editors (name, total) VALUES ('Ada', 1);
    CREATE VIEW paths AS SELECT id, parts.two() AS path FROM editors;
    CREATE TABLE payments (payment_id serial, at date NOT NULL, amount numeric(5, 2), PRIMARY KEY (at, payment_id));
  `);
  await client.end();
  const open = await openPostgres(database.url, { poolSize: 1 });
  const unreadable = await unreadableViews(open);
  found = draftOf(
    await open.inspect((ask) => readPostgres(ask, false, undefined, undefined, unreadable)),
  );
  await open.close();
});
afterAll(() => database.drop());

test('composite keys beside morph pairs, and keys that the database fills, give no problem', () => {
  const text = specificationText(found, [], undefined);
  const problems: string[] = [];
  buildApi(buildValid(text).settings, (_, message) => problems.push(message));
  expect(problems).toEqual([]);
});

test('a view that cannot be read is left out with the reason, and others are served', () => {
  const text = specificationText(found, [], undefined);
  expect(text).toMatch(/^  totals:$/mu);
  expect(text).not.toMatch(/^  paths:$/mu);
  expect(found.left).toContain(
    'View paths is left out: it cannot be read (function one() does not exist).',
  );
});

import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

type Resources = Record<
  string,
  {
    readonly readOnly?: boolean;
    readonly access?: object;
    readonly fields: Record<string, { readonly readOnly?: boolean }>;
  }
>;

// What PostgreSQL takes no writes for, though it takes others for the same table or view.
const tables = `
CREATE TABLE people (id serial PRIMARY KEY, first text NOT NULL, last text);
CREATE VIEW names AS SELECT id, first, upper(last) AS loud FROM people;
CREATE VIEW counts AS SELECT first, count(*) AS n FROM people GROUP BY first;
CREATE VIEW triggered AS SELECT id, first || ' ' || last AS name FROM people;
CREATE FUNCTION put() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER put INSTEAD OF INSERT OR UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION put();
CREATE TABLE payments (id serial PRIMARY KEY, year integer);
CREATE TABLE payments_1 (CHECK (year = 1)) INHERITS (payments);
CREATE RULE into_1 AS ON INSERT TO payments WHERE NEW.year = 1
  DO INSTEAD INSERT INTO payments_1 (id, year) VALUES (NEW.id, NEW.year);
CREATE VIEW silent AS SELECT id, count(*) AS n FROM people GROUP BY id;
CREATE RULE silent_made AS ON INSERT TO silent DO INSTEAD INSERT INTO people (first) VALUES ('x');
CREATE RULE silent_changed AS ON UPDATE TO silent DO INSTEAD UPDATE people SET first = 'y' WHERE id = NEW.id
  RETURNING id, 1::bigint;
CREATE VIEW partial AS SELECT id, last FROM people;
CREATE VIEW whole AS SELECT first FROM people WHERE EXISTS (SELECT 1 FROM payments WHERE year = 1);
CREATE VIEW instead AS SELECT id, last FROM people;
CREATE TRIGGER put INSTEAD OF INSERT ON instead FOR EACH ROW EXECUTE FUNCTION put();
CREATE TABLE helped (id serial PRIMARY KEY, name text NOT NULL, at text);
CREATE FUNCTION help() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := ''x''; RETURN NEW; END';
CREATE TRIGGER help BEFORE INSERT ON helped FOR EACH ROW EXECUTE FUNCTION help();
CREATE VIEW helping AS SELECT id, at FROM helped;
CREATE RULE noted AS ON UPDATE TO people DO ALSO NOTIFY people;
`;

test('only what PostgreSQL takes may be written', async () => {
  const folder = makeFolder();
  const { url, drop } = await createDatabase();
  const client = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await client.unsafe(tables);
    const { out } = await good(['introspect', url, '--out', 'plinth.yaml', '--json'], folder.path);
    await good(['check', '--database', url], folder.path);
    await good(['migrate', '--database', url], folder.path);
    const { resources } = (JSON.parse(out) as { specification: { resources: Resources } })
      .specification;
    const shown = Object.entries(resources).map(([name, { readOnly, access, fields }]) => [
      name,
      [readOnly ?? access, Object.keys(fields).filter((one) => fields[one]?.readOnly === true)],
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      people: [undefined, []],
      payments: [{ create: 'none' }, []],
      counts: [undefined, []],
      helpeds: [undefined, []],
      helpings: [undefined, []],
      insteads: [undefined, []],
      names: [undefined, ['loud']],
      partials: [{ create: 'none' }, []],
      'payments-1s': [undefined, ['ownId']],
      silents: [{ delete: 'none', create: 'none' }, []],
      triggereds: [undefined, []],
      wholes: [undefined, []],
    });
    expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toMatch(
      /# Its rules write to other tables and return no row[^\n]*\n {2}payments:/u,
    );
  } finally {
    await client.end();
    await drop();
  }
});

import { writeFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const sql = (bytes: string, value: string): string => `
  CREATE TABLE owners (id integer PRIMARY KEY, name text, scan ${bytes} NOT NULL);
  CREATE TABLE pets (id integer PRIMARY KEY, name text, owner_id integer NOT NULL REFERENCES owners);
  INSERT INTO owners VALUES (1, 'Ann', ${value}); INSERT INTO pets VALUES (1, 'Rex', 1);`;

/** A table with a column that may not be null, and cannot be served. */
async function isReadAndChanged(database: string, path: string): Promise<void> {
  const made = await good(
    ['introspect', database, '--managed', '--out', 'plinth.yaml', '--json'],
    path,
  );
  const { specification, left } = JSON.parse(made.out) as {
    specification: { resources: Record<string, object> };
    left: readonly string[];
  };
  expect(left).toEqual([
    expect.stringMatching(
      /^Column owners\.scan is left out: it (?:holds|is made for) binary data\. It may not be null, so records of owners are read and changed but not made \(access: \{ create: none \}\); let it be null, or give it a default in the database\.$/u,
    ),
  ]);
  expect(specification.resources).toMatchObject({
    owners: { access: { create: 'none' }, fields: { pets: { relation: 'hasMany' } } },
    pets: { fields: { owner: { relation: 'belongsTo' } } },
  });
  await good(['migrate', '--database', database, '--apply'], path);
  const served = await servePlinth(['dev', '--database', database], { cwd: path });
  const ask = async (method: string, body?: object): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    const where = method === 'POST' ? '/owners' : '/owners/1?expand=pets&fields=name,pets.name';
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${served.url}${where}`, { method, headers, ...sent });
    return [answer.status, await answer.json()];
  };
  const pets = [{ id: 1, name: 'Rex' }];
  expect(await ask('GET')).toEqual([200, { id: 1, name: 'Ann', pets }]);
  expect(await ask('PUT', { name: 'Bea' })).toEqual([200, { id: 1, name: 'Bea', pets }]);
  expect(await ask('POST', { name: 'Cid' })).toMatchObject([403, { code: 'FORBIDDEN' }]);
  await served.stop('SIGTERM');
  const owners = { ...specification.resources['owners'], access: 'public' };
  const resources = { ...specification.resources, owners };
  writeFileSync(`${path}/open.json`, JSON.stringify({ ...specification, resources }));
  const refused = await plinth(['migrate', 'open.json', '--database', database], { cwd: path });
  expect(refused.out).toContain(
    'write rows without owners.scan, which may not be null and is not in the file (not possible: ',
  );
}

test('a column that cannot be served and may not be null: on SQLite', async () => {
  const { path, at } = makeFolder();
  new Driver(at('old.db')).exec(sql('BLOB', `x'00'`)).close();
  await isReadAndChanged('sqlite:old.db', path);
});

test('a column that cannot be served and may not be null: on PostgreSQL', async () => {
  const { url, drop } = await createDatabase();
  const client = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await client.unsafe(sql('bytea', String.raw`'\x00'`));
    await isReadAndChanged(url, makeFolder().path);
  } finally {
    await client.end();
    await drop();
  }
});

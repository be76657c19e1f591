import { readFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { good, makeFolder, servePlinth } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

// Keys and relations of unmanaged tables. See docs/contract/6-operation.md#introspect.
const tables = `
CREATE TABLE tenants (id integer PRIMARY KEY NOT NULL, name text);
CREATE TABLE projects (tenant_id integer NOT NULL REFERENCES tenants, no integer NOT NULL, parent_no integer,
  PRIMARY KEY (tenant_id, no), FOREIGN KEY (tenant_id, parent_no) REFERENCES projects);
CREATE TABLE tasks (id integer PRIMARY KEY NOT NULL, tenant_id integer NOT NULL, project_no integer NOT NULL, title text,
  FOREIGN KEY (project_no, tenant_id) REFERENCES projects (no, tenant_id) ON DELETE CASCADE);
CREATE TABLE people (tenant_id integer NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, name));
CREATE TABLE memberships (tenant_id integer NOT NULL, project_no integer NOT NULL, person_name text NOT NULL, role text,
  PRIMARY KEY (tenant_id, project_no, person_name),
  FOREIGN KEY (tenant_id, project_no) REFERENCES projects ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, person_name) REFERENCES people);
CREATE TABLE profiles (account_id integer PRIMARY KEY NOT NULL REFERENCES tenants, bio text);
CREATE TABLE settings (id integer PRIMARY KEY NOT NULL REFERENCES tenants, color text);
CREATE TABLE boards (id integer PRIMARY KEY NOT NULL, tenant_id integer NOT NULL REFERENCES tenants, UNIQUE (tenant_id, id));
CREATE TABLE cards (id integer PRIMARY KEY NOT NULL, tenant_id integer NOT NULL, board_id integer,
  FOREIGN KEY (tenant_id, board_id) REFERENCES boards (tenant_id, id));
CREATE TABLE store (storeid integer PRIMARY KEY NOT NULL, name text);
CREATE TABLE customer (customerid integer PRIMARY KEY NOT NULL, storeid integer REFERENCES store (storeid));
CREATE TABLE log (at text, what text);
CREATE TABLE days (day date PRIMARY KEY NOT NULL, note text);
CREATE TABLE codes (code text NOT NULL, label text NOT NULL UNIQUE);
CREATE TABLE pairs (a integer NOT NULL, b integer NOT NULL, c text UNIQUE, UNIQUE (a, b));
CREATE TABLE shorter (a integer NOT NULL, b integer NOT NULL, c text NOT NULL UNIQUE, UNIQUE (a, b));
INSERT INTO tenants VALUES (1, 'a'), (2, 'b');
INSERT INTO projects VALUES (1, 1, NULL), (1, 2, 1);
INSERT INTO tasks VALUES (1, 1, 1, 'x'), (2, 1, 2, 'y'), (3, 1, 2, 'y');
INSERT INTO log VALUES ('a', 'b'), ('a', 'b');
CREATE VIEW overview AS SELECT DISTINCT id AS task_id, tenant_id, title FROM tasks;
CREATE VIEW titles AS SELECT title, tenant_id FROM tasks;
`;

/** The resources without what is said of scalar fields. */
const expected = {
  tenants: {
    projects: 'hasMany projects',
    people: 'hasMany people',
    profile: 'hasOne profiles',
    setting: 'hasOne settings',
    boards: 'hasMany boards',
  },
  projects: {
    key: ['tenantId', 'no'],
    tenant: 'belongsTo tenants',
    parent: 'belongsTo projects tenantId,parentNo',
    children: 'hasMany projects',
    tasks: 'hasMany tasks',
    people: 'belongsToMany people',
  },
  tasks: { project: 'belongsTo projects tenantId,projectNo cascade' },
  people: {
    key: ['tenantId', 'name'],
    tenant: 'belongsTo tenants',
    projects: 'belongsToMany projects',
  },
  memberships: {
    key: ['tenantId', 'projectNo', 'personName'],
    project: 'belongsTo projects tenantId,projectNo',
    person: 'belongsTo people tenantId,personName restrict',
  },
  profiles: { key: 'accountId', account: 'belongsTo tenants' },
  settings: { key: 'tenantId', tenant: 'belongsTo tenants' },
  boards: { tenant: 'belongsTo tenants', cards: 'hasMany cards' },
  cards: { board: 'belongsTo boards' },
  stores: { customers: 'hasMany customers' },
  customers: { store: 'belongsTo stores storeid' },
  logs: { key: 'none' },
  days: { key: 'day' },
  codes: {},
  // A unique key that may be null identifies nothing, and of two the shortest does.
  pairs: { key: ['a', 'b'] },
  shorters: {},
  overviews: {
    key: 'taskId',
    readOnly: true,
    task: 'belongsTo tasks',
    tenant: 'belongsTo tenants',
  },
  titles: { key: 'none', tenant: 'belongsTo tenants' },
};

interface Resource {
  readonly key?: string | readonly string[];
  readonly readOnly?: boolean;
  readonly fields: Record<string, Record<string, unknown>>;
}

function shapeOf({ key, readOnly, fields }: Resource): object {
  const relations = Object.entries(fields).flatMap(([name, field]) => {
    if (field['type'] !== 'relation') return [];
    const { relation, resource, foreignKey, onDelete } = field;
    return [[name, [relation, resource, foreignKey, onDelete].filter(Boolean).join(' ')] as const];
  });
  return {
    ...(key === undefined ? {} : { key }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...Object.fromEntries(relations),
  };
}

/** The file that introspect writes, which `check` and `migrate` have to be content with. */
async function introspected(url: string, folder: string): Promise<Record<string, object>> {
  const { out } = await good(['introspect', url, '--out', 'plinth.yaml', '--json'], folder);
  await good(['check', '--database', url], folder);
  const { out: steps } = await good(['migrate', '--database', url], folder);
  expect(steps).toMatch(/up to date|has what/u);
  const { specification } = JSON.parse(out) as {
    specification: { resources: Record<string, Resource> };
  };
  return Object.fromEntries(
    Object.entries(specification.resources).map(([name, one]) => [name, shapeOf(one)]),
  );
}

describe('keys and relations', () => {
  test('of SQLite', async () => {
    const folder = makeFolder();
    new Driver(folder.at('old.db')).exec(tables).close();
    expect(await introspected('sqlite:old.db', folder.path)).toEqual(expected);
    const text = readFileSync(folder.at('plinth.yaml'), 'utf8');
    expect(text).toContain(
      '  # Nothing identifies its rows, so it is served as lists alone.\n  logs:',
    );
    expect(text).toContain('      # A guess by its name: take away');
  });

  test('of PostgreSQL', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    try {
      await client.unsafe(tables);
      expect(await introspected(url, makeFolder().path)).toEqual(expected);
    } finally {
      await client.end();
      await drop();
    }
  });
});

const unkeyed = `
CREATE TABLE files (id integer PRIMARY KEY NOT NULL, digest BYTES NOT NULL UNIQUE);
CREATE TABLE notes (id integer PRIMARY KEY NOT NULL, digest BYTES REFERENCES files (digest));
`;

describe('a key to bytes is served as a plain value', () => {
  const shapes = { files: {}, notes: {} };
  const note = '# A key to files.digest, which is of a type that keys cannot have';

  test('of SQLite', async () => {
    const folder = makeFolder();
    new Driver(folder.at('old.db')).exec(unkeyed.replaceAll('BYTES', 'blob')).close();
    expect(await introspected('sqlite:old.db', folder.path)).toEqual(shapes);
    expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toContain(note);
  });

  test('of PostgreSQL, and one to decimals of any scale', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    try {
      await client.unsafe(`${unkeyed.replaceAll('BYTES', 'bytea')}
        CREATE TABLE rates (id integer PRIMARY KEY, rate numeric NOT NULL UNIQUE);
        CREATE TABLE sales (id integer PRIMARY KEY, rate numeric REFERENCES rates (rate));`);
      const folder = makeFolder();
      expect(await introspected(url, folder.path)).toEqual({ ...shapes, rates: {}, sales: {} });
      const text = readFileSync(folder.at('plinth.yaml'), 'utf8');
      expect(text).toContain(note);
      expect(text).toContain(note.replace('files.digest', 'rates.rate'));
    } finally {
      await client.end();
      await drop();
    }
  });
});

test('SQLite: what is declared as a type of another database and holds texts is a string', async () => {
  const folder = makeFolder();
  new Driver(folder.at('old.db'))
    .exec(
      `CREATE TABLE things (id uniqueidentifier PRIMARY KEY, mood ENUM, address INET, ref uuid);
       INSERT INTO things VALUES ('A3DB6E8F-5B50-4F0C-9E4D-6E9D7B2B7C11', 'fine', '10.0.0.1', 'B3DB6E8F-5B50-4F0C-9E4D-6E9D7B2B7C11');`,
    )
    .close();
  const { out } = await good(
    ['introspect', 'sqlite:old.db', '--out', 'plinth.yaml', '--json'],
    folder.path,
  );
  const { specification } = JSON.parse(out) as {
    specification: { resources: Record<string, Resource> };
  };
  expect(specification.resources['things']?.fields).toEqual({
    id: { type: 'id', format: 'string' },
    mood: { type: 'string' },
    address: { type: 'string' },
    ref: { type: 'string' },
  });
});

test.each(['', '--managed'])(
  'SQLite: one value that is no date makes its column a string, which is served: %s',
  async (flag) => {
    const folder = makeFolder();
    new Driver(folder.at('old.db'))
      .exec(
        `CREATE TABLE things (id integer PRIMARY KEY, a date, b date, c date, d date, at datetime, fine date);
         INSERT INTO things VALUES (1, '2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01 10:00:00', '2024-01-01'),
           (2, '', 'n/a', '0000-00-00', '2024-1-5', 'n/a', NULL);`,
      )
      .close();
    const { out } = await good(
      [
        'introspect',
        'sqlite:old.db',
        ...(flag === '' ? [] : [flag]),
        '--out',
        'plinth.yaml',
        '--json',
      ],
      folder.path,
    );
    const { specification, left } = JSON.parse(out) as {
      specification: { resources: Record<string, Resource> };
      left: readonly string[];
    };
    const text = { type: 'string' };
    expect([left, specification.resources['things']?.fields]).toEqual([
      [],
      { a: text, b: text, c: text, d: text, at: text, fine: { type: 'date' } },
    ]);
    expect(readFileSync(folder.at('plinth.yaml'), 'utf8')).toContain(
      '# Declared as DATE and stored in another form than a date',
    );
    const { url, stop } = await servePlinth(
      ['dev', '--no-generate', '--database', 'sqlite:old.db'],
      {
        cwd: folder.path,
      },
    );
    const found: unknown = await (await fetch(`${url}/things?b=n/a`)).json();
    expect(found).toEqual([
      { id: 2, a: '', b: 'n/a', c: '0000-00-00', d: '2024-1-5', at: 'n/a', fine: null },
    ]);
    await stop('SIGTERM');
  },
);

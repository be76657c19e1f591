import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, plinth, type Ended } from '../support/command.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

// Views in a file that was written by hand. See docs/contract/8-existing-databases.md#managed-and-not, rule 3.
const specification = `
access: public
database: { managed: false }
resources:
  people:
    fields:
      name: { type: string, unique: true }
      state: { type: string }
      teamId: { type: integer, column: team_id, reference: teams.id }
  teams:
    fields:
      name: { type: string }
      members: { type: relation, relation: hasMany, resource: members }
  members:
    fields:
      name: { type: string, unique: true }
      state: { type: string }
      teamId: { type: integer, column: team_id, reference: teams.id }
      team: { type: relation, relation: belongsTo, resource: teams }
  checked:
    fields:
      name: { type: string }
      state: { type: string }
  names:
    timestamps: true
    fields:
      name: { type: string }
      loud: { type: string, nullable: false, default: QUIET }
      length: { type: integer, required: true }
  counts:
    key: state
    fields:
      state: { type: string }
      n: { type: integer }
  stored:
    fields:
      name: { type: string }
  partial:
    fields:
      state: { type: string }
`;
/** What only PostgreSQL has: an INSTEAD OF trigger, a table in partitions, one that others inherit, one of elsewhere. */
const postgresOnly = `
  told:
    fields:
      name: { type: string }
  parts:
    fields:
      id: { type: id, required: true }
      name: { type: string }
  heads:
    fields:
      name: { type: string }
  lines:
    fields:
      name: { type: string }
`;
const postgresTables = `
CREATE VIEW checked AS SELECT id, name, state FROM people WHERE state = 'on' WITH CHECK OPTION;
CREATE MATERIALIZED VIEW stored AS SELECT id, name FROM people;
CREATE VIEW told AS SELECT id, name || '!' AS name FROM people;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN DELETE FROM people WHERE id = OLD.id; RETURN OLD; END IF;
  IF TG_OP = 'UPDATE' THEN UPDATE people SET name = NEW.name WHERE id = OLD.id;
  ELSE INSERT INTO people (name) VALUES (NEW.name) RETURNING id INTO NEW.id; END IF;
  NEW.name := NEW.name || '!'; RETURN NEW; END $$;
CREATE TRIGGER tell INSTEAD OF INSERT OR UPDATE OR DELETE ON told FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TABLE parts (id integer PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (10) TO (20);
INSERT INTO parts VALUES (1, 'low'), (11, 'high');
CREATE TABLE heads (id serial PRIMARY KEY, name text);
CREATE TABLE heirs (more text) INHERITS (heads);
INSERT INTO heads (name) VALUES ('own');
INSERT INTO heirs (name) VALUES ('inherited');
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE lines (id integer, name text) SERVER files OPTIONS (program 'echo 1,far', format 'csv');`;
const tables = (id: string): string => `
CREATE TABLE teams (id ${id}, name text);
CREATE TABLE people (id ${id}, name text NOT NULL UNIQUE, state text DEFAULT 'on', team_id integer REFERENCES teams);
CREATE VIEW members AS SELECT id, name, state, team_id FROM people WHERE state = 'on';
CREATE VIEW names AS SELECT id, name, upper(name) AS loud, length(name) AS length,
  '2026-01-01 00:00:00' AS "createdAt", '2026-01-01 00:00:00' AS "updatedAt" FROM people;
CREATE VIEW counts AS SELECT state, count(*) AS n FROM people GROUP BY state;
CREATE VIEW partial AS SELECT id, state FROM people;
INSERT INTO teams (name) VALUES ('one');
INSERT INTO people (name, state, team_id) VALUES ('ann', 'on', 1), ('bob', 'off', 1);`;

type Told = readonly [status: number, problems: unknown];
const rule = 'is not allowed by a rule of the database';

async function told(
  { api }: Existing,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
  const answer = await api.send(method, path, body, headers);
  const { errors, validationErrors = [] } = (answer.body ?? {}) as {
    errors?: { field: string; message: string }[];
    validationErrors?: { field: string; error: string }[];
  };
  const problems =
    errors?.map(({ field, message }) => [field, message]) ??
    validationErrors.map(({ field, error }) => [field, error]);
  return [answer.status, problems.length > 0 ? problems : (answer.body?.code ?? answer.body)];
}

describe('PostgreSQL', () => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await existingPostgres(
      specification + postgresOnly,
      `${tables('serial PRIMARY KEY').replaceAll("'2026-01-01 00:00:00'", "timestamptz(3) '2026-01-01 00:00:00Z'")}
       ${postgresTables}`,
    );
  });
  afterAll(() => existing?.stop());

  const people = async (): Promise<unknown> =>
    (await existing.ask('SELECT name FROM people ORDER BY name')).flat();

  test('nothing has to be changed', () => {
    expect(existing.steps.filter(({ isExtra }) => isExtra !== true)).toEqual([]);
  });

  // As through `checked`, which is WITH CHECK OPTION.
  test.each<readonly [path: string, body: object, problems: unknown]>([
    [
      '/members',
      { name: 'cy', state: 'off' },
      [
        ['name', rule],
        ['state', rule],
      ],
    ],
    [
      '/checked',
      { name: 'cy', state: 'off' },
      [
        ['name', rule],
        ['state', rule],
      ],
    ],
    [
      '/members',
      [
        { name: 'cy', state: 'on' },
        { name: 'di', state: 'off' },
      ],
      [
        ['[1].name', rule],
        ['[1].state', rule],
      ],
    ],
    // A field that is to blame for more is named for that.
    ['/members', { name: 'ann', state: 'off' }, [['name', 'is taken: it must be unique']]],
    [
      '/teams',
      { name: 'two', members: { create: [{ name: 'cy', state: 'off' }] } },
      ['name', 'state', 'teamId'].map((name) => [`members.create[0].${name}`, rule]),
    ],
    ['/members?fields=name', { name: 'cy', state: null }, [['name', rule]]],
    [
      '/members?onConflict=name',
      { name: 'cy', state: 'off' },
      [
        ['name', rule],
        ['state', rule],
      ],
    ],
  ])('POST %s %j makes no record that the view hides', async (path, body, problems) => {
    const before = await people();
    const answer = await told(existing, 'POST', path, body);
    expect([path, ...answer]).toEqual([path, 422, problems]);
    expect(await people()).toEqual(before);
    expect((await existing.api.get('/teams')).body).toHaveLength(1);
  });

  test('what it shows is made, by whatever request', async () => {
    const { api } = existing;
    const one = await api.send('POST', '/members?expand=team', { name: 'eve', teamId: 1 });
    expect([one.status, one.body]).toEqual([
      201,
      {
        id: expect.any(Number) as number,
        name: 'eve',
        state: 'on',
        teamId: 1,
        team: { id: 1, name: 'one' },
      },
    ]);
    expect((await api.get(one.headers.get('location') ?? '')).status).toBe(200);
    const more = await api.send('POST', '/members', [{ name: 'f' }, { name: 'g' }]);
    expect([more.status, more.body.map(({ name }: { name: string }) => name)]).toEqual([
      201,
      ['f', 'g'],
    ]);
  });

  test('an update may take a record out of a view, unless that is WITH CHECK OPTION', async () => {
    const { api, ask } = existing;
    const [[id] = []] = await ask("INSERT INTO people (name) VALUES ('zoe') RETURNING id");
    expect(await told(existing, 'PATCH', `/checked/${String(id)}`, { state: 'off' })).toEqual([
      422,
      [['state', rule]],
    ]);
    const left = await api.send('PATCH', `/members/${String(id)}`, { state: 'off' });
    expect([left.status, left.body]).toEqual([
      200,
      { id, name: 'zoe', state: 'off', teamId: null },
    ]);
    expect((await api.get(`/members/${String(id)}`)).status).toBe(404);
    await ask(`UPDATE people SET state = 'on' WHERE id = ${String(id)}`);
    // A response that has to be read finds no record any more.
    const read = await api.send('PATCH', `/members/${String(id)}?expand=team`, { state: 'off' });
    expect([read.status, read.text]).toEqual([204, '']);
    await ask(`DELETE FROM people WHERE id = ${String(id)}`);
  });

  test('columns that are expressions are read-only, whatever the file says of them', async () => {
    const { api } = existing;
    const shown = { loud: 'HAL', length: 3, createdAt: '2026-01-01T00:00:00.000Z' };
    expect((await api.send('POST', '/names', { name: 'hal' })).body).toMatchObject(shown);
    expect(await told(existing, 'POST', '/names', { name: 'ivy', loud: 'IVY', length: 3 })).toEqual(
      [
        400,
        [
          ['loud', 'is read-only'],
          ['length', 'is read-only'],
        ],
      ],
    );
    const { id } = (await api.get('/names?loud=HAL&length_gt=2&sort=-length,loud')).body[0];
    for (const method of ['PATCH', 'PUT'])
      expect(
        (await api.send(method, `/names/${id}`, { name: 'ivo', loud: 'x', length: 9 })).body,
      ).toMatchObject({ ...shown, loud: 'IVO' });
    expect((await api.get('/names?group=length&aggregate=count')).status).toBe(200);
    expect((await api.send('DELETE', `/names/${id}`)).status).toBe(204);
  });

  test('a view with INSTEAD OF triggers is written through them', async () => {
    const { api, ask } = existing;
    const made = await api.send('POST', '/told', { name: 'kim' });
    expect([made.status, made.body.name]).toEqual([201, 'kim!']);
    const at = made.headers.get('location') ?? '';
    expect((await api.get(at)).body.name).toBe('kim!');
    expect((await api.send('PATCH', at, { name: 'kai' })).body.name).toBe('kai!');
    expect(await ask("SELECT count(*)::int FROM people WHERE name = 'kai'")).toEqual([[1]]);
    expect((await api.send('DELETE', at)).status).toBe(204);
    expect((await api.get(at)).status).toBe(404);
  });

  test('a table of parts is one resource', async () => {
    const { api } = existing;
    const namesOf = async (path: string): Promise<unknown> =>
      (await api.get(path)).body.map(({ name }: { name: string }) => name);
    expect(await namesOf('/parts?sort=id')).toEqual(['low', 'high']);
    expect(await namesOf('/heads?sort=-name')).toEqual(['own', 'inherited']);
    expect(await namesOf('/lines')).toEqual(['far']);
    expect((await api.get('/parts')).headers.get('x-total-count')).toBe('2');
    expect((await api.send('POST', '/parts', { id: 12, name: 'new' })).status).toBe(201);
    // No part takes 99.
    expect((await api.send('PATCH', '/parts/12', { name: 'other' })).body.name).toBe('other');
    expect((await api.send('POST', '/parts', { id: 99, name: 'x' })).status).toBe(422);
    expect((await api.send('DELETE', '/parts/12')).status).toBe(204);
    expect((await api.send('PATCH', '/heads/2', { name: 'heir' })).body.name).toBe('heir');
    expect((await api.send('DELETE', '/heads/2')).status).toBe(204);
    expect(await namesOf('/heads')).toEqual(['own']);
  });

  test.each<readonly [path: string, create: number, update: number]>([
    ['/lines', 403, 403],
    ['/counts', 403, 403],
    ['/stored', 403, 403],
    // It lacks the name, without which its table takes no row.
    ['/partial', 403, 200],
  ])('%s is closed to what PostgreSQL does not take', async (path, create, update) => {
    const { api } = existing;
    const [first] = (await api.get(path)).body;
    expect((await told(existing, 'POST', path, { state: 'new', name: 'x' }))[0]).toBe(create);
    const at = `${path}/${first.id}`;
    expect((await told(existing, 'PATCH', at, {}))[0]).toBe(update);
    const { paths } = (await api.get('/_openapi.json')).body;
    const isShown = (at: string, method: string): boolean => method in paths[`/v1${at}`];
    expect([isShown(path, 'post'), isShown(`${path}/{id}`, 'patch')]).toEqual([
      false,
      update === 200,
    ]);
    if (update === 403) expect((await told(existing, 'DELETE', at))[0]).toBe(403);
  });
});

test('SQLite: no view takes writes, not one with triggers either', async () => {
  const existing = await existingSqlite(
    specification,
    `${tables('INTEGER PRIMARY KEY')}
     CREATE VIEW checked AS SELECT id, name, state FROM people;
     CREATE VIEW stored AS SELECT id, name FROM people;
     CREATE TRIGGER made INSTEAD OF INSERT ON checked BEGIN INSERT INTO people (name) VALUES (new.name); END;`,
  );
  try {
    for (const path of ['/members', '/checked', '/names', '/counts', '/stored', '/partial']) {
      const [first] = (await existing.api.get(path)).body;
      const answers = [
        (await told(existing, 'POST', path, { name: 'cy' }))[0],
        (await told(existing, 'PATCH', `${path}/${first.id}`, { name: 'cy' }))[0],
        (await told(existing, 'DELETE', `${path}/${first.id}`))[0],
      ];
      expect([path, ...answers]).toEqual([path, 403, 403, 403]);
    }
    expect(await existing.ask('SELECT count(*) FROM people')).toEqual([[2]]);
  } finally {
    await existing.stop();
  }
});

describe('a junction and an import through views of PostgreSQL that hide rows', () => {
  const file = `
access: public
database: { managed: false }
resources:
  teams:
    fields:
      name: { type: string }
      people: { type: relation, relation: belongsToMany, resource: people, through: active, withPivot: [kind] }
  people: { fields: { name: { type: string } } }
  active:
    fields:
      teamId: { type: integer, reference: teams.id, column: team_id }
      personId: { type: integer, reference: people.id, column: person_id }
      kind: { type: string }
`;
  const tables = `
    CREATE TABLE teams (id serial PRIMARY KEY, name text);
    CREATE TABLE people (id serial PRIMARY KEY, name text);
    CREATE TABLE links (id serial PRIMARY KEY, team_id integer REFERENCES teams, person_id integer REFERENCES people, kind text DEFAULT 'off');
    CREATE VIEW active AS SELECT id, team_id, person_id, kind FROM links WHERE kind = 'on';
    INSERT INTO people (name) VALUES ('ann'), ('bob');
    INSERT INTO teams (name) VALUES ('one');`;
  let existing: Existing;
  beforeAll(async () => {
    existing = await existingPostgres(file, tables);
  });
  afterAll(() => existing?.stop());
  const linked = async (): Promise<unknown> =>
    (await existing.ask('SELECT person_id, kind FROM links ORDER BY 1')).map((row) => [...row]);

  test.each([
    ['POST', '/teams', { name: 'two', people: [1] }],
    ['POST', '/teams', { name: 'two', people: [{ id: 1, pivot: { kind: 'off' } }] }],
    ['PATCH', '/teams/1', { people: [{ id: 1, pivot: { kind: 'on' } }, 2] }],
  ])('%s %s %j is 422 and links nothing', async (method, path, body) => {
    const answer = await existing.api.send(method, path, body);
    expect([answer.status, await linked()]).toEqual([422, []]);
    expect(answer.body.errors).toMatchObject([
      { field: expect.stringContaining('people['), rule: 'database' },
    ]);
  });

  test('a link that the view shows is made', async () => {
    const people = [{ id: 2, pivot: { kind: 'on' } }];
    const { status, body } = await existing.api.send('POST', '/teams?expand=people', {
      name: 'two',
      people,
    });
    expect([status, body]).toMatchObject([201, { people }]);
    expect(await linked()).toEqual([[2, 'on']]);
    await existing.ask('DELETE FROM links');
  });

  test('import refuses what the view does not show, by its line', async () => {
    const folder = makeFolder({
      'plinth.yaml': file,
      'active.ndjson': [
        { id: 50, teamId: 1, personId: 1, kind: 'on' },
        { id: 51, teamId: 1, personId: 2, kind: 'off' },
      ]
        .map((record) => JSON.stringify(record))
        .join('\n'),
    });
    const load = (): Promise<Ended> =>
      plinth(['import', 'active.ndjson', '--database', existing.url], { cwd: folder.path });
    const refused = 'active.ndjson:2 id cannot be stored: the view does not show it';
    expect(await load()).toMatchObject({ code: 1, err: expect.stringContaining(refused) });
    expect(await linked()).toEqual([]);
    folder.write('active.ndjson', JSON.stringify({ teamId: 1, personId: 1, kind: 'on' }));
    expect(await load()).toMatchObject({ code: 0 });
    expect(await linked()).toEqual([[1, 'on']]);
  });
});

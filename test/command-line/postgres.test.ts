import { randomBytes } from 'node:crypto';
import driver from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  launchPlinth,
  library,
  makeFolder,
  ndjson,
  plinth,
  servePlinth,
  until,
  type Ended,
} from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const company = `name: Company
access: public
resources:
  people:
    fields:
      name: { type: string, required: true }
      email: { type: email, unique: true }
      hired: { type: datetime }
      pay: { type: decimal, scale: 3 }
      more: { type: json }
      day: { type: date }
      clock: { type: time }
      mark: { type: uuid }
      flag: { type: boolean }
      weight: { type: number }
      sums: { type: array, items: { type: decimal, scale: 1 } }
      kind: { type: enum, values: [a, b] }
      place: { type: object, properties: { zip: { type: string }, at: { type: datetime } }, additionalProperties: true }
      bossId: { type: integer, reference: people.id }
      teamId: { type: integer, reference: teams.id }
  teams:
    fields:
      leadId: { type: integer, reference: people.id }
      badge: { type: string, unique: true }
      subject: { type: relation, relation: morphTo, resources: [people] }
`;
const folder = makeFolder({
  'plinth.yaml': library,
  'company.yaml': company,
  'data.yaml': `${library}data: data\n`,
  'one.yaml': `${library}database: { url: '\${DATABASE}', poolSize: 1, statementTimeout: 3s }\n`,
  'hasty.yaml': `${library}database: { url: '\${DATABASE}', statementTimeout: 500ms }\n`,
  'data/authors.ndjson': ndjson(
    { id: 7, name: 'Ursula', email: 'u@example.com' },
    { name: 'Italo' },
    { id: 5, name: 'Jorge' },
  ),
  'data/books.json': JSON.stringify([{ id: 3, title: 'A', authorId: 8 }]),
});

let server: TestDatabase;
let other: driver.Sql;
/** As messages name the database. */
let name = '';

beforeAll(async () => {
  server = await createDatabase();
  other = driver(server.url, { max: 1, onnotice: () => undefined });
  const { host, pathname } = new URL(server.url);
  name = `${pathname.slice(1)} on ${host}`;
});

beforeEach(async () => {
  await other`DROP SCHEMA public CASCADE`;
  await other`CREATE SCHEMA public`;
});

afterAll(async () => {
  await other?.end();
  await server?.drop();
});

const here = (): { cwd: string; env: Record<string, string> } => ({
  cwd: folder.path,
  env: { PLINTH_DATABASE_URL: server.url },
});
/** Commands that fill a database need it named on the command line. */
const run = (...args: string[]): Promise<Ended> => {
  const isNamed = args.includes('--database') || !/^(?:import|generate)$/u.test(args[0] ?? '');
  return plinth([...args, ...(isNamed ? [] : ['--database', server.url])], here());
};
const post = (url: string, body: object): Promise<unknown> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((answer) => answer.json());

describe('migrate', () => {
  const steps = [
    '- create table authors (id, name, email)',
    '- create table books (id, title, authorId)',
    '- create table _plinth_idempotency (scope, request, at, status, ids, location)',
    '- create unique index on authors (email)',
    '- create index on books (authorId)',
    '- create index on _plinth_idempotency (at)',
    '- refer books.authorId to authors.id',
  ];

  test('shows the steps and makes nothing, then does them, then has none', async () => {
    const shown = server.url.replace(/:[^:/@]*@/u, ':…@');
    expect(await plinth(['migrate', '--database', server.url], { cwd: folder.path })).toMatchObject(
      {
        code: 0,
        err: '',
        out: `${steps.join('\n')}\nRun "plinth migrate plinth.yaml --database ${shown} --apply" to do these 7 steps.\n`,
      },
    );
    expect(await other`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
    const { out } = await run('migrate', '--json');
    expect(JSON.parse(out)).toMatchObject({ ok: true, database: name, applied: false });
    expect(await run('migrate', '--apply')).toMatchObject({
      code: 0,
      out: `${steps.join('\n')}\n${name} is now up to date: 7 steps done.\n`,
    });
    expect(await run('migrate')).toMatchObject({ code: 0, out: `${name} is up to date.\n` });
  });

  test('several at once are safe', async () => {
    const all = await Promise.all([1, 2, 3].map(() => run('migrate', '--apply')));
    for (const { code, err } of all) expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(all.filter(({ out }) => out.includes('7 steps done'))).toHaveLength(1);
  });

  test('a table that differs is left as it is, and no command serves it', async () => {
    await other`CREATE TABLE authors (id int PRIMARY KEY, name text, nick text NOT NULL)`;
    const ended = await run('migrate', '--apply');
    expect(ended.code).toBe(1);
    expect(ended.out.split('\n').slice(0, 6)).toEqual([
      '- change authors.id from integer to bigint',
      '- change authors.id to be given by the database',
      '- change authors.name to collation "C"',
      '- change authors.name to refuse null',
      '- add column authors.email',
      '- write rows without authors.nick, which may not be null and is not in the file (not possible: name it as a field, let it be null, give it a default in the database, or let no request make records: access: { create: none })',
    ]);
    expect(ended.err).toContain('Nothing was changed. Resolve the steps');
    const start = await run('start', '--port', '0');
    expect(start.err).toContain(
      `The database ${name} is behind the specification. Resolve the steps`,
    );
    const dev = await servePlinth(['dev'], here());
    expect(dev.err()).toContain(
      `Warning: the database ${name} is behind the specification, and dev changes only its own. Resolve the steps`,
    );
    await dev.stop('SIGTERM');
    expect(await other`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(1);
  });

  test('waits as long as it takes, whatever the deadline of reads', async () => {
    const hasty = { cwd: folder.path, env: { DATABASE: server.url } };
    await plinth(['migrate', 'hasty.yaml', '--apply'], hasty);
    await other`DROP INDEX authors_email_unique`;
    let migrating: Promise<Ended> | undefined;
    await other.begin(async (sql) => {
      await sql`LOCK authors`;
      migrating = plinth(['migrate', 'hasty.yaml', '--apply'], hasty);
      // Past the deadline, and past what a connection that does not answer is given beyond it.
      await sql`SELECT pg_sleep(8)`;
    });
    expect(await migrating).toMatchObject({ code: 0, err: '' });
  });

  test('rows that break a constraint are named', async () => {
    await run('migrate', '--apply');
    await other`DROP INDEX authors_email_unique`;
    await other`INSERT INTO authors (name, email) VALUES ('A', 'a@b.de'), ('B', 'a@b.de')`;
    expect(await run('migrate', '--apply')).toMatchObject({
      code: 1,
      out: '- create unique index on authors (email) (not possible: 1 value would be there more than once; change all but one of each first)\n',
      err: 'Nothing was changed. Resolve the steps that are not possible, or name another database with --database.\n',
    });
  });
});

describe.each(['start', 'import'])('plinth %s', (call) => {
  test('refuses a database that is behind', async () => {
    const ended = await run(call, ...(call === 'import' ? ['data'] : ['--port', '0']));
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('- create table authors (id, name, email)\n');
    expect(ended.err).toContain(
      `The database ${name} is behind the specification. Run "plinth migrate plinth.yaml `,
    );
  });
});

describe('after many records have come, PostgreSQL plans with what it has', () => {
  const known = async (): Promise<readonly unknown[]> => {
    // Absent where a table was never looked at.
    const tables = await other`SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = 'public'
      ORDER BY 1`;
    return tables.map(({ tablename }) => tablename as unknown);
  };

  test('that import has brought', async () => {
    await run('migrate', '--apply');
    expect(await known()).toEqual([]);
    expect(await run('import', 'data')).toMatchObject({ code: 0, err: '' });
    expect(await known()).toEqual(['authors', 'books']);
  });

  test('that generate has made', async () => {
    await run('migrate', '--apply');
    await run('generate', '--count', '2', '--resource', 'authors');
    expect(await known()).toEqual(['authors']);
  });

  test('that promote has copied', async () => {
    const file = ['--database', 'sqlite:library.db'];
    await run('migrate', '--apply', ...file);
    await run('import', 'data', ...file);
    await run('promote', '--from', 'sqlite:library.db', '--to', server.url);
    expect(await known()).toEqual(['authors', 'books']);
  });
});

describe('import', () => {
  test('gives records their ids where the table would give its own', async () => {
    await run('migrate', '--apply');
    await other`ALTER TABLE authors ALTER id SET GENERATED ALWAYS`;
    expect(await run('import', 'data')).toMatchObject({ code: 0, err: '' });
    const given = await other`SELECT id::int AS id FROM authors ORDER BY id`;
    expect(given.map(({ id }) => Number(id))).toEqual([5, 7, 8]);
  });

  test('then a POST gets an id that is free', async () => {
    await run('migrate', '--apply');
    expect(await run('import', 'data')).toMatchObject({
      code: 0,
      err: '',
      out: `  authors  3\n  books    1\n4 records were imported into ${name}.\n`,
    });
    const serving = await servePlinth(['start'], here());
    expect(await (await fetch(`${serving.url}/v1/authors?fields=name`)).json()).toEqual([
      { id: 5, name: 'Jorge' },
      { id: 7, name: 'Ursula' },
      { id: 8, name: 'Italo' },
    ]);
    expect(await post(`${serving.url}/v1/authors`, { name: 'Clarice' })).toMatchObject({ id: 9 });
    expect(await post(`${serving.url}/v1/books`, { title: 'B', authorId: 9 })).toMatchObject({
      id: 4,
    });
    expect(await serving.stop('SIGTERM')).toMatchObject({ code: 0, err: expect.any(String) });
  });

  test('a run that brings no higher id leaves the next one as it is', async () => {
    await run('migrate', '--apply');
    await other`INSERT INTO authors (name) SELECT 'A' FROM generate_series(1, 20)`;
    await other`DELETE FROM authors`;
    await run('import', 'data/authors.ndjson');
    const [row] = await other`INSERT INTO authors (name) VALUES ('B') RETURNING id::int`;
    // Of the run, the one without an id has had 21: none is given out twice.
    expect(row).toEqual({ id: 22 });
  });

  test('keys in a circle and to their own table, values of every kind, and the same run again', async () => {
    await run('migrate', 'company.yaml', '--apply');
    folder.write(
      'company.json',
      JSON.stringify({
        people: [
          {
            id: 1,
            name: 'A',
            hired: '2026-03-01T14:05:00+02:00',
            pay: '1.5',
            bossId: 2,
            teamId: 1,
          },
          { id: 2, name: 'B', more: { b: [1, { z: 1, a: 1.5 }], aa: null }, bossId: 2 },
          {
            id: 4,
            name: 'D',
            day: '2026-03-01',
            clock: '14:05:00',
            mark: '018F0000-0000-7000-8000-000000000001',
            flag: false,
            weight: 1e21,
            sums: ['1', 2.5],
            kind: 'b',
            place: { zip: '1', at: '2026-03-01T14:05:00+02:00', a: 1, more: [] },
          },
          { id: 3, name: 'é漢😀', pay: 2, bossId: 1 },
        ],
        teams: [{ id: 1, leadId: 3, badge: '', subjectType: 'people', subjectId: 2 }],
      }),
    );
    expect(await run('import', 'company.json', '--spec', 'company.yaml')).toMatchObject({
      code: 0,
      out: `  people  4\n  teams   1\n5 records were imported into ${name}.\n`,
    });
    expect([
      ...(await other`SELECT id::int, "bossId"::int, "teamId"::int FROM people ORDER BY id`),
    ]).toEqual([
      { id: 1, bossId: 2, teamId: 1 },
      { id: 2, bossId: 2, teamId: null },
      { id: 3, bossId: 1, teamId: null },
      { id: 4, bossId: null, teamId: null },
    ]);
    expect(await run('import', 'company.json', '--spec', 'company.yaml')).toMatchObject({
      code: 0,
      out: `  people  0\n  teams   0\n0 records were imported into ${name}; 5 already existed and are equal.\n`,
    });
  });

  test('what is wrong is named as on SQLite, and nothing is kept', async () => {
    const first = ndjson({ id: 1, name: 'A', email: 'a@b.de' }, { id: 2, name: 'B' });
    folder.write('first/people.ndjson', first);
    folder.write(
      'bad/people.ndjson',
      first +
        ndjson(
          { id: 3, name: 'C', email: 'a@b.de' },
          { id: 2, name: 'another' },
          { id: 4, name: 'D', bossId: 9 },
          { id: 5, nam: 'E' },
          { id: 6, name: 'F', teamId: 8 },
          { id: 7, name: 'G' },
          { id: 7, name: 'G' },
          { name: 'H', bossId: 5 },
        ),
    );
    folder.write(
      'bad/teams.ndjson',
      ndjson({ badge: 'x', leadId: 12 }, { badge: 'x' }, { subjectType: 'people', subjectId: 99 }),
    );
    const outcomes: string[] = [];
    for (const url of [server.url, 'sqlite:company.db']) {
      const there = { cwd: folder.path, env: { PLINTH_DATABASE_URL: url } };
      const named = ['import', '--spec', 'company.yaml', '--database', url];
      await plinth(['migrate', 'company.yaml', '--apply'], there);
      await plinth([...named, 'first'], there);
      const { code, err } = await plinth([...named, 'bad'], there);
      expect(code).toBe(1);
      outcomes.push(err);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toContain('bad/people.ndjson:3 email is taken: it must be unique\n');
    expect(outcomes[0]).toContain(
      'bad/people.ndjson:4 id is taken: the record that has it differs in name\n',
    );
    expect(await other`SELECT FROM people`).toHaveLength(2);
  });

  test('a value that is too long for its index is named', async () => {
    await run('migrate', 'company.yaml', '--apply');
    folder.write(
      'long/teams.ndjson',
      ndjson({ id: 1, badge: 'x' }, { id: 2, badge: randomBytes(4_000).toString('base64') }),
    );
    expect(await run('import', 'long', '--spec', 'company.yaml')).toMatchObject({
      code: 1,
      err:
        'long/teams.ndjson:2 badge is too long: this database takes about 2600 bytes in a field that is indexed\n' +
        'Nothing was imported. Fix these records and run it again.\n',
    });
  });

  test('with a single connection', async () => {
    const single = { cwd: folder.path, env: { DATABASE: server.url } };
    await plinth(['migrate', 'one.yaml', '--apply'], single);
    expect(
      await plinth(['import', 'data', '--spec', 'one.yaml', '--database', server.url], single),
    ).toMatchObject({
      code: 0,
    });
    expect(
      await plinth(['import', 'data', '--spec', 'one.yaml', '--database', server.url], single),
    ).toMatchObject({
      code: 0,
      out: expect.stringContaining('; 3 already existed and are equal.') as unknown,
    });
  });

  test('a signal takes the run back', async () => {
    await run('migrate', '--apply');
    const many = Array.from({ length: 200_000 }, (_, index) => `{"id":${index + 1},"name":"A"}\n`);
    folder.write('many/authors.ndjson', many.join(''));
    const running = launchPlinth(['import', 'many', '--database', server.url], here());
    await until(async () => {
      const [row] = await other`SELECT count(*)::int AS writing FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'plinth' AND backend_xid IS NOT NULL`;
      return Number(row?.['writing']) > 0;
    });
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 1,
      err: 'Stopped: nothing was imported. Run it again to import everything.\n',
    });
    expect(await other`SELECT FROM authors`).toHaveLength(0);
  });
});

describe('dev', () => {
  test('serves a database that was made, and neither loads nor generates', async () => {
    await run('migrate', 'data.yaml', '--apply');
    const empty = await servePlinth(['dev', 'data.yaml'], here());
    expect(empty.out()).toContain('  authors  0\n  books    0\n');
    expect(empty.err()).toBe(
      `The database ${name} has no records, and dev changes only its own. Run "plinth generate data.yaml --database $PLINTH_DATABASE_URL" to generate some.\n`,
    );
    await empty.stop('SIGTERM');
    await run('import', 'data', '--spec', 'data.yaml');
    const first = await servePlinth(['dev', 'data.yaml'], here());
    expect(first.out()).toContain('  authors  3\n  books    1\n');
    expect(await post(`${first.url}/v1/authors`, { name: 'Clarice' })).toMatchObject({ id: 9 });
    await first.stop('SIGINT');
    const second = await servePlinth(['dev', 'data.yaml'], here());
    expect(second.out()).toContain('  authors  4\n');
    expect(second.out()).not.toContain('plinth:');
    expect(await second.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
  });
});

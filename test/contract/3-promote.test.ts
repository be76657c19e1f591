import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { runIn, type Told } from './3-commands.ts';

const folder = makeFolder({
  'plinth.yaml': 'resources: { notes: { fields: { text: { type: string } } } }',
});
const run = (...args: string[]): Promise<Told> => runIn(folder, {}, ...args);

/** Works with a PostgreSQL database of its own. */
async function withTarget(
  work: (url: string, ask: (sql: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { url, drop } = await createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await work(url, async (text) => (await sql.unsafe(text).values())[0]?.[0]);
  } finally {
    await sql.end();
    await drop();
  }
}
const promote = (url: string, ...flags: string[]): Promise<Told> =>
  run('promote', '--from', 'sqlite:a.db', '--to', url, ...flags);

beforeAll(async () => {
  expect(await run('migrate', '--apply', '--database', 'sqlite:a.db')).toMatchObject({ code: 0 });
  const driver = new Driver(folder.at('a.db'));
  driver.exec(
    "INSERT INTO notes (text) VALUES ('a'), ('b'), ('gone'); DELETE FROM notes WHERE text = 'gone'",
  );
  driver.close();
});

test('a run again says what was there, and lowers no sequence', () =>
  withTarget(async (url, ask) => {
    const next = (): Promise<unknown> =>
      ask("SELECT nextval(pg_get_serial_sequence('notes', 'id'))::int");
    const name = /[^/]*$/u.exec(url)?.[0];
    const first = await promote(url);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(
      new RegExp(`^2 records are equal in a\\.db and ${name} on \\S+:\\d+\\.$`, 'mu'),
    );
    // What the source has given out once, it never gives out again; nor does the target.
    for (const id of [4, 5, 6]) expect(await next()).toBe(id);
    // Either name of the scheme is good.
    const again = await promote(url.replace('postgres:', 'postgresql:'));
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toMatch(/^2 records are equal in .+:\d+ \(2 were there already\)\.$/mu);
    expect(await next()).toBe(7);
    await ask('DELETE FROM notes WHERE id = 1');
    expect((await promote(url)).out).toMatch(/ \(1 were there already\)\.$/mu);
    expect(await ask('SELECT count(*)::int FROM notes')).toBe(2);
  }));

test('a key that is null in the target is set, and one that leads elsewhere is left alone', () =>
  withTarget(async (url, ask) => {
    folder.write(
      'tree/plinth.yaml',
      'resources: { nodes: { fields: { parentId: { type: integer, reference: nodes.id } } } }',
    );
    const call = (...args: string[]): Promise<Told> => run(...args, '--spec', 'tree/plinth.yaml');
    await call('migrate', '--apply', '--database', 'sqlite:tree.db');
    const driver = new Driver(folder.at('tree.db'));
    driver.exec('INSERT INTO nodes (id, parentId) VALUES (1, 2), (2, NULL), (3, 1)');
    driver.close();
    const copy = ['promote', '--from', 'sqlite:tree.db', '--to', url];
    expect(await call(...copy)).toMatchObject({ code: 0 });
    const parent = (): Promise<unknown> => ask('SELECT "parentId"::int FROM nodes WHERE id = 1');
    await ask('UPDATE nodes SET "parentId" = NULL WHERE id = 1');
    expect(await call(...copy)).toMatchObject({ code: 0 });
    expect(await parent()).toBe(2);
    await ask('UPDATE nodes SET "parentId" = 3 WHERE id = 1');
    const { code, err } = await call(...copy);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('the record 1 of nodes differs from that of tree.db.') as string,
    ]);
    expect(await parent()).toBe(3);
  }));

test('what came out otherwise is told with rows and checksums of both sides, as JSON too', () =>
  withTarget(async (url, ask) => {
    await run('migrate', '--apply', '--database', url);
    await ask(`CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.text := upper(NEW.text); RETURN NEW; END $$;
      CREATE TRIGGER meddle BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION meddle()`);
    const { code, out, err } = await promote(url, '--json');
    expect(code).toBe(1);
    expect(err).toMatch(/^notes is not equal in a\.db and /u);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      error: err,
      tables: [
        {
          resource: 'notes',
          table: 'notes',
          copied: 2,
          from: { rows: 2, checksum: expect.stringMatching(/^[0-9a-f]{64}$/u) as string },
          to: { rows: 2, checksum: expect.stringMatching(/^[0-9a-f]{64}$/u) as string },
        },
      ],
    });
  }));

test('what hinders a run is told before a row is copied', () =>
  withTarget(async (url, ask) => {
    const tables = (): Promise<unknown> =>
      ask("SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public'");
    // A source that is behind: nothing is made in the target.
    new Driver(folder.at('behind.db')).exec('CREATE TABLE other (id)').close();
    const behind = await run('promote', '--from', 'sqlite:behind.db', '--to', url);
    expect([behind.code, behind.out]).toEqual([1, '']);
    expect(behind.err).toMatch(
      /^- create table notes .+The database behind\.db is behind the specification\. Run "plinth migrate .+" first\.$/su,
    );
    expect(await tables()).toBe(0);
    // A target that cannot be made to fit.
    await ask('CREATE TABLE notes (id bigint PRIMARY KEY, text text, more text NOT NULL)');
    const unfit = await promote(url);
    expect([unfit.code, unfit.out]).toEqual([1, '']);
    expect(unfit.err).toMatch(
      /^- write rows without notes\.more, .+The database \S+ on \S+ does not fit the specification\. Do what is said/msu,
    );
    expect(await tables()).toBe(1);
    await ask('DROP TABLE notes');
    // A signal.
    const stop = AbortSignal.abort();
    const args = ['promote', '--from', 'sqlite:a.db', '--to', url];
    expect(await runIn(folder, { stop }, ...args)).toEqual({
      code: 1,
      out: '',
      err: 'Stopped. Run it again: what is copied already is not copied twice.',
    });
    expect(await promote(url)).toMatchObject({ code: 0 });
  }));

import { createServer, type AddressInfo, type Socket } from 'node:net';
import type driver from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConstraintError, DatabaseFailure } from '../../src/databases/database.ts';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import { endSessions, type TestDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { insert, makeThings, names, none, statement, type Things } from '../support/things.ts';

let things: Things;
let server: TestDatabase;
let database: PostgresDatabase;
let patient: PostgresDatabase;
let other: driver.Sql;

beforeAll(async () => {
  things = await makeThings();
  ({ server, database, other } = things);
  // The server looks for deadlocks once a second, and others may be slow.
  patient = await openPostgres(server.url, { poolSize: 3, statementTimeout: 60_000 });
});

beforeEach(() => things.empty());

afterAll(async () => {
  await patient?.close();
  await things?.end();
});

const stored = async (): Promise<unknown[]> => (await database.all(names, none)).flat();

const failing = (work: Promise<unknown>): Promise<{ kind: unknown; error: unknown }> =>
  work.then(
    () => ({ kind: 'none', error: undefined }),
    (error: unknown) => ({ kind: (error as { kind?: unknown }).kind, error }),
  );

test('a session that nobody waits for any more when it begins does not stay', async () => {
  const through = await openPostgres(server.url, { poolSize: 20 });
  const streams = Array.from({ length: 20 }, () => {
    const gone = new AbortController();
    const stream = through.stream(names, none, gone.signal, () => true);
    // It has begun to connect, and has not asked for anything yet.
    setImmediate(() => gone.abort());
    return failing(stream);
  });
  await Promise.all(streams);
  await through.close();
  const sessions = (): Promise<object> =>
    other`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = ''`;
  await expect.poll(sessions, { timeout: 5_000 }).toHaveLength(0);
});

describe('writes', () => {
  test('land whole, and give the id', async () => {
    const ids = await database.write(async ({ run }) => [
      await run(insert, { bound: ['a'] }),
      await run(insert, { bound: ['b'] }),
    ]);
    expect(ids).toEqual([
      { rows: 1, insertedId: 1, returned: [[1]] },
      { rows: 1, insertedId: 2, returned: [[2]] },
    ]);
    expect(await stored()).toEqual(['a', 'b']);
  });

  test('of one statement share connections, and a refused one takes no other with it', async () => {
    const all = Array.from(
      { length: 60 },
      (_, index) => `name ${index - (index % 3 === 2 ? 1 : 0)}`,
    );
    await database.writeOne(insert, { bound: ['first'] });
    const outcomes = await Promise.all(
      all.map((name) => failing(database.writeOne(insert, { bound: [name] }))),
    );
    const refused = outcomes.filter(({ error }) => error instanceof ConstraintError);
    expect(refused).toHaveLength(20);
    expect(outcomes.filter(({ kind }) => kind === 'none')).toHaveLength(40);
    expect(new Set(await stored())).toEqual(new Set(['first', ...all]));
  });

  test('are taken back whole when the work fails', async () => {
    const refused = database.write(async ({ run }) => {
      await run(insert, { bound: ['a'] });
      throw new TypeError('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await stored()).toEqual([]);
  });

  test('can look around after a constraint has refused a change, and see what they did before', async () => {
    let runs = 0;
    const seen = await database.write(async ({ all, run }) => {
      runs += 1;
      await run(insert, { bound: ['a'] });
      const { error, kind } = await failing(run(insert, { bound: ['a'] }));
      // The first run has no savepoint to go back to: it is ended and run again.
      if (!(error instanceof ConstraintError)) throw error;
      return { kind, rows: await all(names, none) };
    });
    expect(seen).toEqual({ kind: 'unique', rows: [['a']] });
    expect(runs).toBe(2);
    expect(await stored()).toEqual(['a']);
  });

  test('are not committed when the work overlooks an error', async () => {
    const { error } = await failing(
      database.write(async ({ all, run }) => {
        await run(insert, { bound: ['a'] });
        await failing(all(statement('SELECT 1 / 0'), none));
      }),
    );
    expect(error).toMatchObject({ cause: { code: '22012' } });
    expect(await stored()).toEqual([]);
  });

  test('run again when they meet in a deadlock', async () => {
    await other`INSERT INTO things (name) VALUES ('a'), ('b')`;
    const rename = statement(`UPDATE things SET name = name || '+' WHERE id = $1`);
    let waiting = 0;
    let go = (): void => undefined;
    const met = new Promise<void>((resolve) => {
      go = resolve;
    });
    const renameBoth = (first: number, second: number): Promise<void> =>
      patient.write(async ({ run }) => {
        await run(rename, { bound: [first] });
        waiting += 1;
        if (waiting === 2) go();
        await met;
        await run(rename, { bound: [second] });
      });
    await Promise.all([renameBoth(1, 2), renameBoth(2, 1)]);
    expect(waiting).toBeGreaterThan(2);
    expect(new Set(await stored())).toEqual(new Set(['a++', 'b++']));
  });

  test('give up as busy when they meet in a way that does not pass', async () => {
    let runs = 0;
    const result = await failing(
      database.write(async ({ all }) => {
        runs += 1;
        await all(statement(`DO $$ BEGIN RAISE EXCEPTION SQLSTATE '40001'; END $$`), none);
      }),
    );
    expect(result).toMatchObject({ kind: 'busy', error: expect.any(DatabaseFailure) });
    expect(runs).toBe(4);
  });
});

describe('a write of one statement', () => {
  const add = (name: string, to = database): Promise<unknown> =>
    to.writeOne(insert, { bound: [name] });

  test('gives the rows that it returns', async () => {
    expect(await add('a')).toEqual([[1]]);
    expect(await stored()).toEqual(['a']);
  });

  test('that a constraint refuses says so, and leaves the connection as it was', async () => {
    await add('a');
    expect(await failing(add('a'))).toMatchObject({
      kind: 'unique',
      error: expect.any(ConstraintError),
    });
    expect(await add('b')).toEqual([[3]]);
    expect(await stored()).toEqual(['a', 'b']);
  });

  test('is tried four times where it meets others in a way that may pass', async () => {
    await other.unsafe(`CREATE SEQUENCE tries; CREATE FUNCTION collide() RETURNS trigger AS $$
      BEGIN
        IF nextval('tries') % 4 <> 0 OR NEW.name = 'never' THEN RAISE SQLSTATE '40001'; END IF;
        RETURN NEW;
      END $$ LANGUAGE plpgsql;
      CREATE TRIGGER collide BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION collide()`);
    expect(await add('a')).toEqual([[4]]);
    expect(await failing(add('never'))).toMatchObject({ kind: 'busy' });
    expect(await stored()).toEqual(['a']);
    expect((await other`SELECT last_value::int AS last FROM tries`)[0]?.['last']).toBe(8);
    await other.unsafe(
      'DROP TRIGGER collide ON things; DROP FUNCTION collide; DROP SEQUENCE tries',
    );
  });

  test('is ended by the deadline, and has changed nothing', async () => {
    const slow = statement(
      `INSERT INTO things (name) SELECT 'slow' FROM pg_sleep(30) RETURNING id`,
    );
    expect(await failing(database.writeOne(slow, none))).toMatchObject({ kind: 'timeout' });
    expect(await stored()).toEqual([]);
  });

  test('on sessions that have gone while idle is made on new ones', async () => {
    await endSessions(other);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await add('a');
    expect(await stored()).toEqual(['a']);
  });

  test('whose connection is cut has an outcome that nobody knows, and is not made again', async () => {
    const proxy = await startProxy(server.url);
    const through = await openPostgres(proxy.url, { poolSize: 1 });
    await add('a', through);
    proxy.cutOn('cut here');
    expect(await failing(add('cut here', through))).toMatchObject({ kind: 'outcomeUnknown' });
    expect(await stored()).toEqual(['a']);
    await through.close();
    await proxy.stop();
  });

  test('that cannot connect is unavailable', async () => {
    const proxy = await startProxy(server.url);
    const through = await openPostgres(proxy.url, { poolSize: 1 });
    await proxy.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await failing(add('a', through))).toMatchObject({ kind: 'unavailable' });
    await through.close();
  });
});

describe('the deadline', () => {
  test('ends a statement', async () => {
    const slow = statement('SELECT pg_sleep(30)');
    expect(await failing(database.all(slow, none))).toMatchObject({ kind: 'timeout' });
    expect(await failing(database.write(({ all }) => all(slow, none)))).toMatchObject({
      kind: 'timeout',
    });
    expect(await database.ping()).toBe(true);
  });

  test('slow statements hold up no others', async () => {
    const slow = statement('SELECT pg_sleep(30)');
    const two = [failing(database.all(slow, none)), failing(database.all(slow, none))];
    expect(await database.ping()).toBe(true);
    expect((await Promise.all(two)).map(({ kind }) => kind)).toEqual(['timeout', 'timeout']);
  });

  test('writes that wait for a lock hold up no reads, however many come', async () => {
    await other`INSERT INTO things (name) VALUES ('a')`;
    const rename = statement(`UPDATE things SET name = $1 WHERE id = 1 RETURNING name`);
    // What was brief before may share a connection.
    await patient.writeOne(rename, { bound: ['b'] });
    await patient.all(names, none);
    const renamed: Promise<readonly (readonly unknown[])[]>[] = [];
    await other.begin(async (sql) => {
      await sql`SELECT 1 FROM things WHERE id = 1 FOR UPDATE`;
      for (const name of ['c', 'd']) renamed.push(patient.writeOne(rename, { bound: [name] }));
      const reads = Array.from({ length: 30 }, () => patient.all(names, none));
      expect(new Set((await Promise.all(reads)).flat(2))).toEqual(new Set(['b']));
    });
    expect((await Promise.all(renamed)).flat(2)).toEqual(['c', 'd']);
  });

  test('holds for those who wait for a connection', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = [1, 2, 3].map(() => database.write(() => released));
    expect(await failing(database.all(names, none))).toMatchObject({ kind: 'crowded' });
    const next = database.all(names, none);
    release();
    expect(await next).toEqual([]);
    await Promise.all(held);
  });
});

describe('lost connections', () => {
  test('that were idle are made again without a word', async () => {
    await database.ping();
    await endSessions(other);
    expect(await stored()).toEqual([]);
    await endSessions(other);
    await database.write(({ run }) => run(insert, { bound: ['a'] }));
    expect(await stored()).toEqual(['a']);
  });

  test('that give no sign, as where a server is gone with its machine: one is waited for, and none that was idle', async () => {
    const proxy = await startProxy(server.url);
    const through = await openPostgres(proxy.url, { poolSize: 4, statementTimeout: 2_000 });
    await Promise.all([1, 2, 3, 4].map(() => through.all(statement('SELECT pg_sleep(0.2)'), none)));
    expect(through.connections().idle).toBe(4);
    proxy.silence();
    expect(await failing(through.all(names, none))).toMatchObject({ kind: 'unavailable' });
    expect(await through.all(names, none)).toEqual([]);
    await through.close();
    await proxy.stop();
  });

  test('under a read: it is asked again', async () => {
    const read = database.all(statement(`SELECT 'there', pg_sleep(0.3)`), none);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await endSessions(other);
    expect((await read)[0]?.[0]).toBe('there');
  });

  test('under a write: it is run again, and nothing lands outside of a transaction', async () => {
    let runs = 0;
    await database.write(async ({ run }) => {
      runs += 1;
      await run(insert, { bound: [`first of ${runs}`] });
      if (runs === 1) {
        await endSessions(other);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await run(insert, { bound: [`second of ${runs}`] });
    });
    expect(runs).toBe(2);
    expect(await stored()).toEqual(['first of 2', 'second of 2']);
  });

  test('while committing: the outcome is unknown, and the write is not run again', async () => {
    const proxy = await startProxy(server.url);
    const through = await openPostgres(proxy.url, { poolSize: 1 });
    let runs = 0;
    const result = await failing(
      through.write(async ({ run }) => {
        runs += 1;
        await run(insert, { bound: ['a'] });
        proxy.cutOn('COMMIT');
      }),
    );
    expect(result).toMatchObject({ kind: 'outcomeUnknown' });
    expect(runs).toBe(1);
    await through.close();
    await proxy.stop();
  });
});

describe('opening', () => {
  const at = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };

  test.each([
    ['port', (url: URL) => (url.port = '1'), 'cannot be reached: nothing listens there.'],
    ['host', (url: URL) => (url.hostname = 'no.invalid'), 'cannot be reached: there is no such'],
    ['password', (url: URL) => (url.password = 'wrong'), 'refuses the user name or the password.'],
    ['name', (url: URL) => (url.pathname = '/none'), 'does not exist on that server.'],
  ])('a wrong %s is said in one sentence', async (_, change, reason) => {
    const { error } = await failing(openPostgres(at(change)));
    expect(error).toBeInstanceOf(DatabaseFailure);
    expect((error as Error).message).toContain(reason);
    expect((error as Error).message).not.toContain('wrong');
  });

  test.each([
    ['closes at once', (socket: Socket) => socket.destroy(), 'has closed the connection.'],
    ['says nothing', () => undefined, 'does not answer'],
  ])('what listens there %s', async (_, answer, reason) => {
    const listener = createServer(answer);
    await new Promise<void>((resolve) => {
      listener.listen(0, '127.0.0.1', resolve);
    });
    const { port } = listener.address() as AddressInfo;
    const { error } = await failing(openPostgres(at((url) => (url.port = String(port)))));
    expect((error as Error).message).toContain(reason);
    // What the log has of it.
    expect(String((error as Error).cause)).toContain(`127.0.0.1:${port}`);
    listener.close();
  });

  test('a database that is no UTF-8 is refused', async () => {
    await other`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`;
    const { error } = await failing(openPostgres(at((url) => (url.pathname = '/latin'))));
    expect((error as Error).message).toContain('has the encoding LATIN1; UTF8 is needed');
    await other`DROP DATABASE latin WITH (FORCE)`;
  });

  test('with a pooler, no statement has a name and the deadline holds', async () => {
    const pooled = await openPostgres(server.url, {
      poolSize: 1,
      statementTimeout: 1_000,
      pooler: 'transaction',
    });
    for (let index = 0; index < 5; index += 1) await pooled.all(names, none);
    expect(await pooled.all(statement('SELECT name FROM pg_prepared_statements'), none)).toEqual(
      [],
    );
    expect(await failing(pooled.all(statement('SELECT pg_sleep(30)'), none))).toMatchObject({
      kind: 'timeout',
    });
    expect(await pooled.ping()).toBe(true);
    await pooled.close();
  });

  test('many shapes: few of them keep a name', async () => {
    const one = await openPostgres(server.url, { poolSize: 1 });
    for (let shape = 0; shape < 250; shape += 1) {
      const query = statement(`SELECT ${shape}`);
      for (let use = 0; use < 4; use += 1) await one.all(query, none);
    }
    const count = await one.count(statement('SELECT count(*) FROM pg_prepared_statements'), none);
    expect(count).toBe(200);
    await one.close();
  });
});

import driver from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { migrate, planMigration } from '../../src/migrations/postgres/schema.ts';
import type { MigrationStep } from '../../src/sql/schema/schema.ts';
import { buildValid } from '../support/api.ts';
import { barePostgres } from '../support/bare-postgres.ts';
import { launchPlinth, makeFolder, plinth, until } from '../support/command.ts';
import { linesOf } from '../support/migrations.ts';

// Indexes and foreign keys of tables with rows are finished after the transaction of a migration, while other sessions go
// on writing. See docs/contract/6-operation.md#migrate, rules 11 and 17.
const { url, database, other, empty } = await barePostgres();
const writer = driver(url, { max: 1, onnotice: () => undefined });
beforeEach(empty);
afterEach(async () => {
  await other`ROLLBACK`;
});

const fileOf = (name: string, code = '{ type: string }'): string => `resources:
  owners: { fields: { name: { type: string } } }
  things: { fields: { name: ${name}, code: ${code}, ownerId: { type: integer } } }
`;
const before = buildValid(fileOf('{ type: string }'));
const indexed = buildValid(fileOf('{ type: string, index: true }'));
const unique = buildValid(fileOf('{ type: string, unique: true }'));
const keyed = buildValid(
  fileOf('{ type: string }').replace(
    'ownerId: { type: integer }',
    'ownerId: { type: integer, reference: owners.id }',
  ),
);

async function withRows(...names: readonly string[]): Promise<void> {
  await migrate(database, before);
  await other`INSERT INTO things ${other(names.map((name) => ({ name })))}`;
}

/** Holds what each index has to wait for: a row of the table that another session has not committed. */
async function holdRow(): Promise<void> {
  await other.unsafe(`BEGIN; INSERT INTO things (name) VALUES ('held')`).simple();
}

/** Waits until a statement waits for a lock. */
async function untilWaiting(statement: string): Promise<void> {
  await until(async () => {
    const [row] = await writer`SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE ${`${statement}%`} AND datname = current_database()`;
    return row !== undefined;
  });
}

const stepsOf = async (plan: Promise<readonly MigrationStep[]>): Promise<readonly string[]> =>
  linesOf(await plan);

test('an index is made while others write', async () => {
  await withRows('a', 'b');
  await holdRow();
  const migrating = migrate(database, indexed);
  await untilWaiting('CREATE INDEX CONCURRENTLY');
  await writer`SET lock_timeout = 2000`;
  await writer`INSERT INTO things (name) VALUES ('c')`;
  await other`COMMIT`;
  expect(await stepsOf(migrating)).toEqual(['create index on things (name)']);
  expect(await planMigration(database, indexed)).toEqual([]);
});

test('values that repeat meanwhile are named, and no part of the index stays', async () => {
  await withRows('a', 'b');
  await holdRow();
  const migrating = migrate(database, unique);
  migrating.catch(() => undefined);
  await untilWaiting('CREATE UNIQUE INDEX CONCURRENTLY');
  await writer`INSERT INTO things (name) VALUES ('a')`;
  await other`COMMIT`;
  await expect(migrating).rejects.toThrow(
    'The migration is done but for 1 step. create unique index on things (name): could not create unique index' +
      ' "things_name_unique" (Key (name)=(a) is duplicated). Resolve that, and run it again.',
  );
  expect([
    ...(await writer`SELECT 1 FROM pg_indexes WHERE indexname = 'things_name_unique'`),
  ]).toEqual([]);
  expect(await stepsOf(planMigration(database, unique))).toEqual([
    'create unique index on things (name) ! 1 value would be there more than once; change all but one of each first',
  ]);
});

test('an index whose session is lost is made again', async () => {
  await withRows('a', 'b');
  await holdRow();
  const migrating = migrate(database, indexed);
  await untilWaiting('CREATE INDEX CONCURRENTLY');
  await writer`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
    WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND datname = current_database()`;
  await untilWaiting('DROP INDEX CONCURRENTLY');
  await other`COMMIT`;
  expect(await stepsOf(migrating)).toEqual(['create index on things (name)']);
  expect(await planMigration(database, indexed)).toEqual([]);
});

test('an index that an interruption has left unfinished is found, dropped and made', async () => {
  await withRows('a', 'a');
  await expect(
    writer`CREATE UNIQUE INDEX CONCURRENTLY things_name_unique ON things (name NULLS FIRST)`,
  ).rejects.toThrow('could not create');
  await writer`UPDATE things SET name = 'b' WHERE id = 2`;
  const steps = [
    'drop index things_name_unique, which an interrupted migration has left unfinished',
    'create unique index on things (name)',
  ];
  expect(await stepsOf(planMigration(database, unique))).toEqual(steps);
  expect(await stepsOf(migrate(database, unique))).toEqual(steps);
  expect(await planMigration(database, unique)).toEqual([]);
});

test('a process that is killed amid an index leaves what the next one finishes', async () => {
  await withRows('a', 'b');
  const folder = makeFolder({
    'plinth.yaml': fileOf('{ type: string, index: true }', '{ type: string, index: true }'),
  });
  await holdRow();
  const args = ['migrate', '--apply', '--database', url];
  const running = launchPlinth(args, { cwd: folder.path });
  await untilWaiting('CREATE INDEX CONCURRENTLY');
  running.child.kill('SIGKILL');
  await running.ended;
  await other`COMMIT`;
  const { code, err } = await plinth(args, { cwd: folder.path });
  expect([code, err]).toEqual([0, '']);
  const found =
    await writer`SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
    WHERE indrelid = 'things'::regclass AND NOT indisprimary ORDER BY 1`;
  expect([...found]).toEqual([
    { name: 'things_code_index', valid: true },
    { name: 'things_name_index', valid: true },
  ]);
});

test('a key holds for new rows at once, and for those that are there after the transaction', async () => {
  await withRows('a');
  await other`INSERT INTO owners (name) VALUES ('o')`;
  await other`UPDATE things SET "ownerId" = 1`;
  // The index of the key waits for transactions that may need what was before.
  await other.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT').simple();
  const migrating = migrate(database, keyed);
  await untilWaiting('CREATE INDEX CONCURRENTLY');
  const isValid = async (): Promise<unknown> =>
    (await writer`SELECT convalidated AS valid FROM pg_constraint WHERE contype = 'f'`)[0]?.[
      'valid'
    ];
  expect(await isValid()).toBe(false);
  await expect(writer`INSERT INTO things ("ownerId") VALUES (99)`).rejects.toThrow(
    'violates foreign key constraint',
  );
  await writer`INSERT INTO things ("ownerId") VALUES (1)`;
  await other`COMMIT`;
  expect(await stepsOf(migrating)).toEqual([
    'create index on things (ownerId)',
    'refer things.ownerId to owners.id',
  ]);
  expect(await isValid()).toBe(true);
  expect(await planMigration(database, keyed)).toEqual([]);
});

test('a key that was not validated is, once it can be', async () => {
  await withRows('a');
  await other`UPDATE things SET "ownerId" = 7`;
  await other.unsafe(
    'ALTER TABLE things ADD FOREIGN KEY ("ownerId") REFERENCES owners (id) ON DELETE SET NULL NOT VALID',
  );
  expect(await stepsOf(planMigration(database, keyed))).toEqual([
    'create index on things (ownerId)',
    'refer things.ownerId to owners.id ! 1 row (id 1) would refer to records of owners that are not there; fix or empty them first',
  ]);
  await other`UPDATE things SET "ownerId" = NULL`;
  await migrate(database, keyed);
  const [row] =
    await other`SELECT bool_and(convalidated) AS valid FROM pg_constraint WHERE contype = 'f'`;
  expect(row).toEqual({ valid: true });
});

test('a unique index that a key needs is there before it, in one go', async () => {
  await withRows('a', 'b');
  const text = fileOf('{ type: string, unique: true }').replace(
    'name: { type: string } } }\n',
    'name: { type: string, reference: things.name } } }\n',
  );
  const api = buildValid(text);
  await migrate(database, api);
  expect(await planMigration(database, api)).toEqual([]);
});

test('a table in partitions gets its indexes and keys within the transaction', async () => {
  await other.unsafe(`CREATE TABLE owners (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text COLLATE "C");
    CREATE TABLE things (id bigint PRIMARY KEY, name text COLLATE "C", code text COLLATE "C", "ownerId" bigint) PARTITION BY HASH (id);
    CREATE TABLE part PARTITION OF things FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    INSERT INTO things (id, name) VALUES (1, 'a')`);
  const api = buildValid(
    fileOf('{ type: string, index: true }')
      .replace('ownerId: { type: integer', 'ownerId: { type: integer, reference: owners.id')
      .replace(
        'fields: { name: { type: string, index',
        'fields: { id: { type: id, column: id }, name: { type: string, index',
      ),
  );
  const planned = await planMigration(database, api);
  expect(planned.flatMap(({ obstacle }) => obstacle ?? [])).toEqual([]);
  await migrate(database, api);
  expect(await planMigration(database, api)).toEqual([]);
});

// An event trigger sees the session of a migration from within.
test('a step waits 3 s for a lock, or as long as the role or the URL says', async () => {
  const patient = new URL(url);
  patient.searchParams.set('lock_timeout', '7s');
  const seen: unknown[] = [];
  for (const asked of [url, patient.href]) {
    await empty();
    await withRows('a');
    await other.unsafe(`CREATE TABLE seen (setting text);
      CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO public.seen VALUES (current_setting(''lock_timeout'')); END';
      CREATE EVENT TRIGGER see ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION see()`);
    const own = await openPostgres(asked, { poolSize: 1 });
    await migrate(own, buildValid(fileOf('{ type: string, required: true }')));
    await own.close();
    await other`DROP EVENT TRIGGER see`;
    seen.push(
      (await other`SELECT DISTINCT setting FROM seen`).map(({ setting }) => setting as unknown),
    );
  }
  expect(seen).toEqual([['3s'], ['7s']]);
});

test('a locked table is tried again, and others go on in between', async () => {
  await withRows('a');
  const impatient = new URL(url);
  impatient.searchParams.set('lock_timeout', '200ms');
  const own = await openPostgres(impatient.href, { poolSize: 1 });
  const required = buildValid(fileOf('{ type: string, required: true }'));
  await other.unsafe('BEGIN; SELECT FROM things').simple();
  const migrating = migrate(own, required);
  await untilWaiting('LOCK TABLE "things"');
  await until(async () => {
    const waiting = await writer`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    return waiting.length === 0;
  });
  await untilWaiting('LOCK TABLE "things"');
  await other`COMMIT`;
  expect(await stepsOf(migrating)).toEqual(['change things.name to refuse null']);
  await own.close();
});

test('a table that stays locked is named with who holds it, and nothing has changed', async () => {
  await withRows('a');
  const impatient = new URL(url);
  impatient.searchParams.set('lock_timeout', '10ms');
  const own = await openPostgres(impatient.href, { poolSize: 1 });
  await other.unsafe(`SET application_name = 'reports'; BEGIN; SELECT FROM things`).simple();
  const [{ pid } = {}] = await other`SELECT pg_backend_pid() AS pid`;
  const required = buildValid(fileOf('{ type: string, required: true }'));
  await expect(migrate(own, required)).rejects.toThrow(
    `Nothing was changed: the table things stays locked by the server process ${String(pid)} (reports). End that transaction, or run it again later.`,
  );
  await other`COMMIT`;
  expect(await stepsOf(planMigration(database, required))).toHaveLength(1);
  await own.close();
});

import { beforeEach, expect, test } from 'vitest';
import { isUpToDate, migrate, planMigration } from '../../src/migrations/postgres/schema.ts';
import { readPostgres } from '../../src/introspection/postgres/introspect.ts';
import { postgresForms } from '../../src/databases/postgres/stored-forms.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { stepsBeforeServing } from '../../src/migrations/steps.ts';
import type { Api } from '../../src/model/api.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { barePostgres } from '../support/bare-postgres.ts';
import { caller, withTokens } from '../support/callers.ts';
import { endAfterFile } from '../support/leftovers.ts';
import { inForms } from '../support/existing.ts';

/** See docs/contract/8-existing-databases.md#managed-and-not, rule 7. */
const { url, database, other, empty } = await barePostgres();
await other.unsafe(`DROP ROLE IF EXISTS plinth_reader; DROP ROLE IF EXISTS plinth_keeper;
  CREATE ROLE plinth_reader LOGIN PASSWORD 'r'; CREATE ROLE plinth_keeper LOGIN PASSWORD 'k'`);
beforeEach(async () => {
  await empty();
  await other`DROP SCHEMA IF EXISTS one, two CASCADE`;
});

const specification = (schema: string | undefined, resource: string, more = ''): string => `
name: ${resource}
${withTokens}
access: public
audit: { roles: [auditor] }
database: {${schema === undefined ? '' : ` serviceSchema: ${schema},`} statementTimeout: 9s${more} }
resources:
  ${resource}:
    fields:
      title: { type: string, unique: true, index: true }
`;
const notes = buildValid(specification('one', 'notes'));
const tags = buildValid(specification('two', 'tags'));

/** The own tables and their indexes, with their schemas. */
const own = async (): Promise<readonly string[]> =>
  (
    await other`SELECT relnamespace::regnamespace::text || '.' || relname AS name FROM pg_class
      WHERE relname LIKE '\\_plinth\\_%' AND relkind IN ('r', 'i') ORDER BY 1`
  ).map(({ name }) => String(name));

const served = async (model: Api): Promise<TestApi> =>
  serve(
    model,
    await openPostgres(url, { poolSize: 2 }),
    { now: () => new Date(), uuid: uuidv7 },
    [],
  );

/** What a service does with its own tables. */
const use = async (model: Api, path: string): Promise<unknown> => {
  const api = await served(model);
  const keyed = { 'idempotency-key': 'once' };
  const first = await api.send('POST', path, { title: 'a' }, keyed);
  const again = await api.send('POST', path, { title: 'a' }, keyed);
  const auditor = caller({ sub: 'eve', roles: ['auditor'] });
  const { body } = await api.get('/_audit?fields=resource,recordId', auditor);
  const ready = await api.get('/_ready');
  await api.stop();
  const isSame = first.headers.get('location') === again.headers.get('location');
  return [first.status, again.status, isSame, body, ready.status];
};

const summaries = async (model: Api): Promise<readonly string[]> =>
  (await planMigration(database, model)).map(({ summary }) => summary);

test('the service keeps its own tables there, and the schema is made with them', async () => {
  expect(await summaries(notes)).toEqual([
    'create schema one',
    'create table notes (id, title)',
    expect.stringMatching(/^create table one\._plinth_idempotency \(/u),
    expect.stringMatching(/^create table one\._plinth_audit \(/u),
    'create unique index on notes (title)',
    'create index on one._plinth_idempotency (at)',
    'create index on one._plinth_audit (at)',
    'create index on one._plinth_audit (resource, recordId)',
  ]);
  await migrate(database, notes);
  expect(await isUpToDate(database, notes)).toBe(true);
  const names = await own();
  expect(names.filter((name) => !name.startsWith('one.'))).toEqual([]);
  expect(names).toContain('one._plinth_schema');
  expect(await use(notes, '/notes')).toEqual([
    201,
    201,
    true,
    [expect.objectContaining({ resource: 'notes', recordId: '1' })],
    200,
  ]);
});

test('several services share a database, each with its own', async () => {
  const plain = buildValid(specification(undefined, 'labels'));
  for (const model of [notes, tags, plain]) await migrate(database, model);
  for (const model of [notes, tags, plain]) expect(await summaries(model)).toEqual([]);
  for (const [model, name] of [
    [notes, 'notes'],
    [tags, 'tags'],
    [plain, 'labels'],
  ] as const)
    expect(await use(model, `/${name}`)).toMatchObject([201, 201, true, [{ resource: name }], 200]);
  const owners = await other`SELECT DISTINCT owner FROM two._plinth_schema WHERE owner <> ''`;
  expect(owners.map(({ owner }) => String(owner))).toEqual(['tags']);
});

test('the first schema can be named as well', async () => {
  const model = buildValid(specification('public', 'notes'));
  await migrate(database, model);
  expect(await summaries(model)).toEqual([]);
  // It is what the service has without the key.
  expect(await summaries(buildValid(specification(undefined, 'notes')))).toEqual([]);
});

test('an index that an interrupted migration has left is made again', async () => {
  await migrate(database, notes);
  await use(notes, '/notes');
  await other`UPDATE pg_index SET indisvalid = false WHERE indrelid = 'one._plinth_audit'::regclass AND NOT indisprimary`;
  expect(await summaries(notes)).toContain('create index on one._plinth_audit (at)');
  await migrate(database, notes);
  expect(await summaries(notes)).toEqual([]);
});

test('introspection lists neither the tables nor their schema', async () => {
  await migrate(database, notes);
  for (const schemas of [undefined, ['public', 'one']]) {
    const { tables, left } = await database.inspect((ask) =>
      readPostgres(ask, false, undefined, schemas),
    );
    expect([tables.map(({ actual }) => actual.name), left]).toEqual([['notes'], []]);
  }
});

test('tables that are not managed are served without it', async () => {
  await other`CREATE TABLE notes (id serial PRIMARY KEY, title text UNIQUE)`;
  const plain = buildValid(
    specification('one', 'notes', ', managed: false').replace(/^audit:.*$/mu, ''),
  );
  const forms = await database.inspect((ask) => postgresForms(ask, plain));
  const model = inForms(plain, forms);
  const steps = await planMigration(database, model);
  expect(stepsBeforeServing(steps)).toEqual([]);
  const api = await served(model);
  const keyed = { 'idempotency-key': 'once' };
  expect((await api.send('POST', '/notes', { title: 'a' }, keyed)).status).toBe(501);
  expect((await api.send('POST', '/notes', { title: 'a' })).status).toBe(201);
  await migrate(database, model);
  expect((await api.send('POST', '/notes', { title: 'b' }, keyed)).status).toBe(201);
  await api.stop();
});

test('a role that only reads needs no right to it, and one that owns it none to the database', async () => {
  await migrate(database, notes);
  await other.unsafe(`GRANT USAGE ON SCHEMA public TO plinth_reader; GRANT SELECT ON notes TO plinth_reader; CREATE SCHEMA two AUTHORIZATION plinth_keeper;
    GRANT USAGE, CREATE ON SCHEMA public TO plinth_keeper`);
  const as = async (role: string): Promise<Awaited<ReturnType<typeof openPostgres>>> => {
    const address = new URL(url);
    address.username = role;
    address.password = role.slice('plinth_'.length, 'plinth_'.length + 1);
    return openPostgres(address.href, { poolSize: 2 });
  };
  const reader = await as('plinth_reader');
  const closed = await planMigration(reader, notes);
  await reader.close();
  expect(stepsBeforeServing(closed)).toEqual([]);
  const keeper = await as('plinth_keeper');
  await migrate(keeper, tags);
  expect(await isUpToDate(keeper, tags)).toBe(true);
  await keeper.close();
});
endAfterFile(async () => {
  await other.unsafe(`DROP OWNED BY plinth_keeper CASCADE; DROP OWNED BY plinth_reader CASCADE;
    DROP ROLE plinth_keeper; DROP ROLE plinth_reader`);
});

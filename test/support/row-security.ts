import postgresClient from 'postgres';
import { openPostgres, type PostgresOptions } from '../../src/databases/postgres/database.ts';
import type { Code } from '../../src/extensions/code.ts';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { TraceReader } from '../../src/observability/events.ts';
import { postgresForms } from '../../src/databases/postgres/stored-forms.ts';
import { inForms } from './existing.ts';
import { buildValid, serve, type TestApi } from './api.ts';
import { createDatabase } from './postgres.ts';

/** The roles of a test. They belong to the whole server, so each test database has its own. */
export interface Roles {
  /** Logs in, and has rights of its own on the tables of the service alone. */
  readonly login: string;
  readonly anonymous: string;
  readonly member: string;
}

/** A database with row level security, served for a role that can only become others. */
export interface SecuredApi {
  readonly api: TestApi;
  readonly roles: Roles;
  /** The URL of the role that logs in. */
  readonly url: string;
  /** Asks the database as its owner. */
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  readonly stop: () => Promise<void>;
}

export interface SecuredOptions extends PostgresOptions {
  readonly readers?: readonly TraceReader[];
  readonly code?: Code;
  /** Puts something in front of the server; returns the URL that leads through it. */
  readonly through?: (url: string) => Promise<string>;
}

/** Makes tables by SQL, and serves a specification over them as the role `login`. */
export async function serveSecured(
  specification: string,
  sql: (roles: Roles) => string,
  { readers = [], through, code, ...options }: SecuredOptions = {},
): Promise<SecuredApi> {
  const test = await createDatabase();
  const unique = new URL(test.url).pathname.slice('/plinth_test_'.length);
  const roles: Roles = {
    login: `login_${unique}`,
    anonymous: `anonymous_${unique}`,
    member: `member_${unique}`,
  };
  const owner = postgresClient(test.url, { max: 2, onnotice: () => undefined });
  await owner.unsafe(`
    CREATE ROLE ${roles.login} LOGIN NOINHERIT PASSWORD 'open';
    CREATE ROLE ${roles.anonymous};
    CREATE ROLE ${roles.member};
    GRANT ${roles.anonymous}, ${roles.member} TO ${roles.login};
    ${sql(roles)}`);
  const written = buildValid(specification);
  const schema = await openPostgres(test.url, { poolSize: 2 });
  const model = inForms(written, await schema.inspect((ask) => postgresForms(ask, written)));
  const steps = await migrate(schema, model);
  await schema.close();
  const obstacles = steps.flatMap(({ obstacle = [] }) => obstacle);
  if (obstacles.length > 0) throw new Error(obstacles.join('\n'));
  await owner.unsafe(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE tablename LIKE '\\_plinth\\_%' LOOP
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ${roles.login}', name);
    END LOOP; END $$`);
  const url = new URL(test.url);
  [url.username, url.password] = [roles.login, 'open'];
  const reached = (await through?.(url.href)) ?? url.href;
  const session = model.settings.database?.session;
  const database = await openPostgres(reached, { ...options, ...(session && { session }) });
  const api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, [], {
    readers,
    ...(code && { code }),
    // The documents are compared elsewhere: what a policy refuses depends on the database.
    isCompared: true,
  });
  return {
    api,
    roles,
    url: url.href,
    ask: (text) => owner.unsafe(text).values() as Promise<readonly (readonly unknown[])[]>,
    stop: async () => {
      await api.stop();
      await owner.unsafe(`
        DROP OWNED BY ${roles.login}, ${roles.anonymous}, ${roles.member};
        DROP ROLE ${roles.login}, ${roles.anonymous}, ${roles.member}`);
      await owner.end();
      await test.drop();
    },
  };
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { library, makeFolder, plinth } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const folder = makeFolder({ 'plinth.yaml': library });
let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server?.drop());

/** What of a URL is left out where the environment has it. */
const parts = {
  PGHOST: 'hostname',
  PGPORT: 'port',
  PGUSER: 'username',
  PGPASSWORD: 'password',
  PGDATABASE: 'pathname',
} as const;

const reached = / is now up to date|Nothing to do|- create table/u;

test.each<[names: readonly (keyof typeof parts)[], more: Record<string, string>, said: RegExp]>([
  [[], {}, reached],
  [Object.keys(parts) as (keyof typeof parts)[], {}, reached],
  [['PGPORT', 'PGPASSWORD'], {}, reached],
  [['PGUSER'], { PGUSERNAME: 'nobody' }, reached],
  [[], { PGTARGETSESSIONATTRS: 'any' }, reached],
  [[], { PGTARGETSESSIONATTRS: 'primary' }, reached],
  [[], { PGTARGETSESSIONATTRS: 'prefer-standby' }, reached],
  [
    [],
    { PGTARGETSESSIONATTRS: 'read-only' },
    /target_session_attrs is read-only, and it takes writes/u,
  ],
  [[], { PGTARGETSESSIONATTRS: 'best' }, /^There is no target_session_attrs "best"/u],
  [[], { PGOPTIONS: '-c search_path=nowhere' }, /^The search_path of this role names no schema/u],
  [[], { PGPORT: 'none' }, reached],
  [
    ['PGPORT'],
    { PGPORT: 'none' },
    /^There is no such port of PostgreSQL\. In its URL, or in PGPORT, /u,
  ],
  [['PGHOST'], { PGHOST: '127.0.0.1,::1' }, /names several hosts; name one\.\n$/u],
])('the environment fills in what the URL leaves out: %j, and %j', async (names, more, said) => {
  const url = new URL(server.url);
  const env: Record<string, string> = {};
  for (const name of names) {
    env[name] = decodeURIComponent(url[parts[name]].replace('/', ''));
    url[parts[name]] = '';
  }
  // Without a host, a URL has neither a user nor a port.
  const PLINTH_DATABASE_URL = names.includes('PGHOST')
    ? `postgres://${url.username && `${url.username}:${url.password}@`}${url.port && `:${url.port}`}${url.pathname}`
    : url.href;
  const { out, err } = await plinth(['migrate'], {
    cwd: folder.path,
    env: { ...env, ...more, PLINTH_DATABASE_URL },
  });
  expect(`${out}${err}`).toMatch(said);
});

test('a URL overrules the environment', async () => {
  const env = {
    PLINTH_DATABASE_URL: `${server.url}?target_session_attrs=any`,
    PGTARGETSESSIONATTRS: 'standby',
    PGHOST: 'nowhere.invalid',
    PGUSER: 'nobody',
  };
  const { code, err } = await plinth(['migrate'], { cwd: folder.path, env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

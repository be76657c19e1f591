import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate as migratePostgres } from '../../src/execute/postgres-schema.ts';
import { openPostgres, type PostgresDatabase } from '../../src/execute/postgres.ts';
import { migrate as migrateSqlite } from '../../src/execute/sqlite-schema.ts';
import { openSqlite } from '../../src/execute/sqlite.ts';
import type { Database } from '../../src/execute/database.ts';
import { Generation } from '../../src/http/generation.ts';
import { startServer } from '../../src/http/server.ts';
import type { Api } from '../../src/model/api.ts';
import { buildValid } from './api.ts';
import { createDatabase } from './postgres.ts';

/** What a client sees of an answer, without what differs from request to request. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One specification served over each database, with the same clock and the same draw of ids. */
export interface Both {
  readonly ask: (request: Request) => Promise<{ sqlite: Seen; postgres: Seen }>;
  readonly postgres: PostgresDatabase;
  readonly api: Api;
  /** Unforeseen errors that a server has met. */
  readonly failures: readonly unknown[];
  readonly stop: () => Promise<void>;
}

interface Side {
  readonly ask: (request: Request) => Promise<Seen>;
  readonly stop: () => Promise<void>;
}

/** Serves a specification over SQLite and over PostgreSQL, each with empty tables of its own. */
export async function serveBoth(specification: string): Promise<Both> {
  const failures: unknown[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = openSqlite(join(folder, 'test.db'), 'temporary');
  const test = await createDatabase();
  const postgres = await openPostgres(test.url, { poolSize: 4 });
  const api = buildValid(specification);
  await migrateSqlite(file.schemaConnection, api);
  await migratePostgres(postgres, api);
  const sides = {
    sqlite: await serve(api, file, failures),
    postgres: await serve(api, postgres, failures),
  };
  return {
    ask: async (request) => ({
      sqlite: await sides.sqlite.ask(request),
      postgres: await sides.postgres.ask(request),
    }),
    postgres,
    api,
    failures,
    stop: async () => {
      await sides.sqlite.stop();
      await sides.postgres.stop();
      await test.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function serve(api: Api, database: Database, failures: unknown[]): Promise<Side> {
  let drawn = 0;
  const generation = new Generation(api, database);
  const server = await startServer(() => generation, {
    host: '127.0.0.1',
    port: 0,
    draw: {
      now: () => new Date(Date.UTC(2026, 2, 1, 14, 5, 0, (drawn += 1))),
      uuid: () => `01990000-0000-7000-8000-${String((drawn += 1)).padStart(12, '0')}`,
    },
    trace: (event) => failures.push(event.error),
  });
  return {
    ask: (request) => ask(`http://127.0.0.1:${server.port}`, request),
    stop: async () => {
      await server.close();
      await database.close();
    },
  };
}

/** Headers that say something of the moment, not of the data. */
const fleeting = new Set(['date', 'x-request-id', 'keep-alive', 'connection', 'content-length']);

async function ask(url: string, { method = 'GET', path, body, headers }: Request): Promise<Seen> {
  const isRaw = typeof body === 'string' || body === undefined;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !fleeting.has(name))),
    body: text.replace(/"requestId":"[^"]*"/u, '"requestId":""'),
  };
}

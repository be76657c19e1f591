import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { Database } from '../../src/databases/database.ts';
import * as postgresSchema from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import * as sqliteSchema from '../../src/migrations/sqlite/schema.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { ServedApi } from '../../src/http/server/served-api.ts';
import { startServer, type ServerOptions } from '../../src/http/server/server.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { Api } from '../../src/model/api.ts';
import { buildValid, withoutQuota } from '../support/api.ts';
import { createDatabase } from '../support/postgres.ts';

/** An answer with its body as it came and as it reads. */
export interface Content {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One server over one database. */
export interface Side {
  readonly url: string;
  readonly database: Database;
  readonly servedApi: ServedApi;
  readonly ask: (path: string, asking?: Asking) => Promise<Content>;
  /** Runs SQL beside the service, as another program would. */
  readonly sql: (text: string) => Promise<unknown>;
  /** Unforeseen errors that the server has met; a test that has looked at them takes them out. */
  readonly failures: unknown[];
}

/** A specification served over each database, with tables of their own. */
export interface Sides {
  readonly sqlite: Side;
  readonly postgres: Side;
  readonly postgresUrl: string;
  readonly stop: () => Promise<void>;
}

export const sideNames = ['sqlite', 'postgres'] as const;

type Options = Pick<ServerOptions, 'mode' | 'stallTimeout' | 'unsentBytes' | 'exportBudget'>;

interface Served {
  readonly side: Side;
  readonly stop: () => Promise<void>;
}

export async function serveSides(specification: string, options?: Options): Promise<Sides> {
  const sqlite = await serveFile(specification, options);
  const server = await createDatabase();
  const database = await openPostgres(server.url, { poolSize: 3 });
  const api = buildValid(specification);
  await postgresSchema.migrate(database, api);
  const sql: Side['sql'] = (text) => database.changeSchema((run) => run(text));
  const postgres = await serve(api, database, sql, options);
  return {
    sqlite: sqlite.side,
    postgres: postgres.side,
    postgresUrl: server.url,
    stop: async () => {
      await sqlite.stop();
      await postgres.stop();
      await server.drop();
    },
  };
}

/** Serves a specification over SQLite alone. */
export async function serveFile(specification: string, options?: Options): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const database = openSqlite(join(folder, 'test.db'), 'temporary');
  const { schemaConnection } = database;
  const api = buildValid(specification);
  await sqliteSchema.migrate(schemaConnection, api);
  const sql: Side['sql'] = async (text) => schemaConnection.exec(text);
  const { side, stop } = await serve(api, database, sql, options);
  return {
    side,
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function serve(
  api: Api,
  database: Database,
  sql: Side['sql'],
  options: Options = {},
): Promise<Served> {
  const failures: unknown[] = [];
  const servedApi = new ServedApi(withoutQuota(api), database);
  const running = await startServer(() => servedApi, {
    host: '127.0.0.1',
    port: 0,
    clockAndIds: { now: () => new Date(), uuid: uuidv7 },
    // The tests keep the event loop busy themselves.
    maxDelay: Infinity,
    trace: (event) => failures.push(event.error),
    ...options,
  });
  const url = `http://127.0.0.1:${running.port}`;
  return {
    side: {
      url,
      database,
      servedApi,
      sql,
      failures,
      ask: (path, asking) => ask(url, path, asking),
    },
    stop: async () => {
      await running.close();
      await database.close();
    },
  };
}

const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };

/** Asks with exactly these headers; a body that was compressed is read as what it says. */
async function ask(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<Content> {
  const { hostname, port } = new URL(url);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const [status, answered, bytes] = await new Promise<[number, IncomingHttpHeaders, Buffer]>(
    (resolve, reject) => {
      const outgoing = request(
        { hostname, port, path, method, headers: { ...json, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve([response.statusCode ?? 0, response.headers, Buffer.concat(chunks)]),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    },
  );
  const coding = answered['content-encoding'] as keyof typeof decoders | undefined;
  const read = coding === undefined || bytes.length === 0 ? bytes : await decoders[coding](bytes);
  return { status, headers: answered, bytes, text: read.toString('utf8') };
}

/** A reader who decides for itself when it reads. */
export interface Reader {
  /** Reads on until so many bytes have come in all, or the end. */
  readonly read: (bytes: number) => Promise<void>;
  /** All that was kept; where `keep` was given, the last bytes of it. */
  readonly text: () => string;
  /** Whether the connection has ended. */
  readonly isOver: () => boolean;
  readonly leave: () => void;
}

/** Asks on a connection of its own, which ends with the answer, and reads nothing until told to. */
export function openReader(
  url: string,
  path: string,
  accept: string,
  keep = Number.MAX_SAFE_INTEGER,
): Promise<Reader> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port) });
    let kept: Buffer[] = [];
    let [total, wanted, isOver] = [0, 0, false];
    let wake = (): void => undefined;
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      total += chunk.length;
      kept.push(chunk);
      let size = kept.reduce((sum, { length }) => sum + length, 0);
      while (kept.length > 1 && size - (kept[0]?.length ?? 0) >= keep)
        size -= kept.shift()?.length ?? 0;
      if (total < wanted) return;
      socket.pause();
      wake();
    });
    socket.once('error', reject);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isOver = true;
      wake();
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
      () =>
        resolve({
          read: (bytes) =>
            new Promise((done) => {
              wanted = bytes;
              wake = done;
              if (isOver || total >= wanted) done();
              else socket.resume();
            }),
          text: () => Buffer.concat(kept).toString('utf8'),
          isOver: () => isOver,
          leave: () => {
            kept = [];
            socket.resetAndDestroy();
          },
        }),
    );
  });
}

/** What the last chunk of a whole answer ends with. */
export const wholeEnd = '\r\n0\r\n\r\n';

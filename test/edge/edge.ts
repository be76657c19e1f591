import { request, type IncomingHttpHeaders } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { networkInterfaces } from 'node:os';
import { ServedApi } from '../../src/http/server/served-api.ts';
import {
  startServer,
  type RunningServer,
  type ServerOptions,
} from '../../src/http/server/server.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, makeSqlite } from '../support/api.ts';

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The address to call. */
  readonly to?: string;
  /** The address to call from. */
  readonly from?: string;
  readonly body?: string;
}

export interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly code: string | undefined;
  readonly text: string;
}

/** A server on all addresses of this machine. */
export interface EdgeServer {
  readonly running: RunningServer;
  readonly ask: (asked?: Asked) => Promise<Told>;
  readonly stop: () => Promise<void>;
}

/** One resource, open to all. */
export const notes = `access: public
resources: { notes: { fields: { text: { type: string } } } }
`;

/** Serves a specification over SQLite on all addresses. */
export async function serveEdge(
  specification: string,
  options: Partial<ServerOptions> = {},
): Promise<EdgeServer> {
  const model = buildValid(specification);
  const { database, remove } = await makeSqlite(model);
  const servedApi = new ServedApi(model, database);
  const running = await startServer(() => servedApi, {
    host: '::',
    port: 0,
    clockAndIds: { now: () => new Date(), uuid: uuidv7 },
    trace: ({ error }) => {
      throw error;
    },
    ...options,
  });
  const { port } = running;
  return {
    running,
    ask: (asked = {}) => askAt(port, asked, options.tls !== undefined),
    stop: async () => {
      await running.close();
      await database.close();
      remove();
    },
  };
}

/** Asks with exactly these headers; over TLS any certificate is taken. */
export function askAt(port: number, asked: Asked, overTls = false): Promise<Told> {
  const { method = 'GET', path = '/v1/notes', headers = {}, to = '127.0.0.1', from, body } = asked;
  const options = {
    host: to,
    port,
    method,
    path,
    headers: headers as Record<string, string>,
    agent: false,
    ...(from === undefined ? {} : { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = overTls
      ? requestOverTls({ ...options, rejectUnauthorized: false })
      : request(options);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.includes('json') === true && text !== '';
        const code = isJson ? (JSON.parse(text) as { code?: string }).code : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, code, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** An address of this machine that others may reach; undefined where it has none. */
export const outerAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.internal === false && one.family === 'IPv4')?.address;

import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { LoadRequest } from './shapes.ts';

/** An answer as it came: header names in lower case, values as sent. */
export type Answer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

/** The headers of a request; one that is keyed gets another key each time. */
export function headersOf({ body, ifMatch, isKeyed }: LoadRequest): Record<string, string> {
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(isKeyed === true ? { 'idempotency-key': randomUUID() } : {}),
  };
}

/** Sends one request and reads the whole answer; a connection that fails throws. */
export function send(url: string, sent: LoadRequest): Promise<Answer> {
  const { method, path, body } = sent;
  return new Promise((resolve, reject) => {
    const headers = headersOf(sent);
    const outgoing = request(`${url}${path}`, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { rawHeaders, statusCode = 0 } = incoming;
        const found = new Map<string, string>();
        for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
          found.set((rawHeaders[index] ?? '').toLowerCase(), rawHeaders[index + 1] ?? '');
        }
        resolve({ status: statusCode, headers: found, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The status of a GET; undefined while nobody answers. */
export async function statusOf(url: string): Promise<number | undefined> {
  try {
    return (await send(url, { method: 'GET', path: '' })).status;
  } catch {
    return undefined;
  }
}

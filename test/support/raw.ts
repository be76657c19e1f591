import type { IncomingHttpHeaders } from 'node:http';
import { exchange } from './http.ts';

/** An answer to a request whose path went out as it is. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** Sends a path that `fetch` would encode or normalise; each of its characters is one byte. */
export async function sendRaw(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body: sent }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const { response, body } = await exchange({ hostname, port, path, method, headers }, sent);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: body.toString('utf8'),
  };
}

/** The bytes of a text, one character each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

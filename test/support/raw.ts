import { request, type IncomingHttpHeaders } from 'node:http';

/** An answer to a request whose path went out as it is. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Sends a path that `fetch` would encode or normalise; each of its characters is one byte. */
export function sendRaw(
  url: string,
  path: string,
  { method = 'GET', headers = {} }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The bytes of a text, one character each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

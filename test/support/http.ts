import { once } from 'node:events';
import { globalAgent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** An answer whose body has come whole. */
export interface Exchange {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

/** Sends a request, as it is given, and reads its answer to the end. Rejects where the connection ends before. */
export function exchange(options: RequestOptions, body?: string | Uint8Array): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ response, body: Buffer.concat(chunks) }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Ends the connections to a server on which nothing is asked: one that stops waits for a tenth of a second whether something
 * comes on them, whoever stops it.
 */
export async function hangUp(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const name = globalAgent.getName({ host: hostname, port: Number(port) });
  const ended = (globalAgent.freeSockets[name] ?? []).map((socket) =>
    once(socket.destroy(), 'close'),
  );
  await Promise.all(ended);
}

const decoder = new TextDecoder();

/** What `fetch` says of itself. */
export const usual = {
  accept: '*/*',
  'accept-language': '*',
  'accept-encoding': 'gzip, deflate',
  'user-agent': 'node',
};

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** An answer as `fetch` gives it, with its body read. */
export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Asks for a URL as `fetch` does, which takes three times as long, for most of what a test waits for. It follows no
 * redirection.
 */
export async function fetched(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<Fetched> {
  const { hostname, port, pathname, search } = new URL(url);
  const given: Record<string, string> = { ...usual, ...Object.fromEntries(new Headers(headers)) };
  // Node leaves it out where a method seldom has a body.
  if (body !== undefined) given['content-length'] = String(Buffer.byteLength(body));
  const path = `${pathname}${search}`;
  const answer = await exchange({ hostname, port, path, method, headers: given }, body);
  const { statusCode = 0, rawHeaders } = answer.response;
  const all = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    all.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const decode = decoders[all.get('content-encoding') ?? ''];
  const plain =
    decode === undefined || answer.body.length === 0 ? answer.body : decode(answer.body);
  // A byte order mark is no part of a text.
  return { status: statusCode, headers: all, text: decoder.decode(plain) };
}

/** The same of a server in this process, as `fetch` of an application asks it. */
export async function fetchedFrom(
  answer: (request: Request) => Promise<Response>,
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<Fetched> {
  const sent = body instanceof Uint8Array ? new Uint8Array(body) : (body ?? null);
  const response = await answer(new Request(url, { method, headers, body: sent }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { urlOf } from '../list/rows.ts';

/** What a command has to send. */
export type Sendable = Pick<
  RequestDetail,
  'method' | 'path' | 'query' | 'requestHeaders' | 'requestBody'
>;

/** Headers that the client itself sets, or that belong to one connection. */
const own = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'user-agent',
  'origin',
  'referer',
  'keep-alive',
  'transfer-encoding',
  'expect',
  'upgrade',
  // It marks requests of the dashboard.
  'x-dashboard',
]);

function headersOf({ requestHeaders }: Sendable): readonly (readonly [string, string])[] {
  return Object.entries(requestHeaders).flatMap(([name, value]) =>
    own.has(name) || name.startsWith('sec-') || value === undefined
      ? []
      : [[name, typeof value === 'string' ? value : value.join(', ')] as const],
  );
}

/** The headers with which a request can be sent again from here. */
export function sendableHeaders(request: Sendable): Readonly<Record<string, string>> {
  return Object.fromEntries(headersOf(request));
}

/** The body that was sent, as far as it is told. */
export function bodyText({ requestBody }: Sendable): string | undefined {
  return requestBody !== null && 'text' in requestBody ? requestBody.text : undefined;
}

/** Whether it was only counted and is a write, whose headers and body nobody knows. */
export function isUnknown({ method, isRecorded }: RequestDetail): boolean {
  return !isRecorded && method !== 'GET' && method !== 'HEAD';
}

/** Whether something of it is not told, so that what is sent again would be another request. */
export function isWithheld(request: RequestDetail): boolean {
  const { requestBody, query } = request;
  if (!request.tellsValues || isUnknown(request)) return true;
  // A body that was sent, and is no longer kept.
  if (requestBody === null && Number(request.requestHeaders['content-length'] ?? 0) > 0)
    return true;
  if (requestBody !== null && 'note' in requestBody) return true;
  return `${query} ${bodyText(request) ?? ''}`.includes('[redacted]');
}

/** A text in single quotes of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command that sends a request again, byte for byte as far as curl can. */
export function asCurl(request: Sendable, origin: string): string {
  const body = bodyText(request);
  const { method, path } = request;
  const headers = headersOf(request);
  const target = urlOf(request);
  const isPath = target.startsWith('/');
  const url = isPath ? origin + target : origin;
  const hasType = headers.some(([name]) => name === 'content-type');
  const parts = [
    `curl ${shellQuoted(url)}`,
    // What is no path, as the `*` of OPTIONS, stands in no URL.
    ...(isPath ? [] : [`--request-target ${shellQuoted(target)}`]),
    // Brackets and braces would be patterns, and dots steps of a path.
    ...(/[[\]{}]/u.test(url) ? ['--globoff'] : []),
    ...(/\/\.{1,2}(?:\/|$)/u.test(path) ? ['--path-as-is'] : []),
    ...(method === 'HEAD' ? ['--head'] : []),
    ...((method === 'GET' && body === undefined) || method === 'HEAD'
      ? []
      : [`-X ${shellQuoted(method)}`]),
    // A header without a value is written with a semicolon; with a colon alone it is left out.
    ...headers.map(
      ([name, value]) => `-H ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(body === undefined || hasType ? [] : [`-H 'content-type:'`]),
    ...(body === undefined ? [] : [`--data-raw ${shellQuoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The JavaScript that sends a request again. */
export function asFetch(request: Sendable, origin: string): string {
  const body = bodyText(request);
  const headers = sendableHeaders(request);
  const options = {
    method: request.method,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  return `await fetch(${JSON.stringify(origin + urlOf(request))}, ${JSON.stringify(options, undefined, 2)});`;
}

import { urlOf, type RequestDetail } from './data.ts';

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
]);

function headersOf({ requestHeaders }: RequestDetail): readonly (readonly [string, string])[] {
  return Object.entries(requestHeaders).flatMap(([name, value]) =>
    own.has(name) || name.startsWith('sec-') ? [] : [[name, value] as const],
  );
}

/** The headers with which a request can be sent again from here. */
export function sendableHeaders(request: RequestDetail): Readonly<Record<string, string>> {
  return Object.fromEntries(headersOf(request));
}

/** The body as text, as far as it is known. */
export function bodyText({ requestBody }: RequestDetail): string | undefined {
  if (requestBody === null || requestBody === undefined) return undefined;
  return typeof requestBody === 'string' ? requestBody : JSON.stringify(requestBody);
}

/** A text in single quotes of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command that sends a request again. */
export function asCurl(request: RequestDetail, origin: string): string {
  const body = bodyText(request);
  const parts = [
    `curl ${shellQuoted(origin + urlOf(request))}`,
    ...(request.method === 'GET' ? [] : [`-X ${shellQuoted(request.method)}`]),
    ...headersOf(request).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellQuoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The JavaScript that sends a request again. */
export function asFetch(request: RequestDetail, origin: string): string {
  const body = bodyText(request);
  const headers = sendableHeaders(request);
  const options = {
    method: request.method,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  return `await fetch(${JSON.stringify(origin + urlOf(request))}, ${JSON.stringify(options, undefined, 2)});`;
}

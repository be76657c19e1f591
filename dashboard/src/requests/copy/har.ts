import type { RequestDetail, ShownBody } from '../../../../src/http/dashboard/wire.ts';
import { urlOf } from '../list/rows.ts';

type Headers = RequestDetail['requestHeaders'];
interface Pair {
  readonly name: string;
  readonly value: string;
}

/**
 * Requests as an HTTP Archive (HAR 1.2), which the network panels of browsers read. What is not known is -1, as the format
 * says: sizes of headers, and times before the request has arrived.
 */
export function harOf(requests: readonly RequestDetail[], name: string, origin: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'Plinth', version: '1' },
      comment: name,
      pages: [],
      entries: requests.map((request) => entryOf(request, origin)),
    },
  };
}

function entryOf(request: RequestDetail, origin: string): object {
  const { method, time, status, code, duration, requestHeaders, responseHeaders } = request;
  const sent = textOf(request.requestBody);
  const answered = textOf(request.responseBody);
  const networkTime = timeOf(request, 'network');
  const sendTime = timeOf(request, 'send');
  return {
    startedDateTime: time,
    time: duration,
    request: {
      method,
      url: new URL(urlOf(request), origin).href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(requestHeaders),
      queryString: [...new URLSearchParams(request.query)].map(([key, value]) => ({
        name: key,
        value,
      })),
      ...(sent === undefined
        ? {}
        : { postData: { mimeType: typeOf(requestHeaders), params: [], text: sent } }),
      headersSize: -1,
      bodySize: sent === undefined ? 0 : byteLength(sent),
    },
    response: {
      status,
      statusText: code ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(responseHeaders),
      content: {
        size: request.size ?? 0,
        mimeType: typeOf(responseHeaders),
        ...(answered === undefined ? {} : { text: answered }),
      },
      redirectURL: String(responseHeaders['location'] ?? ''),
      headersSize: -1,
      bodySize: request.size ?? -1,
    },
    cache: {},
    timings: {
      blocked: networkTime,
      dns: -1,
      connect: -1,
      ssl: -1,
      send: 0,
      wait: Math.max(0, duration - networkTime - sendTime),
      receive: sendTime,
    },
    ...(request.client === null ? {} : { comment: `from ${request.client}` }),
  };
}

function pairsOf(headers: Headers): readonly Pair[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => ({ name, value: one })),
  );
}

function typeOf(headers: Headers): string {
  return String(headers['content-type'] ?? 'application/octet-stream');
}

function textOf(body: ShownBody | null): string | undefined {
  return body !== null && 'text' in body ? body.text : undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function timeOf({ steps = [] }: RequestDetail, stage: string): number {
  return steps
    .filter((step) => step.stage === stage)
    .reduce((sum, { duration }) => sum + duration, 0);
}

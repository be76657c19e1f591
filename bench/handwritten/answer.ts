import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Extra header names and values, flat, as `writeHead` takes them. */
export type RawHeaders = readonly string[];

let lastRequest = 0;
const process36 = process.pid.toString(36);

/** The entity tag of a body. */
export function tagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/**
 * Sends a JSON body past Fastify's reply, as one raw header list and one string: headers and body
 * leave in one write. A read whose ETag the client has already is 304.
 */
export function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  body: string,
  extra: RawHeaders = [],
): void {
  const etag = tagOf(body);
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'ETag',
    etag,
    ...commonHeaders(),
    ...extra,
  ];
  reply.hijack();
  if (request.method === 'GET' && request.headers['if-none-match'] === etag) {
    reply.raw.writeHead(304, ['ETag', etag, ...commonHeaders(), ...extra]).end();
    return;
  }
  reply.raw.writeHead(status, headers).end(body);
}

/** Sends an error in the standard form. */
export function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
): void {
  const path = request.url.split('?', 1)[0];
  const body = JSON.stringify({ status, error: reasons[status] ?? 'Error', message, path, code });
  reply.hijack();
  reply.raw
    .writeHead(status, [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(body)),
      ...commonHeaders(),
    ])
    .end(body);
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
};

function commonHeaders(): RawHeaders {
  lastRequest += 1;
  return [
    'X-Request-Id',
    `${process36}-${lastRequest.toString(36)}`,
    'Cache-Control',
    'private, no-cache',
    'X-Content-Type-Options',
    'nosniff',
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'Vary',
    'Accept, Accept-Encoding, Prefer',
  ];
}

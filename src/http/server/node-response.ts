import type { ServerResponse } from 'node:http';
import { ownTurn } from '../../lib/event-loop.ts';
import { isWhole, type Response, type StreamedBody } from '../response/response.ts';
import { headerList, type Sending } from './transport.ts';

/** A whole body of more bytes is written piece by piece as its client takes it: at once, others would wait for some ms. */
const longBody = 1024 * 1024;

async function* inPieces(body: string | Buffer): StreamedBody {
  await ownTurn();
  yield body;
}

/** See `Transport.send`. */
export function send(
  response: ServerResponse,
  answered: Response,
  sending: Sending,
): StreamedBody | undefined {
  if (response.headersSent || response.req.socket.destroyed) return undefined;
  const { status, body, whole } = answered;
  // Node writes a flat list as it is, and walks over an object several times.
  const all = headerList(answered, sending);
  if (body !== undefined && !isWhole(body)) {
    if (whole !== undefined) all.push('content-length', String(Buffer.byteLength(whole)));
    response.writeHead(status, all);
    if (response.req.method !== 'HEAD') return body;
    response.end();
    return undefined;
  }
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const length = Buffer.byteLength(body ?? '');
  if (!hasNoLength) all.push('content-length', String(length));
  if (length > longBody && response.req.method !== 'HEAD') {
    response.writeHead(status, all);
    return inPieces(body ?? '');
  }
  // ASCII is the same in both encodings, and latin1 is cheaper to write.
  response.writeHead(status, all).end(body, body?.length === length ? 'latin1' : 'utf8');
  return undefined;
}

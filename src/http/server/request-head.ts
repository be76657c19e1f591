import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiError, type ApiError } from '../../errors.ts';
import { splitUrl } from '../api/router.ts';
import type { Incoming, Transport } from './transport.ts';

/** Reads the head of a request, and checks what Node's parser does not. */
export function readHead(request: IncomingMessage, transport: Transport, mount: string): Incoming {
  const url = originForm(request.url ?? '/');
  const { path, search } = splitUrl(url);
  return {
    transport,
    mount,
    problem: headProblem(request),
    requestId: randomUUID(),
    method: request.method ?? 'GET',
    url,
    path,
    search,
  };
}

const absoluteForm = /^https?:\/\/([^/?#]*)/iu;

/** The host in the target of a request; undefined if the target is only a path. */
export function hostOfTarget({ url = '' }: Pick<IncomingMessage, 'url'>): string | undefined {
  return url.startsWith('/') ? undefined : absoluteForm.exec(url)?.[1];
}

/** The path and query of a request target, which may be an absolute URL (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [origin] = absoluteForm.exec(target) ?? [];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const malformed = (message: string): ApiError =>
  apiError('MALFORMED_REQUEST', message, { headers: { connection: 'close' } });
const noHost = malformed('A request names its host in one Host header');
const noVersion = malformed('Only HTTP/1.1 and HTTP/1.0 are spoken here');

const noCoding = apiError('NOT_SUPPORTED', 'The only Transfer-Encoding here is chunked', {
  headers: { connection: 'close' },
});

/**
 * Node's parser accepts several `Host` headers; HTTP/1.1 requires one, HTTP/1.0 none (RFC 9112, 3.2). It also takes the
 * chunks of `gzip, chunked` for the content, which is compressed (RFC 9112, 6.1: 501).
 */
function headProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): ApiError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return noVersion;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return noCoding;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0') ? undefined : noHost;
}

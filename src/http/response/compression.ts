import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type BrotliOptions,
  type ZlibOptions,
} from 'node:zlib';
import { negotiateCoding, type ContentCoding } from '../../query/request/headers.ts';
import { isWhole, type Response, type StreamedBody } from './response.ts';

/** Bodies up to this many bytes are not compressed: little would be saved. */
const smallBody = 1024;

/** Takes half-way between the time of gzip and of brotli's default, and is shorter than gzip. */
const brotli: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const compressors = {
  br: promisify((text: string, done: (error: Error | null, bytes: Buffer) => void) =>
    brotliCompress(text, brotli, done),
  ),
  gzip: promisify((text: string, done: (error: Error | null, bytes: Buffer) => void) =>
    gzip(text, done),
  ),
} satisfies Record<ContentCoding, unknown>;

/**
 * Compresses a response as `Accept-Encoding` wants. The entity tag stays: it identifies the content, not its coding.
 */
export async function compressed(response: Response, acceptEncoding: string): Promise<Response> {
  const { body, headers } = response;
  const isLeft = body === undefined || response.isLive === true || isEncoded(headers, body);
  const wanted = isLeft ? undefined : negotiateCoding(acceptEncoding);
  if (wanted === undefined || body === undefined || Buffer.isBuffer(body)) return response;
  const { coding, isForced } = wanted;
  const isText = typeof body === 'string';
  if (isText && !isForced && Buffer.byteLength(body) <= smallBody) return response;
  const { whole: _, ...rest } = response;
  return {
    ...rest,
    headers: { ...headers, 'content-encoding': coding },
    body: isText ? await compressors[coding](body) : compressedStream(body, coding),
  };
}

/** Types of streams that get shorter. Events are short, and each stream would hold a compressor. */
const compressible =
  /^(?:text\/(?!event-stream)|image\/svg|application\/(?:json|x-ndjson|xml|javascript|[\w.-]+\+(?:json|xml)))/iu;

/** Whether a body is compressed already: an endpoint may send any. */
function isEncoded(headers: Response['headers'], body: Response['body']): boolean {
  const { 'content-encoding': coding, 'content-type': type = '' } = headers;
  return coding !== undefined || !(isWhole(body) || compressible.test(type));
}

const files = new Map<string, Promise<Response>>();

/** As `compressed`, for a file that does not change: compressed once in each coding, and cached by `name`. */
export async function compressedFile(
  name: string,
  response: Response,
  acceptEncoding = '',
): Promise<Response> {
  const { coding } = negotiateCoding(acceptEncoding) ?? {};
  if (coding === undefined) return response;
  const key = `${coding} ${name}`;
  const file = files.get(key) ?? compressed(response, coding);
  files.set(key, file);
  const { body, headers } = await file;
  const encoding = headers['content-encoding'];
  const added = encoding === undefined ? {} : { 'content-encoding': encoding };
  return { ...response, headers: { ...response.headers, ...added }, body };
}

/** Flushes after each portion, so that the client can read it at once. */
async function* compressedStream(body: StreamedBody, coding: ContentCoding): StreamedBody {
  const options: ZlibOptions = { flush: constants.Z_SYNC_FLUSH };
  const compressor =
    coding === 'gzip'
      ? createGzip(options)
      : createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH });
  // An error of the body is thrown by the compressor.
  pipeline(body, compressor, () => undefined);
  yield* compressor as AsyncIterable<Buffer>;
}

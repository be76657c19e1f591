import { apiError, fail, ok, type ApiError, type Result } from '../../../errors.ts';
import type { Endpoint, RawBody } from '../../../extensions/endpoints/endpoint.ts';
import type { Schema } from '../../../extensions/endpoints/schema.ts';
import { parseBody } from '../../../query/request/body.ts';
import { isParameter } from '../../../query/request/parameters.ts';
import { sentParameters } from '../../../query/request/debug.ts';
import { queryError } from '../../../query/request/problem.ts';
import type { Exchange } from '../exchange.ts';
import { checkMediaType } from '../writes.ts';

/** Methods whose requests have bodies. Their place in flight is taken once the body is read. */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

/** Reads the body of a request as its endpoint wants it. */
export async function readEndpointBody(
  exchange: Exchange,
  { body, bodyLimit }: Endpoint,
): Promise<Result<unknown>> {
  const { headers, method, trace } = exchange;
  if (!bodied.has(method)) return ok(undefined);
  const refusal = typeof body === 'string' ? checkRawType(headers, body) : undefined;
  const wrongType = typeof body === 'object' ? checkMediaType(headers, 'create') : refusal;
  if (wrongType !== undefined) return fail(wrongType);
  trace.enter('read_body');
  const bytes = await exchange.readBody(bodyLimit);
  if (!bytes.ok) return bytes;
  trace.enter('parse_body');
  if (typeof body === 'string') return readRaw(bytes.value, body, headers['content-type'] ?? '');
  if (body !== undefined) return readJson(bytes.value, body);
  return bytes.value.length === 0
    ? ok(undefined)
    : fail(apiError('INVALID_BODY', 'This endpoint takes no body'));
}

async function readJson(bytes: Buffer, schema: Schema): Promise<Result<unknown>> {
  // A schema may say that there need be none.
  const parsed = bytes.length === 0 ? ok(undefined) : parseBody(bytes);
  if (!parsed.ok) return parsed;
  // Numbers as JavaScript has them: own code knows no exact ones.
  const value =
    bytes.length === 0
      ? undefined
      : (JSON.parse(bytes.toString().replace(/^\uFEFF/u, '')) as unknown);
  const checked = await schema.check(value);
  if (checked.ok) return checked;
  if (value === undefined) return fail(apiError('INVALID_BODY', 'The request needs a body: JSON'));
  return fail(apiError('VALIDATION_FAILED', 'Validation failed', { problems: checked.problems }));
}

const mediaTypes = {
  bytes: undefined,
  text: undefined,
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const satisfies Record<RawBody, string | undefined>;

function checkRawType(headers: Exchange['headers'], body: RawBody): ApiError | undefined {
  const wanted = mediaTypes[body];
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return wanted === undefined || type.trim().toLowerCase() === wanted
    ? undefined
    : apiError('UNSUPPORTED_MEDIA_TYPE', `Send the body as Content-Type: ${wanted}`);
}

async function readRaw(bytes: Buffer, body: RawBody, type: string): Promise<Result<unknown>> {
  switch (body) {
    case 'bytes':
      return ok(bytes);
    case 'text':
      try {
        return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      } catch {
        return fail(apiError('INVALID_BODY', 'The body is not valid UTF-8'));
      }
    case 'form':
    case 'multipart':
      try {
        return ok(await new Response(bytes, { headers: { 'content-type': type } }).formData());
      } catch {
        return fail(apiError('INVALID_BODY', `The body is not valid ${mediaTypes[body]}`));
      }
    default:
      return body satisfies never;
  }
}

/** The parameters of a request, as its endpoint wants them. Debug parameters are not among them. */
export async function readEndpointQuery(
  { search, trace }: Exchange,
  { query }: Endpoint,
): Promise<Result<unknown>> {
  const sent = Object.fromEntries(
    Object.entries(search === '' ? {} : sentParameters(search)).filter(
      ([name]) => !(name.startsWith('_') && isParameter(name)),
    ),
  );
  if (query === undefined) return ok(sent);
  trace.enter('parse_query');
  const checked = await query.check(sent);
  if (checked.ok) return checked;
  return fail(
    queryError(
      checked.problems.map(({ field, message }) => ({
        parameter: field,
        code: 'INVALID_PARAMETER',
        message,
      })),
      search,
    ),
  );
}

import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';
import { executeWrite, notFound, type Answering, type Written } from '../execute/write.ts';
import { planCreate, planUpdate } from '../plan/write.ts';
import type { WritePlan } from '../plan/plan.ts';
import { parseBody } from '../request/body.ts';
import { parsePrefer } from '../request/headers.ts';
import { parseQuery, type Query } from '../request/query.ts';
import { commonHeaders, jsonResponse } from '../respond/error.ts';
import type { Response } from '../respond/response.ts';
import { entityTag } from '../shape/digest.ts';
import type { Call } from './exchange.ts';
import { compiledOne, parseId } from './reads.ts';

/** `POST /<resource>`: one record, or an array of them. */
export async function createRecords(call: Call): Promise<Result<Response>> {
  const { exchange, face } = call;
  const prepared = await prepare(call);
  if (!prepared.ok) return prepared;
  const { body, answering } = prepared.value;
  const plan = planCreate(body, face, exchange.generation.api, exchange.draw);
  if (!plan.ok) return plan;
  const written = await execute(call, plan.value, answering);
  if (!written.ok) return written;
  const [first] = written.value;
  const isArray = Array.isArray(body);
  const location =
    first === undefined || isArray
      ? undefined
      : `${publicPath(call)}/${encodeURIComponent(String(first.id))}`;
  const shown = isArray ? written.value.map(({ record }) => record) : first?.record;
  return ok(respondWritten(call, 201, shown, isArray ? undefined : first, location));
}

/** `PUT` and `PATCH /<resource>/:id`. */
export async function updateRecord(
  call: Call,
  kind: 'replace' | 'update',
  idText: string,
): Promise<Result<Response>> {
  const { exchange, face } = call;
  const prepared = await prepare(call);
  if (!prepared.ok) return prepared;
  const { body, answering } = prepared.value;
  const id = parseId(idText, face);
  const plan = planUpdate(body, kind, id ?? idText, face, exchange.draw);
  if (!plan.ok) return plan;
  if (id === undefined) return fail(notFound(face.resource, idText));
  const written = await execute(call, plan.value, answering);
  if (!written.ok) return written;
  const [first] = written.value;
  return ok(respondWritten(call, 200, first?.record, first, undefined));
}

/** `DELETE /<resource>/:id`. */
export async function deleteRecord(call: Call, idText: string): Promise<Result<Response>> {
  const { exchange, face } = call;
  const id = parseId(idText, face);
  if (id === undefined) return fail(notFound(face.resource, idText));
  const compiled = compiledOne(call, plainQuery);
  if (!compiled.ok) return compiled;
  const answering = {
    compiled: compiled.value,
    plain: undefined,
    limits: exchange.generation.api.limits,
  };
  const deleted = await execute(call, { kind: 'delete', resource: face.resource, id }, answering);
  return deleted.ok ? ok(empty(call, {})) : deleted;
}

const emptyQuery = parseQuery('', 'read');
if (!emptyQuery.ok) throw new TypeError('An empty query string is no error');
const plainQuery: Query = emptyQuery.value;

interface Prepared {
  readonly body: unknown;
  readonly answering: Answering;
}

/** Media type, size, then body and query: what stands before the plan. */
async function prepare(call: Call): Promise<Result<Prepared>> {
  const { exchange, query } = call;
  const refusal = checkMediaType(exchange.headers);
  if (refusal !== undefined) return fail(refusal);
  const bytes = await exchange.readBody();
  if (!bytes.ok) return bytes;
  const compiled = compiledOne(call, query);
  if (!compiled.ok) return compiled;
  const plain = query.shape === '' ? undefined : compiledOne(call, plainQuery);
  if (plain?.ok === false) return plain;
  const body = parseBody(bytes.value);
  if (!body.ok) return body;
  const { limits } = exchange.generation.api;
  return ok({
    body: body.value,
    answering: { compiled: compiled.value, plain: plain?.value, limits },
  });
}

function checkMediaType(headers: Call['exchange']['headers']): ApiError | undefined {
  const refuse = (message: string): ApiError => apiError('UNSUPPORTED_MEDIA_TYPE', message);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return refuse(`A body in Content-Encoding ${encoding} is not taken; send it as it is`);
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (type !== 'application/json')
    return refuse(
      type === ''
        ? 'Send the body as Content-Type: application/json'
        : `A body of type ${type} is not taken; send application/json`,
    );
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/u.test(charset)
    ? undefined
    : refuse('JSON is UTF-8; no other charset is taken');
}

function execute(
  { exchange }: Call,
  plan: WritePlan,
  answering: Answering,
): Promise<Result<readonly Written[]>> {
  const { database, statements } = exchange.generation;
  return executeWrite(plan, database, statements, answering);
}

function publicPath({ exchange, path }: Call): string {
  return `${exchange.generation.api.settings.server?.publicUrl ?? ''}${path}`;
}

/** The answer of a write: the record as a GET would give it, with the entity tag of the plain read. */
function respondWritten(
  call: Call,
  status: 200 | 201,
  shown: unknown,
  written: Written | undefined,
  location: string | undefined,
): Response {
  const { exchange, query } = call;
  const headers: Record<string, string> = {};
  if (location !== undefined) headers['location'] = location;
  if (query.debug) headers['x-debug'] = 'disabled';
  if (parsePrefer(exchange.headers.prefer as string | undefined).minimal) {
    headers['preference-applied'] = 'return=minimal';
    return status === 201 ? { ...empty(call, headers), status: 201 } : empty(call, headers);
  }
  const body = JSON.stringify(shown);
  if (written !== undefined)
    headers['etag'] = entityTag(written.plain === undefined ? body : JSON.stringify(written.plain));
  return jsonResponse(status, body, exchange.requestId, headers);
}

function empty({ exchange }: Call, headers: Record<string, string>): Response {
  return {
    status: 204,
    headers: { ...commonHeaders, 'x-request-id': exchange.requestId, ...headers },
    body: undefined,
  };
}

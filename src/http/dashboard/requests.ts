import type { Api } from '../../model/api.ts';
import { routeName } from '../../observability/events.ts';
import type { KeptRequest, RequestRecord } from '../../observability/recent.ts';
import { toldTime, type Recording } from '../../observability/recording.ts';
import type { Mode } from '../edge/edge.ts';
import type { ErrorCause, RequestDetail, RequestRow, ShownBody } from './wire.ts';
import { splitUrl } from '../api/router.ts';
import { redactionOf, type Redaction } from '../debug/redaction.ts';
import { stackOf } from '../debug/stack.ts';

/** What decides how much of a request is shown. */
export interface Telling {
  readonly api: Api;
  readonly mode: Mode;
  /** See `Dashboard`. */
  readonly wallOffset: number;
}

/** A row of the list of requests. */
export function requestRow(request: KeptRequest, telling: Telling): RequestRow {
  const { number, begin, requestId, method, url, status, code, duration, record } = request;
  const redaction = redactionOf(telling.api, telling.mode);
  return {
    number,
    id: requestId,
    time: new Date(begin + telling.wallOffset).toISOString(),
    method,
    path: redaction.path(splitUrl(url).path, status),
    query: redaction.queryText(url),
    route: routeName(request),
    status,
    code: code ?? null,
    duration: toldTime(duration),
    caller: request.caller ?? null,
    client: request.client ?? null,
    statements: record?.recording.statements.length ?? null,
    databaseTime: record === undefined ? null : toldTime(record.recording.databaseTime),
    size: request.size ?? null,
    isSimulated: request.isSimulated,
    sandbox: request.sandbox ?? null,
    isOwn: request.isOwn,
  };
}

/** The details of one request. */
export function requestDetail(request: KeptRequest, telling: Telling): RequestDetail {
  const { url, record } = request;
  const redaction = redactionOf(telling.api, telling.mode);
  const { showsValues } = redaction;
  return {
    ...requestRow(request, telling),
    parameters: redaction.query(url) ?? {},
    requestHeaders: redaction.headers(record?.requestHeaders ?? {}),
    responseHeaders: redaction.headers(record?.responseHeaders ?? {}),
    tellsValues: showsValues,
    isRecorded: record !== undefined,
    isForgotten: record?.isForgotten === true,
    requestBody: showsValues ? requestBody(record?.requestBody, redaction) : null,
    responseBody: showsValues ? responseBody(record, redaction, url) : null,
    causes: telling.mode === 'dev' ? causesOf(request) : [],
    ...(record === undefined ? {} : recorded(record.recording)),
  };
}

/** What the error of a request came from: what its response may not tell. */
function causesOf({ failure, databaseError, ownCode }: KeptRequest): readonly ErrorCause[] {
  const causes: ErrorCause[] = [];
  const source = ownCode === undefined ? 'server' : 'own code';
  const place = ownCode ?? null;
  if (failure !== undefined) causes.push({ source, place, text: stackOf(failure) });
  else if (ownCode !== undefined) causes.push({ source, place, text: '' });
  if (databaseError !== undefined)
    causes.push({ source: 'database', place: null, text: messageOf(databaseError) });
  return causes;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function requestBody(body: Buffer | undefined, redaction: Redaction): ShownBody | null {
  return shownBody(body, (value) => redaction.requestValue(value));
}

function responseBody(
  record: RequestRecord | undefined,
  redaction: Redaction,
  url: string,
): ShownBody | null {
  return shownBody(record?.responseBody, (value) =>
    redaction.responseValue(value, url, record?.requestBody),
  );
}

/** JSON as it was sent, or written anew if part of it is withheld; the length of anything else. */
function shownBody(
  body: string | Buffer | undefined,
  redacted: (value: unknown) => unknown,
): ShownBody | null {
  if (body === undefined || body.length === 0) return null;
  const text = body.toString();
  const length = Buffer.byteLength(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { note: `${length} bytes, which are not JSON` };
  }
  const shown = redacted(value);
  if (shown === value) return { text };
  return shown === undefined
    ? { note: `${length} bytes, which are withheld` }
    : { text: JSON.stringify(shown) };
}

interface Span {
  readonly begin: number;
  readonly duration: number;
}

function recorded({
  begin,
  steps,
  statements,
  parts,
}: Recording): Pick<RequestDetail, 'steps' | 'parts' | 'statementList'> {
  // Rounds ends, not durations, so that a statement stays within its step.
  const span = (part: { readonly begin: number; readonly end: number }): Span => {
    const from = toldTime(part.begin - begin);
    return { begin: from, duration: toldTime(toldTime(part.end - begin) - from) };
  };
  return {
    steps: steps.map((step) => ({ stage: step.stage, ...span(step) })),
    parts: parts.map((part) => ({
      kind: part.kind,
      stage: part.step?.stage ?? null,
      ...span(part),
    })),
    statementList: statements.map((statement) => ({
      sql: statement.sql,
      stage: statement.step?.stage ?? null,
      ...span(statement),
      rows: statement.rows ?? null,
    })),
  };
}

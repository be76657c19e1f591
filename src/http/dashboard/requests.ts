import type { Api } from '../../model/api.ts';
import { routeName } from '../../observability/events.ts';
import type { KeptRequest } from '../../observability/recent.ts';
import { toldTime, type Recording } from '../../observability/recording.ts';
import type { Mode } from '../edge/edge.ts';
import type { RequestDetail, RequestRow, ShownBody } from './wire.ts';
import { splitUrl } from '../api/router.ts';
import { disclosureOf, type Disclosure } from '../debug/redact.ts';

/** What decides how much of a request is told. */
export interface Telling {
  readonly api: Api;
  readonly mode: Mode;
  /** See `Dashboard`. */
  readonly wallOffset: number;
}

/** A row of the list of requests. */
export function requestRow(request: KeptRequest, telling: Telling): RequestRow {
  const { number, begin, requestId, method, url, status, code, duration, record } = request;
  const disclosure = disclosureOf(telling.api, telling.mode);
  return {
    number,
    id: requestId,
    time: new Date(begin + telling.wallOffset).toISOString(),
    method,
    path: disclosure.path(splitUrl(url).path, status),
    query: disclosure.queryText(url),
    route: routeName(request),
    status,
    code: code ?? null,
    duration: toldTime(duration),
    caller: request.caller ?? null,
    client: request.client ?? null,
    statements: record?.recording.statements.length ?? null,
    databaseTime: record === undefined ? null : toldTime(record.recording.databaseTime),
  };
}

/** All that is known of one request. */
export function requestDetail(request: KeptRequest, telling: Telling): RequestDetail {
  const { url, code, size, failure, record } = request;
  const disclosure = disclosureOf(telling.api, telling.mode);
  const { tellsValues } = disclosure;
  return {
    ...requestRow(request, telling),
    parameters: disclosure.query(url) ?? {},
    requestHeaders: disclosure.headers(record?.requestHeaders ?? {}),
    responseHeaders: disclosure.headers(record?.responseHeaders ?? {}),
    tellsValues,
    isRecorded: record !== undefined,
    size: size ?? null,
    requestBody: tellsValues ? sentBody(record?.requestBody, disclosure, code) : null,
    responseBody: tellsValues ? answeredBody(record?.responseBody, disclosure, url) : null,
    failure:
      telling.mode === 'dev' && failure instanceof Error
        ? (failure.stack ?? failure.message)
        : null,
    ...(record === undefined ? {} : recorded(record.recording)),
  };
}

/** The body of a request, by the code of its answer. See `Redactor.sent`. */
function sentBody(
  body: string | Buffer | undefined,
  { redactor }: Disclosure,
  code: string | undefined,
): ShownBody | null {
  if (body === undefined || !redactor.isUnclear(code))
    return shownBody(body, redactor.isNeeded ? (value) => redactor.sentValue(value) : undefined);
  return { note: `${Buffer.byteLength(body)} bytes, which are no record` };
}

/** The body of an answer. See `Redactor.answered`. */
function answeredBody(
  body: string | Buffer | undefined,
  { redactor }: Disclosure,
  url: string,
): ShownBody | null {
  return shownBody(
    body,
    redactor.isNeeded ? (value) => redactor.answeredValue(value, url) : undefined,
  );
}

/** JSON as it was sent, or made anew where something in it may be secret; of anything else its length. */
function shownBody(
  body: string | Buffer | undefined,
  redacted: ((value: unknown) => unknown) | undefined,
): ShownBody | null {
  if (body === undefined || body.length === 0) return null;
  const text = body.toString();
  try {
    const value = JSON.parse(text) as unknown;
    return { text: redacted === undefined ? text : JSON.stringify(redacted(value)) };
  } catch {
    return { note: `${Buffer.byteLength(body)} bytes, which are not JSON` };
  }
}

interface Span {
  readonly begin: number;
  readonly duration: number;
}

function recorded({
  begin,
  steps,
  statements,
}: Recording): Pick<RequestDetail, 'steps' | 'statementList'> {
  // Rounded where they lie, not by themselves: what is within a step stays within it.
  const span = (part: { readonly begin: number; readonly end: number }): Span => {
    const from = toldTime(part.begin - begin);
    return { begin: from, duration: toldTime(toldTime(part.end - begin) - from) };
  };
  return {
    steps: steps.map((step) => ({ stage: step.stage, ...span(step) })),
    statementList: statements.map((statement) => ({
      sql: statement.sql,
      stage: statement.step?.stage ?? null,
      ...span(statement),
      rows: statement.rows ?? null,
    })),
  };
}

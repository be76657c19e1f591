import type { Api } from '../model/api.ts';
import type { KeptRequest } from '../trace/recent.ts';
import type { Recording } from '../trace/recording.ts';
import type { Mode } from './edge.ts';
import type { RequestDetail, RequestRow, ShownBody } from './dashboard-wire.ts';
import { disclosureOf, type Disclosure } from './redact.ts';

/** What decides how much of a request is told. */
export interface Telling {
  readonly api: Api;
  readonly mode: Mode;
}

/** A row of the list of requests. */
export function requestRow(
  { number, time, trace, end }: KeptRequest,
  telling: Telling,
): RequestRow {
  const { recording } = trace;
  const disclosure = disclosureOf(telling.api, telling.mode);
  return {
    number,
    id: trace.start.requestId,
    time: new Date(time).toISOString(),
    method: trace.start.method,
    path: trace.start.path,
    query: shownQuery(trace.start.url, disclosure),
    route: trace.routeName,
    status: end.status,
    code: end.code ?? null,
    duration: rounded(end.duration),
    caller: trace.caller ?? null,
    client: trace.client ?? null,
    statements: recording?.statements.length ?? null,
    databaseTime: recording === undefined ? null : rounded(recording.databaseTime),
  };
}

/** All that is known of one request. */
export function requestDetail(request: KeptRequest, telling: Telling): RequestDetail {
  const { trace, end, size } = request;
  const disclosure = disclosureOf(telling.api, telling.mode);
  const { tellsValues } = disclosure;
  const { recording } = trace;
  const query = disclosure.query(trace.start.url);
  return {
    ...requestRow(request, telling),
    parameters: query ?? {},
    requestHeaders: disclosure.headers(end.requestHeaders),
    responseHeaders: disclosure.headers(end.responseHeaders),
    tellsValues,
    isRecorded: recording !== undefined,
    size: size ?? null,
    requestBody: tellsValues ? shownBody(trace.body, disclosure) : null,
    responseBody: tellsValues ? shownBody(end.body, disclosure) : null,
    failure:
      telling.mode === 'dev' && trace.failure instanceof Error
        ? (trace.failure.stack ?? trace.failure.message)
        : null,
    ...(recording === undefined ? {} : recorded(recording)),
  };
}

/** JSON as it was sent, or made anew where something in it may be secret; of anything else its length. */
function shownBody(body: string | Buffer | undefined, { redactor }: Disclosure): ShownBody | null {
  if (body === undefined || body.length === 0) return null;
  const text = body.toString();
  try {
    const value = JSON.parse(text) as unknown;
    return { text: redactor.isNeeded ? JSON.stringify(redactor.redacted(value)) : text };
  } catch {
    return { note: `${Buffer.byteLength(body)} bytes, which are not JSON` };
  }
}

function recorded({
  begin,
  steps,
  statements,
}: Recording): Pick<RequestDetail, 'steps' | 'statementList'> {
  return {
    steps: steps.map((step) => ({
      stage: step.stage,
      begin: rounded(step.begin - begin),
      duration: rounded(step.end - step.begin),
    })),
    statementList: statements.map((statement) => ({
      sql: statement.sql,
      stage: statement.step?.stage ?? null,
      begin: rounded(statement.begin - begin),
      duration: rounded(statement.end - statement.begin),
      rows: statement.rows ?? null,
    })),
  };
}

/** The query as it was sent, decoded no further; where something is withheld, only what may be told. */
function shownQuery(url: string, disclosure: Disclosure): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  if (disclosure.tellsValues && !disclosure.redactor.isNeeded) return url.slice(mark + 1);
  const told = disclosure.query(url) ?? {};
  if (!disclosure.tellsValues) return (told as readonly string[]).join('&');
  const parts = Object.entries(told).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (one) => `${encoded(name)}=${encoded(one)}`,
    ),
  );
  return parts.join('&');
}

/** Percent-encoded only where a URL needs it, so that people can read it. */
function encoded(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N}._~:,/()*!'$;@[\]-]/gu, (character) => encodeURIComponent(character));
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

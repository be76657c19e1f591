import picomatch from 'picomatch';
import { destination as openFile, pino, stdTimeFunctions, type DestinationStream } from 'pino';
import type { Api } from '../../model/api.ts';
import type { LoggingSpecification } from '../../specification/specification.ts';
import type { RequestEnd, RequestTrace, TraceReader } from '../../observability/events.ts';
import { toldTime } from '../../observability/recording.ts';
import { isDashboardPath } from '../dashboard/dashboard.ts';
import type { Mode } from '../edge/edge.ts';
import { escapeOf } from '../../lib/text/control-characters.ts';
import { redactionOf, type Redaction } from './redaction.ts';

/** What holds when the file sets none of it. See docs/contract/6-operation.md#logging, rule 3. */
const defaults = {
  level: 'info',
  includeHeaders: false,
  includeBodies: false,
  excludePatterns: ['/_health', '/_ready', '/_metrics'],
} as const satisfies LoggingSpecification;

/**
 * An error and its cause with its SQLSTATE, without further properties: drivers put values of records there.
 */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    ...sqlStateOf(error),
    message,
    stack,
    ...(cause === undefined ? {} : { cause: errorOf(cause) }),
  };
}

function sqlStateOf(error: unknown): { readonly sqlState?: string } {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/u.test(code) ? { sqlState: code } : {};
}

/**
 * An error that the response may not show. The messages of most contain values of records, so only those that are meant
 * for people, and those about permissions, are in the log.
 */
function databaseErrorOf(error: unknown): object {
  const { message } = (error ?? {}) as Partial<Error>;
  const state = sqlStateOf(error);
  const isShown = /^(?:P0001|PT|42)/u.test(state.sqlState ?? '');
  return isShown ? { ...state, message } : state;
}

/**
 * Writes a line for each request that has ended: at level `info`, or at `error` with the stack of an unforeseen error.
 * `current` returns the Api being served, whose secrets are redacted; other settings are those of the first one.
 */
export function requestLog(
  current: () => Api,
  mode: Mode,
  destination: DestinationStream,
): TraceReader {
  const settings = { ...defaults, ...current().settings.logging };
  const { includeHeaders, includeBodies } = settings;
  const log = pino(
    {
      level: settings.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorOf },
    },
    destination,
  );
  const isExcluded = picomatch([...settings.excludePatterns], { dot: true });
  const lineOf = (
    request: RequestTrace,
    end: RequestEnd,
    { redaction, path }: { readonly redaction: Redaction; readonly path: string },
  ): object => {
    return {
      requestId: request.start.requestId,
      method: request.start.method,
      path,
      query: redaction.query(request.start.url),
      route: request.routeName,
      status: end.status,
      code: end.code,
      duration: toldTime(end.duration),
      ...(request.databaseError === undefined
        ? {}
        : { databaseError: databaseErrorOf(request.databaseError) }),
      ...(request.ownCode === undefined ? {} : { ownCode: request.ownCode }),
      ...(request.server === undefined ? {} : { databaseServer: request.server }),
      caller: request.caller,
      client: request.client,
      ...(includeHeaders
        ? {
            requestHeaders: redaction.headers(end.requestHeaders),
            responseHeaders: redaction.headers(end.responseHeaders),
          }
        : {}),
      ...(includeBodies
        ? {
            requestBody: redaction.requestBody(request.body),
            responseBody: redaction.responseBody(end.body, request.start.url, request.body),
          }
        : {}),
    };
  };
  return {
    wantsSteps: false,
    wantsBodies: includeBodies,
    noted: ({ level, requestId, message, details, error }) =>
      log[level](
        { requestId, ...details, ...(error === undefined ? {} : { err: error }) },
        message,
      ),
    ended: (request, end) => {
      const level = request.failure === undefined ? 'info' : 'error';
      const { method, path } = request.start;
      if (!log.isLevelEnabled(level) || isExcluded(path)) return;
      // An open dashboard sends requests every second; only its failures and changes are logged.
      if (isDashboardPath(path) && method === 'GET' && end.status < 400) return;
      const redaction = redactionOf(current(), mode);
      const told = redaction.path(path, end.status);
      const line = lineOf(request, end, { redaction, path: told });
      if (level === 'info') log.info(line, `${method} ${told} ${end.status}`);
      else log.error({ ...line, err: request.failure }, `${method} ${told} failed`);
    },
  };
}

/** How many bytes of lines wait for a slow consumer; further lines are dropped, so that memory stays bounded. */
const longestQueue = 16 * 1024 * 1024;

/** How long closing waits for the rest of the log, in ms. */
const longestEnd = 2_000;

/** Where log lines are written. */
export interface Destination {
  readonly stream: DestinationStream;
  /** Writes what is left, as far as it is consumed in time; later lines are dropped. */
  readonly close: () => Promise<void>;
}

/** Standard output, written in the background. `tell` gets the first failure. */
export async function openDestination(
  format: 'json' | 'pretty',
  colorize: boolean,
  tell: (error: Error) => void,
): Promise<Destination> {
  let [isTold, isUnread, isClosed] = [false, false, false];
  const file = openFile({
    dest: 1,
    sync: false,
    maxLength: longestQueue,
    // Whether to retry while the consumer takes nothing.
    retryEAGAIN: () => !isClosed,
  });
  // What cannot be written (a full disk) is retried; serving goes on without a log.
  file.on('error', (error: NodeJS.ErrnoException) => {
    // The consumer (`| head`) has ended.
    if (error.code === 'EPIPE') isUnread = true;
    else if (!isTold && !isClosed) {
      isTold = true;
      tell(error);
    }
  });
  const close = async (): Promise<void> => {
    // Asynchronous, so that a second signal ends the process at once.
    if (!isUnread)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestEnd);
        const end = (): void => {
          clearTimeout(timer);
          resolve();
        };
        file.once('close', end).once('error', end).end();
      });
    isClosed = true;
    // Otherwise it would try to write the rest for ever as the process exits.
    file.destroy();
  };
  const pretty = format === 'pretty' ? await prettyLines(colorize) : (line: string) => line;
  const write = (line: string): void => void (isClosed || file.write(pretty(line)));
  return { stream: { write }, close };
}

/**
 * Formats lines of JSON for people. Control characters from callers are escaped, so that they neither break lines nor
 * control the terminal.
 */
export async function prettyLines(colorize: boolean): Promise<(line: string) => string> {
  const module = await import('pino-pretty').catch(() => undefined);
  // It is optional: without it the lines stay JSON.
  if (module === undefined) return (line) => line;
  const { prettyFactory } = module;
  const pretty = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    // The message has them.
    ignore: 'method,path,status',
    singleLine: true,
    customPrettifiers: { caller: (name) => escaped(String(name)) },
    messageFormat: (log, key, _label, { colors }) => colors.cyan(escaped(String(log[key]))),
  });
  return (line) => pretty(line).replaceAll(/[\u007F-\u009F]/gu, escapeOf);
}

/** A text with control characters escaped. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return text.replaceAll(/[\u0000-\u001F]/gu, escapeOf);
}

import picomatch from 'picomatch';
import { destination as openFile, pino, stdTimeFunctions, type DestinationStream } from 'pino';
import type { Api } from '../../model/api.ts';
import type { LoggingSpecification } from '../../specification/specification.ts';
import type { RequestEnd, RequestTrace, TraceReader } from '../../observability/events.ts';
import { toldTime } from '../../observability/recording.ts';
import { isDashboardPath } from '../dashboard/dashboard.ts';
import type { Mode } from '../edge/edge.ts';
import { redactionOf, type Redaction } from './redaction.ts';

/** What holds when the file sets none of it. See docs/contract/6-operation.md#logging, rule 3. */
const defaults = {
  level: 'info',
  includeHeaders: false,
  includeBodies: false,
  excludePatterns: ['/_health', '/_ready', '/_metrics'],
} as const satisfies LoggingSpecification;

/** An error and what has caused it. What else a driver hangs on its errors may be the values of a record. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return { type: name, message, stack, ...(cause === undefined ? {} : { cause: errorOf(cause) }) };
}

/**
 * A reader that writes a line for each request that has ended: `info`, with its error and stack as `error` where no
 * rule foresaw it. In `start` parameters are told by name alone, unless bodies are included. `current` gives the Api of
 * the moment, whose secrets are kept; how it logs is settled with the first one.
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
    ended: (request, end) => {
      const level = request.failure === undefined ? 'info' : 'error';
      const { method, path } = request.start;
      if (!log.isLevelEnabled(level) || isExcluded(path)) return;
      // A page that is open asks every second; what is refused and what it changes is told.
      if (isDashboardPath(path) && method === 'GET' && end.status < 400) return;
      const redaction = redactionOf(current(), mode);
      const told = redaction.path(path, end.status);
      const line = lineOf(request, end, { redaction, path: told });
      if (level === 'info') log.info(line, `${method} ${told} ${end.status}`);
      else log.error({ ...line, err: request.failure }, `${method} ${told} failed`);
    },
  };
}

/** Lines that wait for a slow reader, in bytes; what is over it is lost, so that memory stays bounded. */
const longestQueue = 16 * 1024 * 1024;

/** How long what is left of a log is written at its end, at most, in ms. */
const longestEnd = 2_000;

/** Where a log is written to. */
export interface Destination {
  readonly stream: DestinationStream;
  /** Writes what is left, as far as somebody takes it now; what comes after it is lost. */
  readonly close: () => Promise<void>;
}

/** Standard output, written to in the background; `pretty` is for people. `tell` has the first failure. */
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
    // Whether a reader who takes nothing now is waited for.
    retryEAGAIN: () => !isClosed,
  });
  // What cannot be written waits, until there is room again: service goes on without its log.
  file.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it (`| head`) has seen enough.
    if (error.code === 'EPIPE') isUnread = true;
    else if (!isTold && !isClosed) {
      isTold = true;
      tell(error);
    }
  });
  const close = async (): Promise<void> => {
    // In the background: a second signal is to end the process at once.
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
    // What is left it would write as the process ends, and try for ever.
    file.destroy();
  };
  const pretty = format === 'pretty' ? await prettyLines(colorize) : (line: string) => line;
  const write = (line: string): void => void (isClosed || file.write(pretty(line)));
  return { stream: { write }, close };
}

/**
 * Makes lines of JSON fit for people. Whatever a caller has sent or is called stays on its line and does nothing to the
 * terminal.
 */
export async function prettyLines(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    // Said by the message.
    ignore: 'method,path,status',
    singleLine: true,
    customPrettifiers: { caller: (name) => escaped(String(name)) },
    messageFormat: (log, key, _label, { colors }) => colors.cyan(escaped(String(log[key]))),
  });
  return (line) => pretty(line).replaceAll(/[\u007F-\u009F]/gu, escapeOf);
}

/** A text with all control characters written out. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return text.replaceAll(/[\u0000-\u001F]/gu, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

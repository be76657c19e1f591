import type { Database } from '../../databases/database.ts';
import { loadOptional } from '../../lib/modules/optional-package.ts';
import type { Mode } from '../../http/edge/edge.ts';
import type { Api } from '../../model/api.ts';
import type { DependencyEvent, TraceReader } from '../../observability/events.ts';
import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';

/** What traces are sent with. They take 27 MB, so that only installs that send traces have them. */
const openTelemetryPackages: readonly string[] = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
];

/** The log and the export of traces. `close` flushes both. */
export interface LogAndTraces {
  readonly readers: readonly TraceReader[];
  /** Whether a log has the failures. */
  readonly isLogged: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Opens the log, and the export of traces if the environment names a collector. Loads only what it opens. `current`
 * returns the Api that is served now.
 */
export async function openLogAndTraces(
  context: Context,
  current: () => Api,
  database: Database,
  mode: Mode,
  report: (event: DependencyEvent) => void,
): Promise<LogAndTraces> {
  const telemetry = await openTelemetry(context, { current, database, mode, report });
  const log = await openLog(context, current, mode);
  return {
    readers: [...(log === undefined ? [] : [log.reader]), ...(telemetry ? [telemetry] : [])],
    isLogged: log !== undefined,
    close: async () => {
      await Promise.all([log?.close(), telemetry?.close()]);
    },
  };
}

async function openTelemetry(
  { environment }: Context,
  {
    current,
    database,
    mode,
    report,
  }: {
    readonly current: () => Api;
    readonly database: Database;
    readonly mode: Mode;
    readonly report: (event: DependencyEvent) => void;
  },
) {
  const endpoint = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (endpoint === '') return undefined;
  if (!/^https?:$/u.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new CommandFailure(
      'OTEL_EXPORTER_OTLP_ENDPOINT is not a URL. Write one such as http://localhost:4318, or leave it out.',
      { exitCode: 2 },
    );
  const [{ sendTraces }, { redactionOf }] = await Promise.all([
    loadOptional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      openTelemetryPackages,
      () => import('../../http/debug/telemetry.ts'),
    ),
    import('../../http/debug/redaction.ts'),
  ]);
  const serviceName = environment['OTEL_SERVICE_NAME'] ?? '';
  return sendTraces({
    endpoint,
    serviceName: serviceName === '' ? 'plinth' : serviceName,
    database: database.dialect.name,
    pathOf: (path, status) => redactionOf(current(), mode).path(path, status),
    told: (error) => report({ kind: 'dependency', name: 'trace collector', error }),
  });
}

/** The log goes to standard output, after the banner. */
async function openLog({ output, environment, log }: Context, current: () => Api, mode: Mode) {
  const { enabled = true, format, level } = current().settings.logging ?? {};
  if (!enabled || level === 'silent' || log === 'none') return undefined;
  const { requestLog, openDestination } = await import('../../http/debug/logging.ts');
  if (log !== undefined)
    return { reader: requestLog(current, mode, log), close: () => Promise.resolve() };
  const destination = await openDestination(
    format ?? (output.isTerminal ? 'pretty' : 'json'),
    output.isTerminal &&
      (environment['NO_COLOR'] ?? '') === '' &&
      // A terminal of an editor, which does not interpret colour codes.
      environment['TERM'] !== 'dumb',
    ({ message }) =>
      output.note(
        `Warning: the log cannot be written now (${message}). Make room; lines that exceed the buffer are lost.`,
      ),
  );
  return { reader: requestLog(current, mode, destination.stream), close: destination.close };
}

import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace as traces,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import {
  turnsOf,
  type RequestEnd,
  type RequestTrace,
  type TraceReader,
} from '../../observability/events.ts';
import type { Recording } from '../../observability/recording.ts';

/** Where and how traces are sent. */
export interface TelemetryOptions {
  /** The URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly database: 'sqlite' | 'postgresql';
  /** The redacted path, by the status of the response. */
  readonly pathOf: (path: string, status: number) => string;
  /** Called with the error when sending begins to fail, and with undefined when it works again. */
  readonly told: (error: unknown) => void;
}

/** Sends a span for each request, with a child for each step and statement. Values are not sent. */
export interface Telemetry extends TraceReader {
  /** Sends the spans that are left. */
  readonly close: () => Promise<void>;
}

/** Probes, which would send a span every few seconds. */
const unsent: ReadonlySet<string> = new Set(['/_health', '/_ready', '/_metrics']);

/** Sends traces over OTLP (HTTP, JSON) in the background. */
export function sendTraces(options: TelemetryOptions): Telemetry {
  const { endpoint, serviceName, told } = options;
  const sender = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/u, '')}/v1/traces`,
    // Stopping waits for in-flight requests (10 s) and then for this; both must end within 15 s.
    timeoutMillis: 3_000,
  });
  const report = turnsOf(told);
  const exporter: SpanExporter = {
    export: (spans, done) =>
      sender.export(spans, (result) => {
        report(result.error);
        done(result);
      }),
    shutdown: () => sender.shutdown(),
  };
  const provider = new BasicTracerProvider({
    // From OTEL_RESOURCE_ATTRIBUTES; the library reads headers and sampler from the environment too.
    resource: resourceFromAttributes({ 'service.name': serviceName }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('plinth');
  return {
    wantsSteps: true,
    wantsBodies: false,
    ended: (request, end) => {
      const { recording } = request;
      if (recording !== undefined && !unsent.has(request.start.path))
        sendRequest(tracer, request, recording, end, options);
    },
    // Stopping must not fail because the collector is down.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function sendRequest(
  tracer: Tracer,
  request: RequestTrace,
  recording: Recording,
  end: RequestEnd,
  { database, pathOf }: Pick<TelemetryOptions, 'database' | 'pathOf'>,
): void {
  const { method, path, requestId } = request.start;
  const at = (time: number): number => recording.wallTime(time);
  const span = tracer.startSpan(
    request.operation === '' ? method : `${method} ${request.routeName}`,
    {
      kind: SpanKind.SERVER,
      startTime: at(request.begin),
      attributes: {
        'http.request.method': method,
        'url.path': pathOf(path, end.status),
        'http.route': request.routeName,
        'http.response.status_code': end.status,
        'plinth.request_id': requestId,
        ...(request.client === undefined ? {} : { 'client.address': request.client }),
        ...(end.code === undefined ? {} : { 'error.type': end.code }),
        ...(request.server === undefined ? {} : { 'plinth.database.server': request.server }),
      },
    },
    parentOf(end.requestHeaders['traceparent']),
  );
  if (end.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  if (request.failure instanceof Error)
    span.recordException(request.failure, at(request.begin + end.duration));
  const below = traces.setSpan(ROOT_CONTEXT, span);
  for (const step of recording.steps) {
    const own = recording.statements.filter((statement) => statement.step === step);
    const stepSpan = tracer.startSpan(step.stage, { startTime: at(step.begin) }, below);
    const within = traces.setSpan(ROOT_CONTEXT, stepSpan);
    for (const { sql, begin, end: ended } of own)
      tracer
        .startSpan(
          sql.split(' ', 1)[0] ?? 'query',
          {
            kind: SpanKind.CLIENT,
            startTime: at(begin),
            attributes: { 'db.system.name': database, 'db.query.text': sql },
          },
          within,
        )
        .end(at(ended));
    // Parallel expansions end after the next step has begun.
    stepSpan.end(at(Math.max(step.end, ...own.map((statement) => statement.end))));
  }
  span.end(at(request.begin + end.duration));
}

/** The parent span in `traceparent` (W3C Trace Context); a malformed one is ignored. */
function parentOf(header: string | readonly string[] | undefined): Context {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/u.exec(String(header)) ??
    [];
  const isValid =
    version !== undefined &&
    version !== 'ff' &&
    traceId !== undefined &&
    spanId !== undefined &&
    !/^0+$/u.test(traceId) &&
    !/^0+$/u.test(spanId);
  if (!isValid) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags ?? '00', 16) & TraceFlags.SAMPLED;
  return traces.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

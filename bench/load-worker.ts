/**
 * The load generator, in a process of its own so that it shares no event loop with the harness.
 * It takes a `LoadJob` by message, runs it with autocannon and sends a `LoadResult` back.
 */
import autocannon from 'autocannon';
import { headersOf } from './http.ts';
import { drawRequests, shapeNamed, type LoadRequest, type ShapeName } from './shapes.ts';

/** One round: a shape against a server, with the seed of its requests. */
export type LoadJob = {
  readonly url: string;
  readonly shape: ShapeName;
  /** What the requests name of the server's own. */
  readonly known: string;
  readonly seed: number;
  readonly seconds: number;
  readonly connections: number;
};

/** What a round gave. `failures` counts every answer that was not 2xx, every error and time-out. */
export type LoadResult = {
  readonly perSecond: number;
  /** How many were answered with 2xx. */
  readonly answered: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
};

/** How many different requests a connection has at hand before it begins again. */
const requestsPerConnection = 1_000;

function run(job: LoadJob, done: (error: unknown, result?: LoadResult) => void): void {
  const { shape, known, seed, seconds, connections } = job;
  const count = connections * requestsPerConnection;
  const drawn = drawRequests(shapeNamed(shape), seed, count, known);
  let client = 0;
  let begin = 0;
  const load = autocannon(
    {
      url: job.url,
      connections,
      duration: seconds,
      pipelining: 1,
      sampleInt: 50,
      setupClient: (connection) => {
        const first = client++ * requestsPerConnection;
        connection.setRequests(drawn.slice(first, first + requestsPerConnection).map(toRequest));
      },
    },
    (error: unknown, result) => {
      if (error !== null) return done(error);
      // `duration` is rounded to whole samples; the clock of the answers is this one.
      const took = (performance.now() - begin) / 1_000;
      return done(null, {
        perSecond: result['2xx'] / took,
        answered: result['2xx'],
        p50: result.latency.p50,
        p99: result.latency.p99,
        failures: result.non2xx + result.errors + result.timeouts,
      });
    },
  );
  load.on('start', () => {
    begin = performance.now();
  });
}

function toRequest(request: LoadRequest): autocannon.Request {
  const { method, path, body } = request;
  if (body === undefined) return { method, path };
  const drawn = { method, path, body, headers: headersOf(request) };
  if (request.isKeyed !== true) return drawn;
  return { ...drawn, setupRequest: (again) => ({ ...again, headers: headersOf(request) }) };
}

process.on('message', (job: LoadJob) => {
  run(job, (error, result) => {
    if (result === undefined) throw error;
    process.send?.(result);
  });
});

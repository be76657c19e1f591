import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Certificate } from '../../http/server/listener.ts';
import { folderVariable, type Context } from '../../server/context.ts';
import { CommandFailure } from '../../server/failure.ts';
import { listenFailure, type Address } from '../../server/serve/address.ts';
import { CallForwarder } from './calls.ts';
import { isFromWorker, sendTo, type FromWorker, type StartState } from './messages.ts';
import { SharedPort } from './shared-port.ts';

/** The shortest time between two starts of a worker and its replacement, in ms. */
const minBetweenStarts = 1_000;
/** How often the primary pings each worker, in ms, and how many pings may stay without a response. */
const pingEvery = 5_000;
const maxMissedPings = 6;

interface Started {
  readonly worker: Worker;
  readonly serving: Promise<void>;
  /** Why it has ended. */
  readonly ended: Promise<string>;
  /** The failure that it has reported. */
  readonly failure: () => CommandFailure | undefined;
}

/**
 * Serves with `count` processes that run the same command and share a port. Replaces workers that end. A signal stops all
 * of them, and each ends its requests first. On SIGHUP all of them get the text of `reread`, unless that is undefined. Fails
 * if the first worker does.
 */
export async function runWorkers(
  context: Context,
  count: number,
  started: StartState['specification'],
  { host, port: wanted }: Address,
  reread: () => Promise<string | undefined>,
): Promise<void> {
  let specification = started;
  const { output } = context;
  const stop = context.stop();
  if (stop.aborted) return;
  const sharedPort = new SharedPort();
  const port = await sharedPort.listen(host, wanted).catch((error: unknown) => {
    throw listenFailure(error, host, wanted);
  });
  const token = randomBytes(32).toString('hex');
  const calls = new CallForwarder();
  /** The workers that run, each with how many pings it has missed. */
  const running = new Map<Worker, number>();
  let certificate: Certificate | undefined;

  const start = (isReporter: boolean): Started => {
    const worker = cluster.fork({ [folderVariable]: context.folder });
    running.set(worker, 0);
    const serving = Promise.withResolvers<void>();
    let failure: CommandFailure | undefined;
    const receive = (message: FromWorker): void => {
      if (message.plinth === 'started') {
        const state = { specification, certificate, port, token, isReporter };
        sendTo(worker, { plinth: 'begin', state });
        // It has not received messages from before.
        if (stop.aborted) sendTo(worker, { plinth: 'stop' });
      } else if (message.plinth === 'serving') {
        sharedPort.add(worker);
        serving.resolve();
      } else if (message.plinth === 'received') sharedPort.received(worker);
      else if (message.plinth === 'ended') sharedPort.ended(worker, message.count);
      else if (message.plinth === 'leave') void sharedPort.leave(worker);
      else if (message.plinth === 'certificate') ({ certificate } = message);
      else if (message.plinth === 'failed')
        failure = new CommandFailure(message.message, { exitCode: message.exitCode });
      else if (message.plinth === 'call') void calls.forward(worker, message);
      else if (message.plinth === 'result') calls.result(message.id, message.result);
    };
    worker.on('message', (message: unknown) => {
      if (!isFromWorker(message)) return;
      running.set(worker, 0);
      receive(message);
    });
    // Its start, which may take long on a busy machine, does not count as hanging.
    worker.once('online', () => running.set(worker, 0));
    // A message to a worker that has just died. Its end is handled below.
    worker.on('error', () => undefined);
    const end = async (): Promise<string> => {
      if (!worker.isDead()) await once(worker, 'exit');
      // Its last messages may still be read. No event says when, if a connection was on its way.
      while (worker.isConnected()) await delay(10);
      running.delete(worker);
      sharedPort.remove(worker);
      calls.remove(worker);
      const { exitCode, signalCode } = worker.process;
      return failure?.message ?? signalCode ?? `exit code ${exitCode}`;
    };
    return { worker, serving: serving.promise, ended: end(), failure: () => failure };
  };

  /** Runs a worker, and a replacement whenever it ends, until all stop. */
  const keepRunning = async (first: Started, isReporter: boolean): Promise<void> => {
    for (let { ended } = first; ; { ended } = start(isReporter)) {
      const since = performance.now();
      const why = await ended;
      if (stop.aborted) return;
      output.note(`Warning: a worker has ended (${why}). Another one takes its place.`);
      const pause = Math.max(0, minBetweenStarts - (performance.now() - since));
      await delay(pause, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) return;
    }
  };

  const stopAll = (): void => {
    sharedPort.stop();
    for (const worker of running.keys()) sendTo(worker, { plinth: 'stop' });
  };
  stop.addEventListener('abort', stopAll);
  let rereading: Promise<void> = Promise.resolve();
  const renew = async (): Promise<void> => {
    const text = stop.aborted ? undefined : await reread();
    if (text === undefined) return;
    specification = { ...specification, text };
    for (const worker of running.keys()) sendTo(worker, { plinth: 'specification', text });
  };
  context.onHangup(() => {
    rereading = rereading.then(renew);
  });
  // A worker that hangs keeps its connections, and their clients would wait for ever. Missed pings are counted, not time:
  // if the whole machine was suspended, no worker hangs.
  const pings = setInterval(() => {
    for (const [worker, missed] of running) {
      if (missed === maxMissedPings) {
        const seconds = (pingEvery * maxMissedPings) / 1_000;
        output.note(`Warning: a worker has not responded for ${seconds} s, and is killed.`);
        worker.process.kill('SIGKILL');
      }
      running.set(worker, missed + 1);
      sendTo(worker, { plinth: 'ping' });
    }
  }, pingEvery).unref();
  try {
    // If the first one fails, so would the others: then the command fails once.
    const first = start(true);
    const ended = await Promise.race([first.serving, first.ended]);
    if (ended !== undefined) {
      if (stop.aborted) return;
      throw (
        first.failure() ??
        new CommandFailure(`The first worker has ended before it could serve (${ended}).`)
      );
    }
    const others = stop.aborted ? [] : Array.from({ length: count - 1 }, () => start(false));
    await Promise.all([
      keepRunning(first, true),
      ...others.map((worker) => keepRunning(worker, false)),
    ]);
  } finally {
    clearInterval(pings);
    await sharedPort.close();
  }
}

import cluster from 'node:cluster';
import { Socket } from 'node:net';
import process from 'node:process';
import type { Certificate, ConnectionSource } from '../../http/server/listener.ts';
import type { Workers } from '../../http/server/workers.ts';
import type { Context } from '../../server/context.ts';
import { CommandFailure, databaseFailure } from '../../server/failure.ts';
import { endProcess } from '../process-end.ts';
import { WorkerCallChannel } from './calls.ts';
import { isFromPrimary, type FromPrimary, type FromWorker, type StartState } from './messages.ts';

/** What a process that serves has to know if it is a worker. */
export interface WorkerRole extends Pick<
  StartState,
  'specification' | 'certificate' | 'isReporter'
> {
  readonly workers: Workers;
  readonly connections: ConnectionSource;
  /** Aborts when all workers stop. */
  readonly stop: AbortSignal;
  /** Whether this worker prints the banner. */
  readonly printsBanner: boolean;
  /** Keeps a certificate for replacements that start while its files are not valid. */
  readonly keepCertificate: (certificate: Certificate) => void;
  /** Calls the listener with each new text of the specification. */
  readonly onSpecification: (listener: (text: string) => void) => void;
}

/** Does the work of one worker of `count`; reports a failure to the primary. */
export async function runWorker(
  context: Context,
  count: number,
  work: (role: WorkerRole) => Promise<void>,
): Promise<void> {
  const { worker } = cluster;
  if (worker === undefined) throw new TypeError('This process is not a worker');
  // If the primary has gone, the channel is closed, and that ends this process.
  const send = (message: FromWorker): boolean =>
    worker.isConnected() && worker.send(message, () => undefined);
  const stop = new AbortController();
  const calls = new WorkerCallChannel(send);
  const begin = Promise.withResolvers<StartState>();
  let connections: ReceivedConnections | undefined;
  const texts = new Texts();
  worker.on('message', (message: unknown, handle: unknown) => {
    if (!isFromPrimary(message)) return;
    if (message.plinth === 'stop') stop.abort();
    else if (message.plinth === 'begin') begin.resolve(message.state);
    else if (message.plinth === 'specification') texts.push(message.text);
    else if (message.plinth === 'ping') send({ plinth: 'pong' });
    else if (message.plinth === 'call') void calls.respondTo(message);
    else if (message.plinth === 'results') calls.results(message.id, message.results);
    else connections?.receive(message, handle);
  });
  try {
    const anyStop = AbortSignal.any([context.stop(), stop.signal]);
    send({ plinth: 'started' });
    const state = await begin.promise;
    connections = new ReceivedConnections(state.port, send);
    await work({
      ...state,
      workers: {
        count,
        id: worker.id,
        token: state.token,
        respond: (name, respond) => calls.respond(name, respond),
        callOthers: (name, argument) => calls.callOthers(name, argument),
      },
      connections,
      stop: anyStop,
      printsBanner: worker.id === 1,
      keepCertificate: (certificate) => void send({ plinth: 'certificate', certificate }),
      onSpecification: (listener) => texts.listen(listener),
    });
  } catch (error) {
    const known = databaseFailure(error, 'file');
    if (!(known instanceof CommandFailure)) throw error;
    for (const line of known.details) context.output.note(line);
    send({ plinth: 'failed', message: known.message, exitCode: known.exitCode });
    process.exitCode = known.exitCode;
  } finally {
    // The channel would keep the process alive.
    worker.disconnect();
    endProcess();
  }
}

/** The texts of the specification that a worker gets. The last one waits for the listener. */
class Texts {
  private last: string | undefined;
  private listener: ((text: string) => void) | undefined;

  push(text: string): void {
    if (this.listener === undefined) this.last = text;
    else this.listener(text);
  }

  listen(listener: (text: string) => void): void {
    this.listener = listener;
    if (this.last !== undefined) listener(this.last);
  }
}

/** The connections that the primary sends to a worker. */
class ReceivedConnections implements ConnectionSource {
  readonly port: number;
  private readonly send: (message: FromWorker) => void;
  private readonly left = Promise.withResolvers<void>();
  private take: ((connection: Socket) => void) | undefined;
  private received = 0;
  /** Connections that have ended and are not reported yet. */
  private ended = 0;

  constructor(port: number, send: (message: FromWorker) => void) {
    this.port = port;
    this.send = send;
  }

  start(take: (connection: Socket) => void): void {
    this.take = take;
    this.send({ plinth: 'serving' });
  }

  stop(): Promise<void> {
    this.send({ plinth: 'leave' });
    return this.left.promise;
  }

  receive(message: FromPrimary, handle: unknown): void {
    if (message.plinth === 'left') this.left.resolve();
    else if (message.plinth === 'connection') this.receiveOne(handle);
    else if (message.plinth === 'sent') while (this.received < message.count) this.receiveOne();
  }

  private receiveOne(handle?: unknown): void {
    this.received += 1;
    this.send({ plinth: 'received' });
    // Without a handle it has ended on the way, or this process has no free file descriptor.
    if (!(handle instanceof Socket)) this.end();
    else {
      handle.once('close', () => this.end());
      this.take?.(handle);
    }
  }

  /** Reports all connections that end in one turn of the event loop together. */
  private end(): void {
    this.ended += 1;
    if (this.ended > 1) return;
    setImmediate(() => {
      this.send({ plinth: 'ended', count: this.ended });
      this.ended = 0;
    });
  }
}

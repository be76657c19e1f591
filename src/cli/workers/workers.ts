import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../../http/server/fleet.ts';
import type { Certificate, Doorway } from '../../http/server/listener.ts';
import { folderVariable, type Context } from '../context.ts';
import { Door } from './door.ts';
import { CommandFailure, databaseFailure } from '../failure.ts';
import { fleetOf, Switchboard } from './fleet.ts';
import { Pulse } from './pulse.ts';
import {
  isFromPrimary,
  isFromWorker,
  tell,
  type FromDoor,
  type FromWorker,
  type Outset,
} from './messages.ts';

/** A worker that has ended is replaced, but no more than one in so many ms. */
const startEvery = 1_000;
/** The variable in which a worker is told what all of them know. */
const tokenName = 'PLINTH_FLEET_TOKEN';
/** The variable in which one of the workers is told that it speaks for all. */
const speakerName = 'PLINTH_FLEET_SPEAKER';

/** What a process that serves has to know when it is one of several. */
export interface Place {
  readonly fleet: Fleet;
  /** Where its connections come from. */
  readonly doorway: Doorway;
  /** Aborts when all are to stop. */
  readonly stop: AbortSignal;
  /** Whether it says how all of them begin. */
  readonly announces: boolean;
  /** Whether it says what happens to all of them; when it dies, its successor does. */
  readonly speaks: boolean;
  readonly outset: Outset;
  /** Keeps a certificate for those that begin when its files cannot be used. */
  readonly keep: (certificate: Certificate) => void;
}

/** Whether this process is a worker of another one. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/**
 * Runs `count` processes with the arguments of this one, which share its port, until a signal comes; then all of them
 * let their requests end. One that dies is replaced, and the next one serves the same specification. Fails with what the
 * first one fails with.
 */
export async function runWorkers(
  context: Context,
  count: number,
  specification: Outset['specification'],
): Promise<void> {
  const stop = context.stop();
  if (stop.aborted) return;
  const switchboard = new Switchboard();
  const token = randomBytes(32).toString('hex');
  const door = new Door();
  const pulse = new Pulse((seconds) =>
    context.output.note(`Warning: a worker has stood still for ${seconds} s, and is ended.`),
  );
  const workers = new Set<Worker>();
  let failure: CommandFailure | undefined;
  let certificate: Certificate | undefined;
  const start = (speaks: boolean): Worker => {
    const worker = cluster.fork({
      [tokenName]: token,
      [speakerName]: String(speaks),
      [folderVariable]: context.folder,
    });
    workers.add(worker);
    worker.once('online', () => pulse.hear(worker));
    worker.on('message', (message: unknown) => {
      if (!isFromWorker(message)) return;
      pulse.hear(worker);
      if (message.plinth === 'pong') return;
      if (message.plinth === 'here')
        tell(worker, { plinth: 'begin', outset: { specification, certificate } });
      else if (message.plinth === 'certificate') ({ certificate } = message);
      else if (message.plinth === 'failed')
        failure = new CommandFailure(message.message, { exitCode: message.exitCode });
      else if (message.plinth === 'ask' || message.plinth === 'answer')
        switchboard.hear(worker, message);
      else door.hear(worker, message);
    });
    // A message to one that has just died; its end is dealt with.
    worker.on('error', () => undefined);
    return worker;
  };
  const stopAll = async (): Promise<void> => {
    await once(stop, 'abort');
    door.stop();
    for (const worker of workers) tell(worker, { plinth: 'stop' });
  };
  const stopped = stopAll();
  /** Resolves with how a worker has ended, once all is heard that it has said. */
  const ended = async (worker: Worker): Promise<string> => {
    if (!worker.isDead()) await once(worker, 'exit');
    // No event tells of it where a connection was on its way.
    while (worker.isConnected()) await delay(10);
    workers.delete(worker);
    door.forget(worker);
    switchboard.forget(worker);
    pulse.forget(worker);
    const { exitCode, signalCode } = worker.process;
    return signalCode ?? `exit code ${exitCode}`;
  };
  // The first alone: what hinders it would hinder all of them, and is told once.
  const first = start(true);
  const firstEnd = ended(first);
  const begun = await Promise.race([door.opened, firstEnd]);
  if (failure !== undefined) throw failure;
  if (typeof begun === 'string') {
    if (stop.aborted) return;
    throw new CommandFailure(`The first worker has ended before it could serve (${begun}).`);
  }
  /** One of the places: a worker, and after it the next one, until all are to stop. */
  const keep = async (next: Worker): Promise<void> => {
    for (let worker = next; ; worker = start(next === first)) {
      const since = performance.now();
      const how = await (worker === first ? firstEnd : ended(worker));
      if (stop.aborted) return;
      context.output.note(
        `Warning: a worker has ended (${failure?.message ?? how}). Another one takes its place.`,
      );
      failure = undefined;
      await Promise.race([stopped, delay(Math.max(0, startEvery - (performance.now() - since)))]);
      if (stop.aborted) return;
    }
  };
  const places = [first];
  while (places.length < count && !stop.aborted) places.push(start(false));
  await Promise.all(places.map(keep));
  pulse.end();
  await door.end();
}

/** Does the work of one worker of `count`; what fails is told to the process that has started it. */
export async function beWorker(
  context: Context,
  count: number,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const { worker } = cluster;
  if (worker === undefined) throw new TypeError('This process is no worker');
  // Where the first process has gone, the end of the channel tells.
  const send = (message: FromWorker): boolean =>
    worker.isConnected() && worker.send(message, () => undefined);
  const stop = new AbortController();
  const token = context.environment[tokenName] ?? '';
  const { fleet, hear } = fleetOf({ size: count, member: worker.id, token }, send);
  const entry = new WorkerDoorway(send);
  const outset = Promise.withResolvers<Outset>();
  worker.on('message', (message: unknown, connection: unknown) => {
    if (!isFromPrimary(message)) return;
    if (message.plinth === 'stop') stop.abort();
    else if (message.plinth === 'begin') outset.resolve(message.outset);
    else if (message.plinth === 'ping') send({ plinth: 'pong' });
    else if (message.plinth === 'asked' || message.plinth === 'answers') hear(message);
    else entry.hear(message, connection);
  });
  try {
    const anyStop = AbortSignal.any([context.stop(), stop.signal]);
    const speaks = context.environment[speakerName] === 'true';
    send({ plinth: 'here' });
    await work({
      fleet,
      doorway: entry,
      stop: anyStop,
      announces: worker.id === 1,
      speaks,
      outset: await outset.promise,
      keep: (certificate) => void send({ plinth: 'certificate', certificate }),
    });
  } catch (error) {
    const known = databaseFailure(error, 'file');
    if (!(known instanceof CommandFailure)) throw error;
    for (const line of known.details) context.output.note(line);
    send({ plinth: 'failed', message: known.message, exitCode: known.exitCode });
    process.exitCode = known.exitCode;
  } finally {
    // Else the channel would keep it from ending.
    worker.disconnect();
  }
}

/** The worker's side of the door. */
class WorkerDoorway implements Doorway {
  private readonly send: (message: FromWorker) => void;
  private readonly opened = Promise.withResolvers<number>();
  private readonly closed = Promise.withResolvers<void>();
  private take: ((connection: Socket) => void) | undefined;
  /** How many connections it was given. */
  private given = 0;
  /** How many have ended that the door has not been told of. */
  private ended = 0;

  constructor(send: (message: FromWorker) => void) {
    this.send = send;
  }

  open(host: string, port: number, take: (connection: Socket) => void): Promise<number> {
    this.take = take;
    this.send({ plinth: 'open', host, port });
    return this.opened.promise;
  }

  close(): Promise<void> {
    this.send({ plinth: 'close' });
    return this.closed.promise;
  }

  hear(message: FromDoor, connection: unknown): void {
    if (message.plinth === 'opened') this.opened.resolve(message.port);
    else if (message.plinth === 'closed') this.closed.resolve();
    else if (message.plinth === 'refused')
      this.opened.reject(Object.assign(new Error(message.error.message), message.error));
    else if (message.plinth === 'connection') this.enter(connection);
    // A process that may have no further descriptor is given none, and no message either.
    else while (this.given < message.count) this.enter(undefined);
  }

  private enter(connection: unknown): void {
    this.given += 1;
    this.send({ plinth: 'taken' });
    // It may have ended on the way.
    if (!(connection instanceof Socket)) this.end();
    else {
      connection.once('close', () => this.end());
      this.take?.(connection);
    }
  }

  /** A connection has ended: the door is told of all of one turn together. */
  private end(): void {
    this.ended += 1;
    if (this.ended > 1) return;
    setImmediate(() => {
      this.send({ plinth: 'ended', count: this.ended });
      this.ended = 0;
    });
  }
}

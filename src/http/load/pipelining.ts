import type { Socket } from 'node:net';
import { ownTurn, whenDone } from '../../lib/event-loop.ts';
import { goOn, halt } from './halts.ts';

/** What came behind other requests of its connection has so long of one turn of the event loop, in ms. */
const slice = 16;

/** What was read of a connection in this turn behind its first request, and what of it has not begun. */
interface Behind {
  /** Until when others of it begin at once. */
  readonly until: number;
  readonly waiting: (() => void)[];
}

/**
 * Bounds what one connection takes of a turn of the event loop. A client may send hundreds of requests before it reads the
 * first answer; they are read together, and begun one after the other they would let nobody else be heard for seconds. So
 * what has not begun within a slice waits, in its order, for a turn that it shares with nobody else who waits so, and
 * nothing more is read of the connection until all of it has begun.
 */
export class Pipelines {
  private readonly behind = new Map<Socket, Behind>();
  private readonly clock: () => number;
  private readonly atTurnEnd = (): void => this.endTurn();

  /** `clock`: a time that only grows, in ms. */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  /** Begins a request that has come while another one of its connection has no answer yet: now, or when its turn comes. */
  begin(socket: Socket, work: () => void): void {
    const behind = this.behind.get(socket) ?? this.note(socket);
    const { waiting, until } = behind;
    if (waiting.length === 0 && this.clock() < until) {
      work();
      return;
    }
    waiting.push(work);
    if (waiting.length === 1) void this.beginWaiting(socket, waiting);
  }

  private note(socket: Socket): Behind {
    if (this.behind.size === 0) setImmediate(this.atTurnEnd);
    const behind = { until: this.clock() + slice, waiting: [] };
    this.behind.set(socket, behind);
    return behind;
  }

  /** What nobody waits behind was begun in time: the next turn has a slice of its own. */
  private endTurn(): void {
    for (const [socket, { waiting }] of this.behind)
      if (waiting.length === 0) this.behind.delete(socket);
    if (this.behind.size > 0) setImmediate(this.atTurnEnd);
  }

  private async beginWaiting(socket: Socket, waiting: (() => void)[]): Promise<void> {
    // Behind all that was read together: the parser asks for more with each request that it has taken apart.
    queueMicrotask(() => halt(socket));
    while (waiting.length > 0) {
      await ownTurn();
      const end = this.clock() + slice;
      do {
        waiting[0]?.();
        await new Promise<void>((resolve) => whenDone(resolve));
        waiting.shift();
      } while (waiting.length > 0 && this.clock() < end);
    }
    this.behind.delete(socket);
    goOn(socket);
  }
}

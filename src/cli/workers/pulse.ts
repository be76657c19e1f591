import type { Worker } from 'node:cluster';
import { tell } from './messages.ts';

/** How often workers are asked for a sign of life, in ms, and how many of them one may owe. */
const every = 5_000;
const mostMissed = 6;

/**
 * Ends workers that stand still: one that is stopped, or goes round in a circle, keeps the connections that it has, whose
 * clients would wait for ever. Counted in questions, not in time: where all processes stood still, as with the machine, nobody
 * is to blame.
 */
export class Pulse {
  private readonly missed = new Map<Worker, number>();
  private readonly timer: NodeJS.Timeout;

  /** `tellOf`: what is done before one is ended. */
  constructor(tellOf: (seconds: number) => void) {
    this.timer = setInterval(() => {
      for (const [worker, count] of this.missed) {
        if (!worker.isConnected()) continue;
        if (count === mostMissed) {
          tellOf((every * mostMissed) / 1_000);
          worker.process.kill('SIGKILL');
        }
        this.missed.set(worker, count + 1);
        tell(worker, { plinth: 'ping' });
      }
    }, every).unref();
  }

  /** A worker has begun, or has given a sign of life. */
  hear(worker: Worker): void {
    this.missed.set(worker, 0);
  }

  /** A worker has ended. */
  forget(worker: Worker): void {
    this.missed.delete(worker);
  }

  end(): void {
    clearInterval(this.timer);
  }
}

import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet, ToldMetric } from '../../http/server/fleet.ts';
import { tell, type FromPrimary, type FromWorker } from './messages.ts';
import { KeptCounts } from './metrics.ts';

/** How long the others may take to answer, in ms. */
const patience = 1_000;

/** Puts the question of one worker to all others, and gives it their answers. */
export class Switchboard {
  private readonly asked = new Map<number, (answer: unknown) => void>();
  private last = 0;
  private readonly counts = new KeptCounts();

  hear(worker: Worker, message: Extract<FromWorker, { plinth: 'ask' | 'answer' }>): void {
    if (message.plinth === 'answer') this.asked.get(message.id)?.(message.answer);
    else void this.collect(worker, message);
  }

  /** A worker has ended. */
  forget(worker: Worker): void {
    this.counts.end(worker.id);
  }

  private async collect(
    asker: Worker,
    { id, kind, question }: Extract<FromWorker, { plinth: 'ask' }>,
  ): Promise<void> {
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && worker !== asker && worker.isConnected(),
    ) as Worker[];
    if (kind === 'metrics') this.counts.told(asker.id, question as readonly ToldMetric[]);
    const answers = new Map<number, unknown>();
    const hearOne = async (worker: Worker): Promise<void> => {
      const answer = await this.ask(worker, kind, question);
      if (answer === undefined) return;
      answers.set(worker.id, answer);
      if (kind === 'metrics') this.counts.told(worker.id, answer as readonly ToldMetric[]);
    };
    await Promise.all(others.map(hearOne));
    const all =
      kind === 'metrics'
        ? this.counts.others(asker.id, answers as ReadonlyMap<number, readonly ToldMetric[]>)
        : [...answers.values()];
    tell(asker, { plinth: 'answers', id, answers: all });
  }

  /** Undefined where it does not answer: it has just begun, or ends. */
  private async ask(
    worker: Worker,
    kind: Extract<FromPrimary, { plinth: 'asked' }>['kind'],
    question: unknown,
  ): Promise<unknown> {
    this.last += 1;
    const id = this.last;
    const timer = new AbortController();
    const answer = new Promise<unknown>((found) => {
      this.asked.set(id, found);
      tell(worker, { plinth: 'asked', id, kind, question });
    });
    const late = delay(patience, undefined, { signal: timer.signal }).catch(() => undefined);
    const found = await Promise.race([answer, late]);
    timer.abort();
    this.asked.delete(id);
    return found;
  }
}

/** The fleet as one of its workers meets it, and what hears the messages that it is told. */
export function fleetOf(
  { size, member, token }: Pick<Fleet, 'size' | 'member' | 'token'>,
  /** Gives whether there is somebody to hear it. */
  send: (message: FromWorker) => boolean,
): { readonly fleet: Fleet; readonly hear: (message: FromPrimary) => void } {
  const answers = new Map<string, (question: unknown) => Promise<unknown>>();
  const waiting = new Map<number, (answers: readonly unknown[]) => void>();
  let last = 0;
  const fleet: Fleet = {
    size,
    member,
    token,
    answer: (kind, give) => void answers.set(kind, give as (question: unknown) => Promise<unknown>),
    ask: async (kind, question) => {
      last += 1;
      const id = last;
      const answer = new Promise<readonly unknown[]>((found) => {
        waiting.set(id, found);
        if (!send({ plinth: 'ask', id, kind, question })) found([]);
      });
      const all = await answer;
      waiting.delete(id);
      return all as never;
    },
  };
  /** One that serves not yet, or fails to answer, says nothing, and is not counted. */
  const answerTo = async (kind: string, question: unknown): Promise<unknown> =>
    answers
      .get(kind)?.(question)
      .catch(() => undefined);
  const hear = (message: FromPrimary): void => {
    if (message.plinth === 'answers') waiting.get(message.id)?.(message.answers);
    if (message.plinth !== 'asked') return;
    const { id, kind, question } = message;
    void answerTo(kind, question).then((answer) => send({ plinth: 'answer', id, answer }));
  };
  return { fleet, hear };
}

import { writeEventId, type DashboardNews, type NewsWanted, type Seen } from './news.ts';
import type { Hello } from './wire.ts';
import type { ActivityPoint } from '../../observability/activity.ts';
import type { ReloadEvent } from '../../observability/events.ts';

/**
 * How often new requests are sent, in ms, and how much later for each one sent: at most 250 a second, so that a busy server
 * still sends all that it keeps.
 */
const betweenLooks = 250;
const afterEach = 4;
/** How many notices wait for a slow page. */
const keptNotices = 100;
/** How often activity is sent, in ms; it is the heartbeat too. */
const betweenPoints = 2_000;
/** How long a stream lasts, in ms. The page opens the next one at once, and is authenticated again. */
const longestStream = 300_000;

const nothing: DashboardNews = { seen: {}, rows: [], spans: [] };

/** The data of a stream. */
export interface Source {
  readonly hello: Hello;
  /** The prefix of event ids, which differs between servers. */
  readonly server: string;
  /** What the page has already. */
  readonly seen: Seen;
  readonly news: (wanted: NewsWanted) => Promise<DashboardNews>;
  /** Activity points of spans, from a number on. */
  readonly points: (spans: DashboardNews['spans'], from: number) => readonly ActivityPoint[];
  readonly clock: () => number;
  /** Called while the page is open. */
  readonly looks: () => void;
}

/**
 * One open page. It queues no events: when the page takes more, they are read from the kept requests. So a slow page costs
 * no memory, and misses what is no longer kept.
 */
export class Watcher {
  private isEnded = false;
  private readonly notices: string[] = [];
  private wake: (() => void) | undefined;

  /** Sends a notice at once, and ends the stream if the page has to reload. */
  specification(event: ReloadEvent | undefined): void {
    this.notice(eventText('specification', event ?? null));
    if (event === undefined) this.end();
  }

  /** The simulated network was changed. */
  network(): void {
    this.notice(eventText('network', null));
  }

  /** Ends the stream after pending events. */
  end(): void {
    this.isEnded = true;
    this.wake?.();
  }

  /** The event stream. */
  async *events({
    hello,
    server,
    seen: before,
    news,
    points,
    clock,
    looks,
  }: Source): AsyncGenerator<string> {
    const begin = clock();
    let seen = before;
    let [from, nextRows, nextPoints] = [0, begin, begin];
    yield eventText('hello', hello);
    for (let isFirst = true; !this.isEnded && clock() - begin < longestStream; isFirst = false) {
      looks();
      const now = clock();
      const isWanted = { rows: now >= nextRows, points: now >= nextPoints };
      const { rows, spans, ...told } =
        isWanted.rows || isWanted.points
          ? await news({
              ...(isWanted.rows ? { seen } : {}),
              ...(isWanted.points ? { from } : {}),
            })
          : nothing;
      let text = this.notices.splice(0).join('');
      if (isWanted.rows) {
        seen = seenWith(seen, told.seen);
        nextRows = clock() + Math.max(betweenLooks, isFirst ? 0 : rows.length * afterEach);
        if (isFirst || rows.length > 0)
          text += eventText('requests', rows, writeEventId(server, seen));
      }
      if (isWanted.points) {
        const list = points(spans, from);
        // The current span, and the one before it, may still change.
        from = (list.at(-1)?.number ?? from) - 1;
        nextPoints = clock() + betweenPoints;
        text += eventText('activity', list);
      }
      if (text !== '') yield text;
      await this.wait(Math.max(0, Math.min(nextRows, nextPoints) - clock()));
    }
    if (this.notices.length > 0) yield this.notices.join('');
  }

  private notice(text: string): void {
    this.notices.push(text);
    // A slow page gets the latest only.
    if (this.notices.length > keptNotices) this.notices.shift();
    this.wake?.();
  }

  private async wait(time: number): Promise<void> {
    if (this.isEnded || this.notices.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, time);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}

function seenWith(before: Seen, news: Seen): Seen {
  return { ...before, ...news };
}

/** An event as sent; JSON text has no line breaks. */
function eventText(name: string, data: unknown, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

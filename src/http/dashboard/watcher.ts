import { writeEventId, type DashboardNews, type NewsWanted, type Seen } from './news.ts';
import type { Hello } from './wire.ts';
import type { ActivityPoint } from '../../observability/activity.ts';
import type { ReloadEvent } from '../../observability/events.ts';

/**
 * How often it is looked whether requests have come, and how much later for each that has: a busy server tells of no more
 * than 250 a second, and still of all that it keeps.
 */
const betweenLooks = 250;
const afterEach = 4;
/** How many notices wait for a page that takes nothing. */
const keptNotices = 100;
/** How often activity is told, which also shows that the server is there. */
const betweenPoints = 2_000;
/** How long a stream lasts: the page opens the next one at once, and is asked again who it is. */
const longestStream = 300_000;

const nothing: DashboardNews = { seen: {}, rows: [], spans: [] };

/** What a stream tells of. */
export interface Source {
  readonly hello: Hello;
  /** What begins the id of each event: another server has another. */
  readonly server: string;
  /** What the page has seen. */
  readonly seen: Seen;
  readonly news: (wanted: NewsWanted) => Promise<DashboardNews>;
  /** The points of the spans that are told, from a number on. */
  readonly points: (spans: DashboardNews['spans'], from: number) => readonly ActivityPoint[];
  readonly clock: () => number;
  /** Called while somebody looks on. */
  readonly looks: () => void;
}

/**
 * One open page. It holds no events: what has come since is read from what is kept anyway when the page takes more, so
 * a slow page costs no memory and misses what is no longer kept.
 */
export class Watcher {
  private isEnded = false;
  private readonly notices: string[] = [];
  private wake: (() => void) | undefined;

  /** Tells the page at once, and ends with it where it has to ask anew. */
  specification(event: ReloadEvent | undefined): void {
    this.notice(eventText('specification', event ?? null));
    if (event === undefined) this.end();
  }

  /** Somebody has changed the simulated network. */
  network(): void {
    this.notice(eventText('network', null));
  }

  /** The stream ends after what there is to say. */
  end(): void {
    this.isEnded = true;
    this.wake?.();
  }

  /** The events as the page gets them. */
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
        // The one that runs, and the one before it, may have more the next time.
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
    // Of a page that takes nothing only the latest is kept.
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

/** An event as it is sent: JSON has no line breaks of its own. */
function eventText(name: string, data: unknown, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

import type { Hello, RequestRow } from './dashboard-wire.ts';
import type { ActivityPoint } from '../trace/activity.ts';
import type { ReloadEvent } from '../trace/events.ts';

/** How often it is looked whether requests have come; after many at once less often, so that a busy server pays little. */
const betweenLooks = 250;
const betweenMany = 1_000;
const many = 100;
/** How often activity is told, which also shows that the server is there. */
const betweenPoints = 2_000;
/** How long a stream lasts: the page opens the next one at once, and is asked again who it is. */
const longestStream = 300_000;

/** What a stream tells of. */
export interface Source {
  readonly hello: Hello;
  /** What begins the id of each event: another server has another. */
  readonly server: string;
  /** The number of the request that the page has seen last. */
  readonly seen: number;
  /** Those after a number, oldest first. */
  readonly requests: (after: number) => readonly RequestRow[];
  /** The spans of activity from a number on. */
  readonly points: (from: number) => readonly ActivityPoint[];
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
    seen,
    requests,
    points,
    clock,
    looks,
  }: Source): AsyncGenerator<string> {
    const begin = clock();
    let [last, span, nextPoints, pause] = [seen, -Infinity, begin, 0];
    yield eventText('hello', hello);
    while (!this.isEnded && clock() - begin < longestStream) {
      looks();
      const rows = requests(last);
      const isFirst = pause === 0;
      last = rows.at(-1)?.number ?? last;
      pause = rows.length > many ? betweenMany : betweenLooks;
      let text = this.notices.splice(0).join('');
      if (isFirst || rows.length > 0)
        text += eventText('requests', rows, `${server}.${String(last)}`);
      if (clock() >= nextPoints) {
        const spans = points(span);
        // The one that runs, and the one before it, may have more the next time.
        span = (spans.at(-1)?.number ?? span) - 1;
        nextPoints = clock() + betweenPoints;
        text += eventText('activity', spans);
      }
      if (text !== '') yield text;
      await this.wait(pause);
    }
    if (this.notices.length > 0) yield this.notices.join('');
  }

  private notice(text: string): void {
    this.notices.push(text);
    // Of a page that takes nothing only the latest is kept.
    if (this.notices.length > many) this.notices.shift();
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

/** An event as it is sent: JSON has no line breaks of its own. */
function eventText(name: string, data: unknown, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

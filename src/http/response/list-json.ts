import { ownTurn } from '../../lib/event-loop.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';

/** A list of more characters is written in portions, each in a turn of the event loop of its own. */
const longList = 1024 * 1024;
/** The characters of a portion, about: a ms or two. */
const portionLength = 256 * 1024;
/** The most by which the number of records grows from one portion to the next. */
const mostGrowth = 8;

/**
 * The JSON text of a list. `characters`: its expected length; a long list is written in portions, and other requests are
 * served between them.
 */
export function listJson(records: readonly unknown[], characters: number): MaybePromise<string> {
  return characters <= longList ? JSON.stringify(records) : longListJson(records);
}

async function longListJson(records: readonly unknown[]): Promise<string> {
  const portions: string[] = [];
  let count = 1;
  for (let start = 0; start < records.length;) {
    await ownTurn();
    const portion = JSON.stringify(records.slice(start, start + count)).slice(1, -1);
    portions.push(portion);
    start += count;
    const growth = Math.min(mostGrowth, portionLength / portion.length);
    count = Math.max(1, Math.floor(count * growth));
  }
  await ownTurn();
  return `[${portions.join(',')}]`;
}

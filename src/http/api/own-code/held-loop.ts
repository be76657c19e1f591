import type { Exchange } from '../exchange.ts';

/** How long a function may hold the event loop before the log tells, in ms. */
const longestTurn = 200;
/** How often the event loop is looked at while functions wait, in ms. */
const lookEvery = 50;

/** A function that runs, by its name for the log. */
interface Running {
  readonly exchange: Pick<Exchange, 'note' | 'requestId'>;
  readonly place: string;
}

/** The functions that have waited once, and go on when the event loop lets them. */
const running = new Set<Running>();
let timer: NodeJS.Timeout | undefined;
/** When the event loop was last free. */
let free = 0;

/**
 * Tells in the log that a function has held the event loop since a time: a synchronous loop cannot be ended. That of the
 * function until it first waits is measured; what it does then is seen while it is watched.
 */
export function checkHold({ exchange, place }: Running, since: number): void {
  const now = performance.now();
  const held = now - since;
  if (held <= longestTurn) return;
  free = now;
  tell(exchange, `${place} held the event loop for ${Math.round(held)} ms`);
}

/** Watches the event loop until the function has ended, which `unwatch` is told. */
export function watch(call: Running): void {
  running.add(call);
  if (timer !== undefined) return;
  free = performance.now();
  timer = setInterval(look, lookEvery).unref();
}

export function unwatch(call: Running): void {
  // The one that has held the event loop is the first to end after it.
  checkRunning([call]);
  running.delete(call);
  if (running.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function look(): void {
  checkRunning([...running]);
  free = performance.now();
}

function checkRunning(calls: readonly Running[]): void {
  const now = performance.now();
  const held = now - free - lookEvery;
  const [first] = calls;
  if (held <= longestTurn || first === undefined) return;
  free = now;
  const places = [...new Set(calls.map(({ place }) => place))].slice(0, 3).join(', ');
  tell(first.exchange, `The event loop was held for ${Math.round(held)} ms while ${places} ran`);
}

function tell({ note, requestId }: Running['exchange'], message: string): void {
  note({ level: 'warn', requestId, message });
}

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryBudgets, Reservation } from '../../src/http/load/memory-budget.ts';
import { ReadMemory, type ReadRequest } from '../../src/http/load/read-memory.ts';
import type { CompiledRead } from '../../src/sql/compile/read.ts';

const mebibyte = 1024 * 1024;

interface Reads {
  readonly request: () => ReadRequest;
  /** Runs a read of records of 10,000 characters; a thousand of them are large. */
  readonly run: (of: ReadRequest, records: number, work?: () => unknown) => unknown;
}

/** Of which the length is known. */
function startReads(): Reads {
  const budgets = memoryBudgets(1_024 * mebibyte, mebibyte);
  const memory = new ReadMemory(budgets);
  // The parts of a read by which it is admitted: rows of any length, without expansions.
  const compiled = {
    rows: [{ rowLength: { most: Infinity, texts: [] } }],
    selection: { expand: [] },
  } as unknown as CompiledRead;
  const request = (): ReadRequest => ({
    reservation: new Reservation(budgets.small, budgets.reads),
    requester: { caller: 'a', onGone: () => () => undefined },
    until: performance.now() + 5_000,
    most: undefined,
  });
  const run: Reads['run'] = (of, records, work) =>
    memory.run(of, compiled, records, (budget) => {
      budget.use(records * 10_000);
      budget.records = records;
      return work?.();
    });
  run(request(), 1);
  return { request, run };
}

function beBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a large read that waits for its turn gets it although nothing else happens', async () => {
  const { request, run } = startReads();
  for (let round = 0; round < 40; round += 1) {
    // Small reads, with which large ones take turns.
    for (const _ of [1, 2]) run(request(), 1);
    const busy = request();
    // Turns end between two milliseconds, in which timers count.
    await run(busy, 1_000, () => beBusy(1 + round / 40));
    busy.reservation.release();
    const large = request();
    expect(await run(large, 1_000, () => 'large')).toBe('large');
    large.reservation.release();
  }
});

test('a request with two large reads does not wait for itself, and the next begins once it has ended', async () => {
  const { request, run } = startReads();
  const begun: string[] = [];
  const [first, second] = [request(), request()];
  for (const _ of [1, 2]) run(request(), 1);
  run(first, 1_000, () => begun.push('first'));
  const after = run(second, 1_000, () => begun.push('second'));
  run(first, 1_000, () => begun.push('first again'));
  expect(begun).toEqual(['first', 'first again']);
  first.reservation.release();
  await after;
  expect(begun).toEqual(['first', 'first again', 'second']);
});

test('a large read begins after the longest of several pauses', async () => {
  const { request, run } = startReads();
  const others = (): void => {
    for (const _ of [1, 2, 3]) run(request(), 1);
  };
  const [first, second] = [request(), request()];
  await run(first, 1_000);
  await run(second, 1_000);
  others();
  beBusy(2);
  first.reservation.release();
  others();
  beBusy(20);
  second.reservation.release();
  // The shorter pause is over, the longer one is not.
  await delay(20);
  expect(await run(request(), 1_000, () => 'begun')).toBe('begun');
});

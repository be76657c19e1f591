import { expect, test } from 'vitest';
import { memoryBudgets, Reservation } from '../../src/http/load/memory-budget.ts';
import { ReadMemory, type ReadRequest } from '../../src/http/load/read-memory.ts';
import type { CompiledRead } from '../../src/sql/compile/read.ts';

/** The parts of a read by which it is admitted: rows of any length, without expansions. */
const read = (): CompiledRead =>
  ({ rows: [{ rowLength: { most: Infinity, texts: [] } }], selection: { expand: [] } }) as never;

const mebibyte = 1024 * 1024;

test('a large read that waits for its turn gets it although nothing else happens', async () => {
  const budgets = memoryBudgets(1_024 * mebibyte, mebibyte);
  const memory = new ReadMemory(budgets);
  const run = (records: number, work: () => string): unknown => {
    const reservation = new Reservation(budgets.small, budgets.reads);
    const request: ReadRequest = {
      reservation,
      requester: { caller: 'a', onGone: () => () => undefined },
      until: performance.now() + 5_000,
      most: undefined,
    };
    return memory.run(request, read(), records, () => {
      const done = work();
      reservation.release();
      return done;
    });
  };
  for (let round = 0; round < 40; round += 1) {
    // Small reads, with which large ones take turns.
    expect([1, 1].map((records) => run(records, () => 'small'))).toEqual(['small', 'small']);
    const busy = run(1_000, () => {
      // Turns end between two milliseconds, in which timers count.
      const end = performance.now() + 1 + round / 40;
      while (performance.now() < end);
      return 'busy';
    });
    expect(await busy).toBe('busy');
    expect(await run(1_000, () => 'large')).toBe('large');
  }
});

test('a request with two large reads does not wait for itself, and the next begins once it has ended', async () => {
  const budgets = memoryBudgets(1_024 * mebibyte, mebibyte);
  const memory = new ReadMemory(budgets);
  const request = (): ReadRequest => ({
    reservation: new Reservation(budgets.small, budgets.reads),
    requester: { caller: 'a', onGone: () => () => undefined },
    until: performance.now() + 5_000,
    most: undefined,
  });
  const begun: string[] = [];
  const run = (of: ReadRequest, records: number, name: string): unknown =>
    memory.run(of, read(), records, () => begun.push(name));
  const [first, second] = [request(), request()];
  for (const name of ['small', 'another']) run(request(), 1, name);
  run(first, 1_000, 'first');
  const after = run(second, 1_000, 'second');
  run(first, 1_000, 'first again');
  expect(begun).toEqual(['small', 'another', 'first', 'first again']);
  first.reservation.release();
  await after;
  expect(begun).toEqual(['small', 'another', 'first', 'first again', 'second']);
});

import { expect, test } from 'vitest';
import { AfterCommitQueue } from '../../src/http/api/own-code/after-commits.ts';
import { MemoryBudget } from '../../src/http/load/memory-budget.ts';

/** Adds work that ends with `release`; returns how many were taken. */
function fill(queue: AfterCommitQueue, count: number, bytes: number, held: Promise<void>): number {
  return Array.from({ length: count }, () => queue.add(() => held, bytes)).filter(Boolean).length;
}

test.each([
  ['a number', 11_000, 1, 10_100],
  ['a number of bytes', 500, 4_096, 256],
  ['the first, whatever it takes', 2, 8 * 1_024 * 1_024, 1],
])('takes %s, and all again once they have ended', async (_, count, bytes, taken) => {
  const budget = new MemoryBudget(1_024 * 1_024);
  const queue = new AfterCommitQueue(budget);
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(fill(queue, count, bytes, promise)).toBe(taken);
  expect(budget.reserved).toBe(taken * bytes);
  resolve();
  expect(await queue.end(10_000)).toBe(0);
  expect(budget.reserved).toBe(0);
  expect(fill(queue, 1, bytes, promise)).toBe(1);
});

test('those that fail give their bytes back, and those that do not end are counted', async () => {
  const budget = new MemoryBudget(1_024);
  const queue = new AfterCommitQueue(budget);
  queue.add(() => Promise.reject(new Error('bad')), 1_024);
  expect(await queue.end(10_000)).toBe(0);
  expect(budget.reserved).toBe(0);
  fill(queue, 150, 1, new Promise(() => undefined));
  expect(await queue.end(1)).toBe(150);
});

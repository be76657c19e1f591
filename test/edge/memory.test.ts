import { describe, expect, test } from 'vitest';
import { MemoryBudget, memoryBudgets, Reservation } from '../../src/http/load/memory-budget.ts';

const mebibyte = 1024 * 1024;

test.each([
  [Infinity, 1, 1_024, 256],
  [4_096, 64, 2_048, 256],
  [1_024, 1, 324, 81],
  [256, 1, 36, 9],
  [64, 1, 32, 4],
])(
  'of %d MiB, with bodies of %d, requests may hold %d MiB, %d of them unsent or as exports',
  (memory, limit, all, share) => {
    const budgets = memoryBudgets(memory * mebibyte, limit * mebibyte);
    expect(budgets.all.capacity).toBe(all * mebibyte);
    expect(budgets.unsent.capacity).toBe(share * mebibyte);
    expect(budgets.exports.capacity).toBe(share * mebibyte);
  },
);

describe('a budget', () => {
  test('is reserved up to its capacity, and again what was released', () => {
    const budget = new MemoryBudget(10);
    expect([6, 5, 4].map((bytes) => budget.tryReserve(bytes))).toEqual([true, false, true]);
    budget.release(6);
    expect(budget.reserved).toBe(4);
    expect([7, 6].map((bytes) => budget.tryReserve(bytes))).toEqual([false, true]);
  });

  test('that is empty takes one reservation of any size', () => {
    const budget = new MemoryBudget(10);
    expect(budget.tryReserve(11)).toBe(true);
    expect(budget.tryReserve(1)).toBe(false);
  });

  test('may be exceeded by what is there already', () => {
    const budget = new MemoryBudget(10);
    budget.reserve(11);
    expect(budget.isExceeded).toBe(true);
    budget.release(1);
    expect(budget.isExceeded).toBe(false);
  });

  test('within another one counts in both', () => {
    const all = new MemoryBudget(10);
    const share = new MemoryBudget(4, all);
    expect([3, 2].map((bytes) => share.tryReserve(bytes))).toEqual([true, false]);
    expect([8, 7].map((bytes) => all.tryReserve(bytes))).toEqual([false, true]);
    // The share has a byte left, the whole has none.
    expect(share.tryReserve(1)).toBe(false);
    share.release(3);
    expect(all.reserved).toBe(7);
  });

  test('gets back as a whole what a request has reserved piece by piece', () => {
    const budget = new MemoryBudget(10);
    const reservation = new Reservation(budget);
    budget.reserve(1);
    expect([4, 4, 4].map((bytes) => reservation.tryGrow(bytes))).toEqual([true, true, false]);
    reservation.release();
    reservation.release();
    expect(budget.reserved).toBe(1);
  });
});

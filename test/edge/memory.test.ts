import { describe, expect, test } from 'vitest';
import { MemoryBudget, memoryBudgets, Reservation } from '../../src/http/load/memory-budget.ts';

const mebibyte = 1024 * 1024;

test.each([
  [Infinity, 1, 896, 256, 128],
  [4_096, 64, 2_048, 256, 128],
  [1_024, 1, 283.5, 81, 40.5],
  [256, 1, 32, 9, 4.5],
  [64, 1, 32, 4, 2],
])(
  'of %d MiB, with bodies of %d, requests may hold %d MiB, %d of them unsent or as exports, and small ones %d more',
  (memory, limit, all, share, small) => {
    const budgets = memoryBudgets(memory * mebibyte, limit * mebibyte);
    expect(budgets.all.capacity).toBe(all * mebibyte);
    expect(budgets.unsent.capacity).toBe(share * mebibyte);
    expect(budgets.exports.capacity).toBe(share * mebibyte);
    expect(budgets.small.capacity).toBe(small * mebibyte);
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
    const [small, large] = [new MemoryBudget(32), new MemoryBudget(10)];
    const reservation = new Reservation(small, large);
    large.reserve(1);
    // Two bytes are small; then all of it counts in the other budget.
    const reserved = [2, 2, 4, 4].map((bytes) => [
      reservation.tryGrow(bytes),
      small.reserved,
      large.reserved,
    ]);
    expect(reserved).toEqual([
      [true, 2, 1],
      [true, 0, 5],
      [true, 0, 9],
      [false, 0, 9],
    ]);
    reservation.release();
    reservation.release();
    expect([small.reserved, large.reserved]).toEqual([0, 1]);
  });

  test('that is full of large requests keeps no small one waiting, nor does one full of small ones', () => {
    const [small, large] = [new MemoryBudget(32), new MemoryBudget(10)];
    const hold = (bytes: number): boolean => new Reservation(small, large).tryGrow(bytes);
    expect(hold(40)).toBe(true);
    expect([3, ...Array.from({ length: 16 }, () => 2)].map(hold)).toEqual([
      false,
      ...Array.from({ length: 16 }, () => true),
    ]);
    expect(hold(2)).toBe(false);
    large.release(40);
    expect(hold(2)).toBe(true);
    expect([small.reserved, large.reserved]).toEqual([32, 2]);
  });
});

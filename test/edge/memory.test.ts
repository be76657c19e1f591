import { expect, test } from 'vitest';
import { boundsIn } from '../../src/http/load/memory-bounds.ts';

test.each([
  [Infinity, 1, 128, 128, 256],
  [4_096, 64, 256, 128, 256],
  [1_024, 1, 54, 128, 216],
  [256, 1, 6, 24, 24],
  [64, 1, 4, 4, 4],
])(
  'where %d MiB are there and one may have %d, all may have %d MiB, answers %d, and lists %d',
  (memory, limit, bodies, answers, lists) => {
    const mebibyte = 1024 * 1024;
    const bounds = boundsIn(memory * mebibyte, limit * mebibyte);
    expect(bounds).toEqual({
      bodyBytes: bodies * mebibyte,
      unsentBytes: answers * mebibyte,
      exportBytes: lists * mebibyte,
    });
  },
);

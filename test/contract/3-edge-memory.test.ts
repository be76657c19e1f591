import { expect, test } from 'vitest';
import { boundsIn } from '../../src/http/memory-bounds.ts';

test.each([
  [Infinity, 1, 128, 128],
  [4_096, 64, 256, 128],
  [1_024, 1, 54, 128],
  [256, 1, 6, 24],
  [64, 1, 4, 4],
])(
  'where %d MiB are there and one may have %d, all may have %d MiB, and answers %d',
  (memory, limit, bodies, answers) => {
    const mebibyte = 1024 * 1024;
    const { bodyBytes, unsentBytes } = boundsIn(memory * mebibyte, limit * mebibyte);
    expect([bodyBytes / mebibyte, unsentBytes / mebibyte]).toEqual([bodies, answers]);
  },
);

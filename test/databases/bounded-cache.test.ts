import { expect, test } from 'vitest';
import { BoundedCache } from '../../src/lib/bounded-cache.ts';

/** Which of some keys are kept; to ask is to use them, so the map is filled anew for each. */
function kept(fill: () => BoundedCache<string>, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => fill().get(key) !== undefined);
}

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

test('at most so many entries are kept, the latest', () => {
  const fill = (): BoundedCache<string> => {
    const cache = new BoundedCache<string>(4);
    for (const letter of letters) cache.set(letter, letter);
    expect(cache.size).toBeLessThanOrEqual(4);
    return cache;
  };
  expect(kept(fill, letters)).toEqual(['c', 'd', 'e', 'f']);
});

test('what is used stays', () => {
  const cache = new BoundedCache<string>(4);
  for (const letter of letters) {
    cache.set(letter, letter);
    expect(cache.get('a')).toBe('a');
  }
});

test('at most so much is kept: of the keys, or of what is counted', () => {
  const long = (): BoundedCache<string> => {
    const cache = new BoundedCache<string>(100, 8);
    for (const letter of letters) cache.set(letter.repeat(4), letter);
    return cache;
  };
  expect(
    kept(
      long,
      letters.map((letter) => letter.repeat(4)),
    ),
  ).toEqual(['eeee', 'ffff']);
  const wide = (): BoundedCache<string> => {
    const cache = new BoundedCache<string>(100, 8, (_, value) => value.length);
    for (const letter of letters) cache.set(letter, letter.repeat(2));
    return cache;
  };
  expect(kept(wide, letters)).toEqual(['c', 'd', 'e', 'f']);
});

test('an entry that is longer than all may be is kept until others come', () => {
  const cache = new BoundedCache<string>(100, 8, (_, value) => value.length);
  cache.set('a', 'a'.repeat(20));
  expect(cache.get('a')).toBeDefined();
  cache.set('b', 'b'.repeat(20));
  cache.set('c', 'c');
  expect(cache.get('a')).toBeUndefined();
});

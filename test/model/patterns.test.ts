import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inBody } from '../../src/lib/body-bounds.ts';
import { matches, re2Of, waysOf } from '../../src/lib/text/pattern.ts';
import { seed } from '../support/seed.ts';

/** Patterns of every construct that is followed without backtracking. */
const pattern = fc.letrec<{ any: string; all: string; one: string }>((tie) => ({
  any: fc.array(tie('all'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  all: fc.array(tie('one'), { maxLength: 4 }).map((parts) => parts.join('')),
  one: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      'ä',
      '😀',
      '-',
      ' ',
      '.',
      '[ab]',
      '[^a]',
      '[^]',
      '[a-z😀]',
      String.raw`[\]\\^-]`,
      String.raw`\d`,
      String.raw`\W`,
      String.raw`\s`,
      String.raw`\.`,
      String.raw`\\`,
      String.raw`\n`,
      String.raw`\p{L}`,
      String.raw`\P{Lu}`,
      String.raw`\u{1F600}`,
      String.raw`\ud83d\ude00`,
      String.raw`\u0061`,
      String.raw`\x62`,
      String.raw`\cA`,
      String.raw`\0`,
      '^',
      '$',
      String.raw`\b`,
      String.raw`\B`,
    ),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('any'))
      .map(([open, inner]) => `${open}${inner.replaceAll('(?<n>', '(')})`),
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom('a', '.', '[ab]', String.raw`\w`),
          tie('any').map((inner) => `(${inner.replaceAll('(?<n>', '(')})`),
        ),
        fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '{0}', '*?', '+?', '??', '{1,3}?'),
      )
      .map((parts) => parts.join('')),
  ),
})).any;
const text = fc
  .array(
    fc.constantFrom('a', 'b', 'ä', '😀', '-', ' ', '1', '\n', '\\', ']', '_', '\0', '\u0001', 'Z'),
    { maxLength: 8 },
  )
  .map((characters) => characters.join(''));

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

test('patterns mean the same with and without backtracking', () => {
  let tried = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
      const regular = compiled(source);
      if (regular === undefined) return;
      const re2 = re2Of(regular.source);
      if (re2 === undefined) return;
      tried += 1;
      for (const one of texts)
        expect([source, one, re2.test(one)]).toEqual([source, one, regular.test(one)]);
    }),
    { numRuns: 500, seed },
  );
  expect(tried).toBeGreaterThan(250);
});

test.each([
  [String.raw`^\s$`, '\u00a0\u3000\ufeff\v \u180e\u200b'],
  [String.raw`^[\S]$`, '\u00a0\u3000\ufeff\v \u180e\u200b\u0085😀'],
  [String.raw`^[^\S\n]$`, '\n\r \u2028a'],
  ['^.$', '\n\r\u2028\u2029\u0085a😀'],
  [String.raw`^[\b\-[^.]$`, '\b-[^.a]'],
  ['^[a[]$', 'a[]'],
  [String.raw`^[\u{1F600}-\u{1F610}\ud83d\ude11]$`, '😀😐😑😒'],
  [String.raw`^\p{Script=Greek}$`, 'αa'],
  [String.raw`^[^\p{gc=Lu}]$`, 'αaA'],
  [String.raw`^[\cA\x41\0]$`, '\u0001A\0B'],
])('%s means the same for RE2', (source, characters) => {
  const re2 = re2Of(source);
  for (const one of characters)
    expect([one, re2?.test(one)]).toEqual([one, new RegExp(source, 'u').test(one)]);
});

describe('what RE2 does not take', () => {
  test.each([
    '(?=a)b',
    '(?!a)b',
    '(?i:a)b',
    String.raw`\p{Script_Extensions=Greek}`,
    '(?<=a)b',
    '(?<!a)b',
    String.raw`(a)\1`,
    String.raw`(?<n>a)\k<n>`,
    '(a{100}){100}',
    '(){1000000000}',
    '(^|b{0}){1,1000000000}',
  ])('%s', (source) => {
    expect(re2Of(source)).toBeUndefined();
  });

  const long = `${'a'.repeat(40)}!`;
  test.each([
    ['^(?=(a+)+$).*', long, false],
    ['^(?!(a+)+$).*b', long, false],
    [String.raw`^(a+)+\1$`, long, false],
    [String.raw`^(a+)\1$`, 'aaaa', true],
    ['^(?=.*b)(?:a|b)*$', 'aab', true],
    ['^(?=.*b)(?:a|b)*$', 'aaa', false],
  ])('%s on %s is tried for a time: %s', (source, value, result) => {
    expect(matches(new RegExp(source, 'u'), value)).toBe(result);
  });
});

test.each([
  [String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, `${'a'.repeat(5_000)}@b.c`, true],
  [String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'a@'.repeat(5_000), false],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5_000), false],
  ['(x+x+)+y', 'x'.repeat(5_000), false],
  ['(x+x+)+y', `${'x'.repeat(5_000)}y`, true],
  [String.raw`^(\d{1,3}\.){3}\d{1,3}$`, '192.168.0.1', true],
  [String.raw`^(\d{1,3}\.){3}\d{1,3}$`, '1921.168.0.1', false],
  ['^[^<>]*$', 'a'.repeat(500_000), true],
  ['', '', true],
  ['^$', '', true],
  ['^$', 'a', false],
])('%s is decided whatever the length', (source, value, result) => {
  expect(matches(new RegExp(source, 'u'), value)).toBe(result);
});

test('what the engine has no memory to follow does not match', () => {
  const pattern = /^a{9999999}$/u;
  const values = ['a'.repeat(9_999_999), 'a'.repeat(9_999_999), 'a'];
  expect(values.map((value) => matches(pattern, value))).toEqual([false, false, false]);
});

test.each([
  ['^a$', []],
  ['a', [Infinity]],
  ['^a|b$', [Infinity, 2]],
  ['^a*b+c{2,}$', [Infinity, Infinity, Infinity]],
  ['^a?b{3}c{2,4}d{0,1}$', [2, 3, 2]],
  ['^a*?b??c{1,2}?$', [Infinity, 2, 2]],
  ['^(?:a*)?(?<n>b)(?=c)(?!d)(?<=e)(?<!f)$', [Infinity, 2]],
  [String.raw`^\*\+\?\|\{1,2\}[*+?|{]\[+$`, [Infinity]],
  ['^(a+)+$', undefined],
  ['^(?:a|b)*$', undefined],
  ['^(ab){2}$', undefined],
])('%s can match in so many ways a part: %j', (source, ways) => {
  expect(waysOf(source)).toEqual(ways);
});

describe('the values of one body share a time for their patterns', () => {
  const slow = Array.from({ length: 2_000 }, (_, index) => `${'a'.repeat(40)}${index}!`);
  const long = 'a'.repeat(5_000);
  test.each([['a deadline', '^(?=(a+)+$).*', slow]])('by %s: %s', (_, source, values) => {
    const pattern = new RegExp(source, 'u');
    const found = inBody(() => values.map((value) => matches(pattern, value)));
    expect(found.at(0)).toBe(false);
    expect(found.at(-1)).toBeUndefined();
    // What takes next to nothing is tried all the same, and the next body has its own time.
    expect(matches(pattern, slow[0] ?? '')).toBe(false);
  });

  test.each([
    ['^(?:a{1,40}-?)+$', slow.map((text) => `${long}${text}`)],
    ['^a*a*$', slow.map((text) => `${'a'.repeat(900)}${text}`)],
  ])('what RE2 decides takes none of it: %s', (source, values) => {
    const pattern = new RegExp(source, 'u');
    const found = inBody(() => values.map((value) => matches(pattern, value)));
    expect(new Set(found)).toEqual(new Set([false]));
  });

  test('what takes few steps takes none of it', () => {
    const values = Array.from({ length: 100_000 }, () => 'abc-def');
    const found = inBody(() => values.map((value) => matches(/^[a-z]+-[a-z]+$/u, value)));
    expect(new Set(found)).toEqual(new Set([true]));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldingClass } from '../../src/lib/text/case-folding.ts';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

const specification = `
limits: { maxLimit: 10000, defaultLimit: 10000, urlLength: 65536 }
resources:
  words:
    fields:
      text: { type: string }
      long: { type: text }
      mail: { type: email }
      site: { type: url }
`;

const words = [
  'straße',
  'STRASSE',
  'STRAẞE',
  'istanbul',
  'ISTANBUL',
  'İSTANBUL',
  'ıstanbul',
  'sun',
  'SUN',
  'ſun',
  'kelvin',
  'KELVIN',
  '\u212Aelvin',
  'ångström',
  '\u212Bngström',
  'σοφός',
  'ΣΟΦΌΣ',
  'σοφόσ',
  'ohm Ω',
  'ohm \u2126',
  'ohm ω',
  'Ꭰ Cherokee',
  'ꭰ Cherokee',
  '𐐀 Deseret',
  '𐐨 Deseret',
  'µ micro',
  'μ mu',
  'Μ mu',
  '\u0390 tonos',
  '\u1FD3 oxia',
  'ﬅ',
  'ﬆ',
  'Ǆ',
  'ǅ',
  'ǆ',
  'ᾳ',
  'ᾼ',
  '100%',
  '100 percent',
  'snake_case',
  'snakeXcase',
  'a*b',
  'aXXb',
  'a?b',
  'aXb',
  'a[b',
  'a]b',
  'a[X]b',
  'a^b',
  'a-b',
  '[^a-z]',
  'back\\slash',
  'é',
  'e\u0301',
  'É',
  '\uFFFD',
  '\uFFFE',
  '\uFFFF',
  '',
  '😀',
] as const;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
  const answer = await api.send('POST', '/v1/words', [...words.map((text) => ({ text })), {}]);
  expect(answer.status).toBe(201);
});
afterAll(() => api.stop());

async function found(operator: string, text: string): Promise<readonly string[]> {
  const { body } = await api.get(`/v1/words?text_${operator}=${encodeURIComponent(text)}`);
  return (body as { text: string }[]).map((word) => word.text);
}

type Row = readonly [text: string, ...found: string[]];

function expectFound(operator: string, rows: readonly Row[]): void {
  test.each(rows.map(([text, ...expected]) => ({ text, expected })))(
    `${operator} $text`,
    async ({ text, expected }) => {
      expect(await found(operator, text)).toEqual(expected);
    },
  );
}

/** What means something in LIKE, GLOB or regular expressions is plain text here. */
const literal: readonly Row[] = [
  ['%', '100%'],
  ['100%', '100%'],
  ['_', 'snake_case'],
  ['e_c', 'snake_case'],
  ['*', 'a*b'],
  ['a*b', 'a*b'],
  ['?', 'a?b'],
  ['a?b', 'a?b'],
  ['[', 'a[b', 'a[X]b', '[^a-z]'],
  [']', 'a]b', 'a[X]b', '[^a-z]'],
  ['[X]', 'a[X]b'],
  ['^', 'a^b', '[^a-z]'],
  ['[^a-z]', '[^a-z]'],
  ['a-b', 'a-b'],
  ['-', 'a-b', '[^a-z]'],
  ['\\', 'back\\slash'],
  ['.'],
  ['😀', '😀'],
  ['\uFFFD', '\uFFFD'],
  ['\uFFFE', '\uFFFE'],
  ['\uFFFF', '\uFFFF'],
  // Composed and decomposed letters are different code points.
  ['e\u0301', 'e\u0301'],
];

describe('_like', () => {
  expectFound('like', [
    ...literal,
    ['sun', 'sun'],
    ['SUN', 'SUN'],
    ['un', 'sun', 'ſun'],
    ['é', 'é'],
    ['kelvin', 'kelvin'],
    ['straße', 'straße'],
  ]);
});

describe('_ilike', () => {
  expectFound('ilike', [
    ...literal,
    ['sun', 'sun', 'SUN', 'ſun'],
    ['ſUn', 'sun', 'SUN', 'ſun'],
    ['uN', 'sun', 'SUN', 'ſun'],
    ['kelvin', 'kelvin', 'KELVIN', '\u212Aelvin'],
    [
      '\u212AE',
      'kelvin',
      'KELVIN',
      '\u212Aelvin',
      'Ꭰ Cherokee',
      'ꭰ Cherokee',
      'snake_case',
      'snakeXcase',
    ],
    ['ÅNGSTRÖM', 'ångström', '\u212Bngström'],
    // ß folds to ẞ, and to SS only in the full folding, which changes lengths.
    ['straße', 'straße', 'STRAẞE'],
    ['strasse', 'STRASSE'],
    // İ and ı fold to themselves: the dotless pair belongs to Turkish alone.
    ['istanbul', 'istanbul', 'ISTANBUL'],
    ['İ', 'İSTANBUL'],
    ['ı', 'ıstanbul'],
    ['σοφός', 'σοφός', 'ΣΟΦΌΣ', 'σοφόσ'],
    ['ΣΟΦΌΣ', 'σοφός', 'ΣΟΦΌΣ', 'σοφόσ'],
    ['ω', 'ohm Ω', 'ohm \u2126', 'ohm ω'],
    ['Ꭰ', 'Ꭰ Cherokee', 'ꭰ Cherokee'],
    ['ꭰ', 'Ꭰ Cherokee', 'ꭰ Cherokee'],
    ['𐐀', '𐐀 Deseret', '𐐨 Deseret'],
    ['𐐨 d', '𐐀 Deseret', '𐐨 Deseret'],
    ['\u00B5 M', 'µ micro', 'μ mu', 'Μ mu'],
    ['\u0390', '\u0390 tonos', '\u1FD3 oxia'],
    ['\u1FD3', '\u0390 tonos', '\u1FD3 oxia'],
    ['ﬅ', 'ﬅ', 'ﬆ'],
    ['ǅ', 'Ǆ', 'ǅ', 'ǆ'],
    ['ᾼ', 'ᾳ', 'ᾼ'],
    ['É', 'é', 'É'],
    ['A*B', 'a*b'],
    ['A[B', 'a[b'],
  ]);

  test('folds every letter as CaseFolding does, C and S', () => {
    // The flags iu of regular expressions fold by just these; here they go over all letters at once.
    const cased: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const letter = String.fromCodePoint(code);
      if (/\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(letter))
        cased.push(letter);
    }
    const all = cased.join('');
    const wrong = cased.filter((letter) => {
      const equal = all.match(new RegExp(letter, 'giu'))?.toSorted().join('');
      return equal !== foldingClass(letter).toSorted().join('');
    });
    expect(cased.length).toBeGreaterThan(2_900);
    expect(wrong).toEqual([]);
  });
});

describe('the ends of texts and whole texts', () => {
  expectFound('startsWith', [
    ...literal.filter(([text, first]) => first?.startsWith(text) !== false),
    ['a', 'a*b', 'aXXb', 'a?b', 'aXb', 'a[b', 'a]b', 'a[X]b', 'a^b', 'a-b'],
    ['A'],
    ['un'],
    ['str', 'straße'],
    ['back\\', 'back\\slash'],
    ['100%', '100%'],
    ['e', 'e\u0301'],
  ]);
  expectFound('endsWith', [
    ['%', '100%'],
    ['_case', 'snake_case'],
    ['*b', 'a*b'],
    ['?b', 'a?b'],
    ['[b', 'a[b'],
    [']b', 'a]b', 'a[X]b'],
    ['^b', 'a^b'],
    ['\\slash', 'back\\slash'],
    ['un', 'sun', 'ſun'],
    ['UN', 'SUN'],
    ['su'],
    ['\u0301', 'e\u0301'],
    ['😀', '😀'],
    ['😀😀'],
  ]);
  expectFound('ieq', [
    ['sun', 'sun', 'SUN', 'ſun'],
    ['un'],
    ['su'],
    ['', ''],
    ['straße', 'straße', 'STRAẞE'],
    ['strasse', 'STRASSE'],
    ['σοφός', 'σοφός', 'ΣΟΦΌΣ', 'σοφόσ'],
    ['A*B', 'a*b'],
    ['.*'],
    ['a?b', 'a?b'],
    ['[^A-Z]', '[^a-z]'],
    ['BACK\\SLASH', 'back\\slash'],
    ['100%', '100%'],
  ]);
});

test.each([
  ['nlike', 'like', 'sun'],
  ['nlike', 'like', '%'],
  ['nilike', 'ilike', 'SUN'],
  ['nilike', 'ilike', '['],
  ['nilike', 'ilike', ''],
])('%s keeps what %s does not, and null: %s', async (negated, plain, text) => {
  const kept: readonly (string | null)[] = await found(plain, text);
  expect(await found(negated, text)).toEqual(
    [...words, null].filter((word) => word === null || !kept.includes(word)),
  );
});

test.each(['like', 'ilike', 'startsWith', 'endsWith'])(
  'an empty text is in every value that is not null: _%s',
  async (operator) => {
    expect(await found(operator, '')).toEqual(words);
  },
);

test.each([
  ['long', 'Long TEXT', 'g t'],
  ['mail', 'Some.One@Example.org', 'e@ex'],
  ['site', 'https://Example.org/Path', 'g/p'],
])('%s takes both', async (field, value, part) => {
  const { body } = await api.send('POST', '/v1/words', { [field]: value });
  const ids = async (suffix: string, text: string): Promise<unknown[]> =>
    (
      (await api.get(`/v1/words?${field}${suffix}=${encodeURIComponent(text)}`)).body as {
        id: number;
      }[]
    ).map(({ id }) => id);
  expect(await ids('_ilike', part)).toEqual([body.id]);
  expect(await ids('_like', part)).toEqual([]);
  expect(await ids('_like', value.slice(1, 4))).toEqual([body.id]);
});

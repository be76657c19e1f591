import { describe, expect, test } from 'vitest';
import { generated, problemsOf, valuesOf } from './generate.ts';

const letters = {
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ru: /\p{Script=Cyrillic}/u,
};

describe('several locales in one file', () => {
  const text = `generate: { count: 20 }
resources:
  users:
    fields:
      firstName: { type: string }
      nameJa: { type: string, locale: ja, generator: person.fullName }
      bio: { type: object, properties: { lastName: { type: string, locale: ru }, city: { type: string } } }
      aliases: { type: array, items: { type: string, locale: ru, generator: person.firstName } }
  members:
    generate: { locale: ja }
    fields:
      lastName: { type: string }
      firstName: { type: string, locale: ru }
`;
  test('of a resource, a field, and parts of one', async () => {
    const { users = [], members = [] } = await generated(text);
    for (const { firstName, nameJa, bio, aliases } of users) {
      expect(firstName).toMatch(/^\p{Script=Latin}/u);
      expect(nameJa).toMatch(letters.ja);
      expect(bio).toMatchObject({
        lastName: expect.stringMatching(letters.ru) as string,
        city: expect.stringMatching(/^\p{Script=Latin}/u) as string,
      });
      for (const alias of aliases as string[]) expect(alias).toMatch(letters.ru);
    }
    for (const { lastName, firstName } of members) {
      expect(lastName).toMatch(letters.ja);
      expect(firstName).toMatch(letters.ru);
    }
  });

  test('another field keeps its values', async () => {
    const plain = text.replaceAll(/, locale: \w+|generate: \{ locale: ja \}\n {4}/gu, '');
    const [with_, without] = [await generated(text), await generated(plain)];
    expect(with_['users']?.map(({ firstName }) => firstName)).toEqual(
      without['users']?.map(({ firstName }) => firstName),
    );
  });

  test('one without names is a problem at its place', async () => {
    expect(
      await problemsOf(
        'resources:\n  a:\n    generate: { locale: xx }\n    fields: { b: { type: string, locale: yy } }\n',
      ),
    ).toEqual([
      'resources.a.generate.locale there are no names and texts for the locale xx',
      'resources.a.fields.b.locale there are no names and texts for the locale yy',
    ]);
  });
});

describe('slugs of other scripts are spelt in Latin letters', () => {
  test.each([
    ['Привет, мир', 'privet-mir'],
    ['Ελλάδα 2026', 'ellada-2026'],
    ['東京タワー', 'dong-jing-tawa'],
    ['新闻', 'xin-wen'],
    ['서울 시청', 'seoul-sicheong'],
    ['สวัสดี', 'swasdi'],
    ['नमस्ते', 'nmste'],
    ['Füße', 'fusse'],
  ])('%s → %s', async (title, slug) => {
    const [value] = await valuesOf(
      'a',
      `{ type: string, values: ["${title}"], transform: [slug] }`,
      1,
    );
    expect(value).toBe(slug);
  });

  test.each(['ja', 'zh_CN', 'th', 'ko', 'ru', 'ar'])('locale %s', async (locale) => {
    const { posts = [] } = await generated(
      `generate: { locale: ${locale}, count: 30 }\nresources: { posts: { fields: { title: { type: string }, slug: { type: string, format: slug } } } }\n`,
    );
    for (const { slug } of posts) expect(slug).toMatch(/^(?!entry-)[a-z0-9]+(?:-[a-z0-9]+)*$/u);
  });
});

describe('a username with a pattern is a name where that fits', () => {
  test.each([
    ['^[a-z0-9_]{3,20}$', /^[a-z]+_?[a-z]*$/u],
    ['^[a-z0-9._-]{3,32}$', /^[a-z]+[._]?[a-z]*$/u],
    ['^[a-zA-Z0-9]{3,12}$', /^[a-z]{3,12}$/u],
  ])('%s', async (pattern, expected) => {
    for (const value of await valuesOf('username', `{ type: string, pattern: '${pattern}' }`))
      expect(value).toMatch(expected);
  });

  test.each([
    ['^[a-z0-9_]+$', /^[a-z]+_?[a-z]*_\d+$/u],
    ['^[a-z][a-z0-9.]{2,19}$', /^[a-z]+\.?[a-z]*\.?\d+$/u],
    ['^[a-zA-Z0-9]{3,16}$', /^[a-z]+\d+$/u],
    ['^[a-z0-9_]{3,8}$', /^[a-z]+_?[a-z]*_?\d+$/u],
  ])(
    'a unique one of %s has its number in a way that the pattern allows',
    async (pattern, expected) => {
      const attributes = `type: string, required: true, unique: true, pattern: '${pattern}'`;
      for (const more of ['', ', maxLength: 12']) {
        const values = await valuesOf('username', `{ ${attributes}${more} }`, 300);
        expect(new Set(values).size).toBe(300);
        for (const value of values) expect(value).toMatch(new RegExp(pattern, 'u'));
        for (const value of values) expect(value).toMatch(expected);
      }
    },
  );

  test('a unique one has a number, else the pattern is followed', async () => {
    const values = await valuesOf(
      'username',
      `{ type: string, required: true, unique: true, pattern: '^[a-z0-9_-]{3,30}$' }`,
    );
    expect(new Set(values).size).toBe(values.length);
    for (const value of values) expect(value).toMatch(/^[a-z]+_?[a-z]*-\d+$/u);
    for (const value of await valuesOf('username', `{ type: string, pattern: '^[A-Z]{2}\\d{4}$' }`))
      expect(value).toMatch(/^[A-Z]{2}\d{4}$/u);
  });
});

describe('a slug or handle with a pattern is made of words in the shape that it allows', () => {
  test.each([
    ['^[a-z0-9_]+$', /^[a-z]+(?:_[a-z0-9]+)+_\d+$/u],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', /^[a-z]+(?:-[a-z0-9]+)+-\d+$/u],
    ['^[a-z0-9]+(?:_[a-z0-9]+)*$', /^[a-z]+(?:_[a-z0-9]+)+_\d+$/u],
    ['^/[a-z0-9-]+$', /^\/[a-z]+(?:-[a-z0-9]+)+-\d+$/u],
    ['^[A-Z][A-Za-z0-9]+$', /^(?:[A-Z][a-z]*3?)+\d+$/u],
    ['^[a-z]+$', /^[a-z]+x[a-z]{1,2}$/u],
    ['^[a-z_]{8,20}$', /^[a-z]+(?:_[a-z]+)*x[a-z]{1,2}$/u],
    ['^[A-Z]{3,24}$', /^[A-Z]+X[A-Z]{1,2}$/u],
  ])('%s', async (pattern, expected) => {
    const { posts = [] } = await generated(
      `resources: { posts: { generate: 300, fields: { title: { type: string, values: [Notes on Small Kitchens, Where to Start With 3 Ferries] }, slug: { type: string, required: true, unique: true, pattern: '${pattern}' } } } }\n`,
    );
    expect(new Set(posts.map(({ slug }) => slug)).size).toBe(300);
    for (const { title, slug } of posts) {
      expect(slug).toMatch(new RegExp(pattern, 'u'));
      expect(slug).toMatch(expected);
      const [, first = '', second = ''] = /^(\w+) (\w+)/u.exec(String(title)) ?? [];
      expect(String(slug).toLowerCase()).toMatch(new RegExp(`^/?${first}.?${second}`, 'iu'));
    }
  });

  test.each([
    ['twitter', '^[A-Za-z0-9_]{1,15}$', /^[a-z]+_?[a-z]*$/u],
    ['github', '^[a-z0-9-]+$', /^[a-z]+-[a-z]+$/u],
    ['instagram', '^@[a-z_]+$', /^@[a-z]+_[a-z]+$/u],
  ])('%s of %s', async (name, pattern, expected) => {
    for (const value of await valuesOf(name, `{ type: string, pattern: '${pattern}' }`))
      expect(value).toMatch(expected);
  });

  test('a unique username of letters has its number in letters', async () => {
    const values = await valuesOf(
      'username',
      "{ type: string, required: true, unique: true, pattern: '^[a-z]+$' }",
      700,
    );
    expect(new Set(values).size).toBe(700);
    for (const value of values) expect(value).toMatch(/^[a-z]+x[a-wyz]{1,3}$/u);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchFolded, searchPattern } from '../../src/lib/text/search-folding.ts';
import { build } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
${withTokens}
limits: { searchWords: 3 }
resources:
  dishes:
    access: { read: public, write: chef }
    fields:
      name: { type: string }
      about: { type: text }
      mail: { type: email }
      site: { type: url }
      code: { type: string, access: { read: chef, write: chef } }
      secret: { type: string, writeOnly: true }
      search: { type: integer }
      cookId: { type: integer, reference: cooks.id, nullable: true }
      cook: { type: relation, relation: belongsTo, resource: cooks }
  cooks:
    access: { read: [{ role: public, where: "hidden=false" }, chef], write: chef }
    search: [name, dishes.name, meta.town, extra.note]
    fields:
      name: { type: string }
      hidden: { type: boolean, default: false }
      meta: { type: object, properties: { town: { type: string } } }
      extra: { type: json }
      dishes: { type: relation, relation: hasMany, resource: dishes }
  menus:
    access: { read: public, write: chef }
    search: [dish.name, dish.cook.name, dish.code]
    fields:
      dishId: { type: integer, reference: dishes.id }
      dish: { type: relation, relation: belongsTo, resource: dishes }
  people:
    access: { read: public, write: chef }
    fields:
      first: { type: string }
      last: { type: string }
      full: { type: string, computed: { join: [first, last], with: " " } }
  rates:
    access: { read: public, write: chef }
    fields:
      value: { type: number }
`;

const records = {
  cooks: [
    { name: 'Zoë', meta: { town: 'Köln' }, extra: { note: 'ÉTOILE' } },
    { name: 'Hidden Bob', hidden: true, extra: { note: 7 } },
  ],
  dishes: [
    { name: 'Crème brûlée', about: 'Vanilla, burnt sugar', mail: 'chef@example.org', cookId: 1 },
    { name: 'Straßenfest', about: 'ﬁsh & chips', site: 'https://creme.test', code: 'X1' },
    { name: 'Pho\u031b\u0309 bo\u0300', about: 'PHỞ', cookId: 2 },
    { name: 'ΣΟΦΌΣ', about: 'a%b_c*d [e] "f" \\g' },
    { name: 'İstanbul ıspanak', about: 'ЁЛКА' },
    { name: 'שָׁלוֹם', about: 'مُحَمَّد' },
    { name: null, about: null, secret: 'creme' },
    { name: 'Ǆ ẞ ŉ և', about: 'two  blanks' },
  ],
  menus: [{ dishId: 1 }, { dishId: 2 }, { dishId: 3 }],
  people: [
    { first: 'Anna', last: 'Öberg' },
    { first: 'Oberg', last: 'Anna' },
  ],
  rates: [{ value: 1 }],
};

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {});
  for (const [name, items] of Object.entries(records)) {
    const answer = await both.send('POST', `/v1/${name}`, items, caller({ roles: ['chef'] }));
    expect(answer.status, answer.text).toBe(201);
  }
});
afterAll(() => both.stop());

const search = (text: string): string => `search=${encodeURIComponent(text)}`;

describe('search', () => {
  expectRows(() => both, '/v1/dishes', [
    ['without accents', search('creme'), [1]],
    ['with accents', search('CRÈME'), [1]],
    ['with other accents', search('crémé'), [1]],
    ['decomposed', search('cre\u0300me'), [1]],
    ['two words', search('creme brul'), [1]],
    ['in another order', search('brul creme'), [1]],
    ['in two fields', search('sugar creme'), [1]],
    ['one that is nowhere', search('creme salt'), []],
    ['an email', search('CHEF@'), [1]],
    ['no url', search('creme.test'), []],
    ['the full folding', search('strasse'), [2]],
    ['back', search('STRAẞE'), [2]],
    ['half of ß', search('stras'), [2]],
    ['from half of ß', search('senfest'), [2]],
    ['a ligature', search('fish'), [2]],
    ['half of a ligature', search('ish'), [2]],
    ['several marks', search('pho bo'), [3]],
    ['final sigma', search('σοφος'), [4]],
    ['what has a meaning elsewhere', search('a%b_c*d'), [4]],
    ['brackets', search('[e]'), [4]],
    ['an escaped quote', search('"\\"f\\""'), [4]],
    ['a backslash', search('\\g'), [4]],
    ['a dotted I', search('istanbul'), [5]],
    ['a dotless i', search('ıspanak'), [5]],
    ['which is another letter', search('ispanak'), []],
    ['Cyrillic', search('елка'), [5]],
    ['Hebrew', search('שלום'), [6]],
    ['Arabic', search('محمد'), [6]],
    ['a digraph', search('ǆ'), [8]],
    ['capital ß', search('ss'), [2, 8]],
    ['an Armenian ligature', search('եւ'), [8]],
    ['a phrase', search('"burnt sugar"'), [1]],
    ['a phrase has its blanks', search('"two blanks"'), []],
    ['two blanks', search('"two  blanks"'), [8]],
    ['quotes within a word', search('burnt" "sugar'), [1]],
    ['blanks around', search('  creme  '), [1]],
    ['a tab', search('creme\tbrul'), [1]],
    ['with filters', `${search('e')}&id_gt=1&name_ilike=fest`, [2]],
    ['with groups', `${search('e')}&_not=id:1`, [2, 4]],
    ['with a sort', `${search('a')}&sort=-id&limit=2`, [8, 5]],
    ['a field of that name', 'search_eq=1', []],
    ['what may only be written is not found', search('creme'), [1]],
    ['a field of others is not found', search('x1'), []],
  ]);
  expectRows(() => both, '/v1/cooks', [
    ['fields of the file', search('zoe'), [1]],
    ['behind to-many', search('brulee'), [1]],
    ['words in different records', search('zoe brulee'), [1]],
    ['a member of an object', search('koln'), [1]],
    ['an undeclared member', search('etoile'), [1]],
    ['a hidden record', search('bob'), []],
  ]);
  expectRows(() => both, '/v1/menus', [
    ['behind to-one', search('creme'), [1]],
    ['two relations away', search('zoe'), [1]],
    ['a row that the caller may not read', search('hidden'), []],
    ['a field that the caller may not read', search('x1'), []],
  ]);

  test.each([
    ['/v1/dishes', 'x1', [2]],
    ['/v1/menus', 'x1', [2]],
    ['/v1/menus', 'hidden', [3]],
    ['/v1/cooks', 'bob', [2]],
  ])('those who may read it find it: %s %s', async (path, text, ids) => {
    const { body } = await both.get(`${path}?${search(text)}`, caller({ roles: ['chef'] }));
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
  });

  const quote = 'a quote is not closed; a phrase is written as "two words"';
  const empty = 'is empty; write a word, or several: search=crème brul';
  expectRefusals(() => both, '/v1/dishes', [
    ['empty', 'search=', 'INVALID_PARAMETER', `search: ${empty}`],
    ['blanks', 'search=++', 'INVALID_PARAMETER', `search: ${empty}`],
    ['an empty phrase', search('""'), 'INVALID_PARAMETER', 'search: "" has no letter to look for'],
    [
      'blanks in quotes',
      search('" "'),
      'INVALID_PARAMETER',
      'search: " " has no letter to look for',
    ],
    [
      'a mark alone',
      search('a \u0301'),
      'INVALID_PARAMETER',
      'search: "\u0301" has no letter to look for',
    ],
    ['an open quote', search('"creme brul'), 'INVALID_PARAMETER', `search: ${quote}`],
    ['a quote within', search('creme"brul'), 'INVALID_PARAMETER', `search: ${quote}`],
    [
      'four words',
      search('a b c d'),
      'LIMIT_EXCEEDED',
      'search: takes at most 3 words (limits.searchWords)',
    ],
    [
      'a long word',
      search('a'.repeat(65)),
      'INVALID_PARAMETER',
      'search: a word has at most 64 characters',
    ],
    [
      'NUL',
      'search=%00',
      'INVALID_FILTER',
      'search: "\\u0000" does not fit: it takes text without a NUL character',
    ],
    ['twice', 'search=a&search=b', 'INVALID_PARAMETER', 'search: is given more than once'],
  ]);
  expectRows(() => both, '/v1/dishes', [
    ['a word of 64', search('s'.repeat(64)), []],
    ['64 characters of two units', search('😀'.repeat(64)), []],
  ]);
  expectRefusals(() => both, '/v1/rates', [
    ['no text', 'search=a', 'INVALID_PARAMETER', 'search: rates has no text to search'],
  ]);
  expectRefusals(() => both, '/v1/dishes/1', [
    [
      'one record',
      'search=a',
      'INVALID_PARAMETER',
      'search: makes no sense on a read of one record',
    ],
  ]);
});

test('restricts what is grouped', async () => {
  const { body } = await both.get(`/v1/dishes?aggregate=count&${search('creme')}`);
  expect(body).toEqual([{ group: {}, count: 1 }]);
});

test('looks into computed texts', async () => {
  const { body } = await both.get(`/v1/people?${search('"anna oberg"')}`);
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual([1]);
});

test('chooses the records of a change of many', async () => {
  const chef = caller({ roles: ['chef'] });
  const change = (query: string) => both.send('PATCH', `/v1/dishes?${query}`, { search: 7 }, chef);
  const { status, body } = await change(search('creme'));
  expect([status, body]).toEqual([200, { count: 1 }]);
  const { body: changed } = await both.get('/v1/dishes?search_eq=7');
  expect((changed as { id: number }[]).map(({ id }) => id)).toEqual([1]);
  expect((await change('search=')).status).toBe(400);
});

describe('folding', () => {
  test('a pattern finds what folding finds, for every character', () => {
    const wrong: string[] = [];
    for (let code = 1; code <= 0x1_f0_00; code += 1) {
      const character = String.fromCodePoint(code);
      const folded = searchFolded(character);
      if (folded === character || Array.from(folded).length !== 1) continue;
      if (!new RegExp(searchPattern(folded), 'u').test(character)) wrong.push(character);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['ÀÁÂÃÄÅĀĂĄ', 'aaaaaaaaa'],
    ['ß ẞ ﬀ ﬃ ﬆ ŉ', 'ss ss ff ffi st ʼn'],
    ['Ω K Å ſ', 'ω k a s'],
    ['ᾳ ΐ ΰ', 'α ι υ'],
    ['ё й ї', 'е и і'],
    ['ı İ', 'ı i'],
    ['が 각 が', 'が 각 が'],
    ['ø đ ł æ', 'ø đ ł æ'],
    ['ASCII', 'ascii'],
  ])('%s', (text, folded) => {
    expect(searchFolded(text)).toBe(folded);
  });
});

describe('search of a resource in the file', () => {
  const problems = (names: string): readonly string[] =>
    build(`
resources:
  posts:
    search: ${names}
    fields:
      title: { type: string }
      views: { type: integer }
      authorId: { type: integer, reference: people.id }
      author: { type: relation, relation: belongsTo, resource: people }
  people:
    fields: { name: { type: string } }
`).problems.map(({ message }) => message);

  test.each([
    ['[title, author.name]', []],
    ['[titel]', ['there is no field titel; did you mean title?']],
    ['[views]', ['views cannot be searched: search takes text fields']],
    ['[author]', ['author cannot be searched: search takes text fields']],
  ])('%s', (names, expected) => {
    expect(problems(names)).toEqual(expected);
  });
});

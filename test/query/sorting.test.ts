import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, expectRows, type RefusalCase } from '../support/tables.ts';
import { thingRecords, things } from './things.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(things, thingRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const path = '/v1/things';

describe('one key of each type', () => {
  expectRows(source, path, [
    ['none: by id', '', [1, 2, 3, 4, 5, 6]],
    ['id', 'sort=id', [1, 2, 3, 4, 5, 6]],
    ['id descending', 'sort=-id', [6, 5, 4, 3, 2, 1]],
    ['string by code point, null first', 'sort=title', [6, 5, 1, 3, 4, 2]],
    ['string descending, null last', 'sort=-title', [2, 4, 3, 1, 5, 6]],
    ['integer', 'sort=count', [6, 3, 5, 1, 2, 4]],
    ['number', 'sort=ratio', [6, 3, 5, 1, 2, 4]],
    ['decimal by number', 'sort=price', [6, 3, 5, 1, 2, 4]],
    ['decimal descending', 'sort=-price', [4, 2, 1, 5, 3, 6]],
    ['decimal of 18 digits', 'sort=big', [4, 5, 6, 3, 1, 2]],
    ['false before true', 'sort=active', [4, 5, 6, 2, 1, 3]],
    ['true before false', 'sort=-active', [3, 1, 2, 6, 5, 4]],
    ['date', 'sort=day', [4, 5, 6, 3, 1, 2]],
    ['time', 'sort=at', [4, 5, 6, 3, 1, 2]],
    ['datetime by moment', 'sort=moment', [4, 5, 6, 3, 1, 2]],
    ['uuid', 'sort=-code', [2, 1, 6, 5, 4, 3]],
    ['enum by its text', 'sort=kind', [4, 5, 6, 3, 1, 2]],
    ['string with an enum', 'sort=size', [4, 5, 6, 3, 2, 1]],
    ['email', 'sort=-mail', [1, 6, 5, 4, 3, 2]],
    ['url', 'sort=-site', [1, 6, 5, 4, 3, 2]],
    ['text', 'sort=-body', [1, 6, 5, 4, 3, 2]],
    ['a field named like an operator', 'sort=-price_gt', [2, 1, 6, 5, 4, 3]],
    ['a field named like a parameter', 'sort=-limit', [2, 1, 6, 5, 4, 3]],
  ]);
});

describe('arrays sort by their first element', () => {
  expectRows(source, path, [
    ['strings; empty and none are null', 'sort=tags', [3, 6, 5, 2, 1, 4]],
    ['descending', 'sort=-tags', [4, 1, 2, 5, 6, 3]],
    ['nulls last', 'sort=tags&nulls=last', [5, 2, 1, 4, 3, 6]],
    ['integers by number', 'sort=scores', [3, 4, 6, 2, 1, 5]],
    ['an array that is never null, nulls last', 'sort=scores&nulls=last', [2, 1, 5, 3, 4, 6]],
    ['and first', 'sort=-scores&nulls=first', [6, 4, 3, 5, 1, 2]],
    ['decimals by number', 'sort=prices', [3, 5, 6, 4, 1, 2]],
    ['booleans', 'sort=flags', [3, 5, 6, 2, 4, 1]],
    ['datetimes', 'sort=-moments', [2, 1, 6, 5, 4, 3]],
    ['enums', 'sort=-kinds', [2, 1, 6, 5, 4, 3]],
  ]);
});

describe('nulls', () => {
  expectRows(source, path, [
    ['last, ascending', 'sort=title&nulls=last', [5, 1, 3, 4, 2, 6]],
    ['first, ascending', 'sort=title&nulls=first', [6, 5, 1, 3, 4, 2]],
    ['first, descending', 'sort=-title&nulls=first', [6, 2, 4, 3, 1, 5]],
    ['last, descending', 'sort=-title&nulls=last', [2, 4, 3, 1, 5, 6]],
    ['for every key, last', 'sort=active,-count&nulls=last', [2, 1, 3, 4, 5, 6]],
    ['for every key, first', 'sort=-active,-count&nulls=first', [6, 4, 5, 1, 3, 2]],
    ['on a key that is never null', 'sort=-id&nulls=first', [6, 5, 4, 3, 2, 1]],
  ]);
});

describe('several keys', () => {
  expectRows(source, path, [
    ['the first is primary', 'sort=active,-count', [4, 5, 6, 2, 1, 3]],
    ['each has its direction', 'sort=-active,count', [3, 1, 2, 6, 5, 4]],
    ['ties by id ascending after an ascending key', 'sort=-active,level', [1, 3, 2, 4, 5, 6]],
    ['ties by id descending after a descending key', 'sort=active,-level', [6, 5, 4, 2, 3, 1]],
    ['id where it is written', 'sort=active,-id', [6, 5, 4, 2, 3, 1]],
    ['id ascending after a descending key', 'sort=-active,id', [1, 3, 2, 4, 5, 6]],
    ['what follows id does no harm', 'sort=-id,title', [6, 5, 4, 3, 2, 1]],
    ['blanks around the keys', 'sort=active+,+-count', [4, 5, 6, 2, 1, 3]],
    ['8 keys', 'sort=active,level,kind,size,day,at,code,-id', [6, 5, 4, 2, 1, 3]],
  ]);
});

describe('refused', () => {
  const refused = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'INVALID_SORT',
    ...problems,
  ];
  expectRefusals(source, path, [
    refused('unknown', 'sort=titel', 'sort: there is no field titel; did you mean title?'),
    refused('descending', 'sort=-titel', 'sort: there is no field titel; did you mean title?'),
    refused(
      'with an operator',
      'sort=title_eq',
      'sort: there is no field title_eq; did you mean title?',
    ),
    refused('a hyphen alone', 'sort=-', 'sort: has an empty item'),
    refused('two hyphens', 'sort=--title', 'sort: there is no field -title; did you mean title?'),
    refused('a plus', 'sort=%2Btitle', 'sort: there is no field +title; did you mean title?'),
    refused(
      'a direction in words',
      'sort=title:desc',
      'sort: there is no field title:desc; write -title',
    ),
    refused('object', 'sort=specs', 'sort: specs cannot be sorted by: it is of type object'),
    refused('json', 'sort=extra', 'sort: extra cannot be sorted by: it is of type json'),
    refused(
      'array of json',
      'sort=mixed',
      'sort: mixed cannot be sorted by: its items are of type json',
    ),
    refused(
      'array of arrays',
      'sort=matrix',
      'sort: matrix cannot be sorted by: its items are of type array',
    ),
    refused('the same key twice', 'sort=title,title', 'sort: title is there twice'),
    refused('in both directions', 'sort=title,-title', 'sort: title is there twice'),
    refused('id twice', 'sort=id,title,-id', 'sort: id is there twice'),
    refused(
      'several at once',
      'sort=specs,nope,id,id',
      'sort: specs cannot be sorted by: it is of type object',
      'sort: there is no field nope; did you mean code?',
      'sort: id is there twice',
    ),
    refused('a key twice, first descending', 'sort=-id,level,id', 'sort: id is there twice'),
    refused('a key twice, descending', 'sort=-id,-id', 'sort: id is there twice'),
    refused(
      'a member that is not declared',
      'sort=specs.wieght',
      'sort: there is no field specs.wieght; did you mean specs.weight?',
    ),
    [
      '9 keys',
      'sort=active,level,kind,size,day,at,code,title,id',
      'LIMIT_EXCEEDED',
      'sort: takes at most 8 keys (limits.sorts)',
    ],
    ['nulls', 'sort=title&nulls=FIRST', 'INVALID_PARAMETER', 'nulls: takes first or last'],
  ]);
});

describe('pages never overlap', () => {
  test.each(['sort=active', 'sort=-active', 'sort=level&nulls=last', 'sort=-scores', 'sort=tags'])(
    '%s',
    async (sort) => {
      const whole = (await api.get(`${path}?${sort}`)).body as { id: number }[];
      const pages: number[] = [];
      const offsets: number[] = [];
      for (let index = 0; index < 6; index += 1) {
        const page = await api.get(`${path}?${sort}&limit=1&page=${index + 1}`);
        const offset = await api.get(`${path}?${sort}&limit=1&offset=${index}`);
        pages.push((page.body as { id: number }[])[0]?.id ?? 0);
        offsets.push((offset.body as { id: number }[])[0]?.id ?? 0);
      }
      expect({ pages, offsets }).toEqual({
        pages: whole.map(({ id }) => id),
        offsets: whole.map(({ id }) => id),
      });
    },
  );
});

describe('text ids', () => {
  // In the order of code points, which is not that of UTF-16: U+FFFD stands before every astral letter.
  const ordered = [
    '',
    ' ',
    'A',
    'Z',
    'a',
    'aa',
    'a\u0301',
    'z',
    'é',
    '\uE000',
    '\uFFFD',
    '𐐀',
    '😀',
  ];
  const uuid = (digit: number): string => `0198c0de-0000-7000-8000-00000000000${digit}`;
  let words: TestApi;
  beforeAll(async () => {
    words = await serveBoth(
      `
resources:
  words: { fields: { id: { type: id, format: string }, text: { type: string } } }
  keyed: { fields: { id: { type: id, format: uuid }, rank: { type: integer } } }
`,
      {
        words: ordered.toReversed().map((text) => ({ id: `x${text}`, text })),
        keyed: [3, 1, 4, 2].map((digit) => ({ id: uuid(digit), rank: digit % 2 })),
      },
    );
  });
  afterAll(() => words.stop());

  test('strings sort by code point', async () => {
    const texts = async (query: string): Promise<unknown> =>
      ((await words.get(`/v1/words?${query}`)).body as { text: string }[]).map(({ text }) => text);
    expect(await texts('sort=text')).toEqual(ordered);
    expect(await texts('sort=-text')).toEqual(ordered.toReversed());
    expect(await texts('')).toEqual(ordered);
    expect(await texts('id_gt=x\uFFFD')).toEqual(['𐐀', '😀']);
    expect(await texts('text_lt=aa')).toEqual(['', ' ', 'A', 'Z', 'a']);
  });
  expectRows(() => words, '/v1/keyed', [
    ['by id without sort', '', [1, 2, 3, 4].map(uuid)],
    ['ties by id', 'sort=rank', [2, 4, 1, 3].map(uuid)],
    ['ties by id descending', 'sort=-rank', [3, 1, 4, 2].map(uuid)],
    ['compared', `id_gt=${uuid(2)}`, [3, 4].map(uuid)],
    ['in any case', `id=${uuid(3).toUpperCase()}`, [uuid(3)]],
    ['a union', `id=${uuid(3)}&id=${uuid(1)}`, [uuid(1), uuid(3)]],
  ]);
  expectRefusals(() => words, '/v1/keyed', [
    ['no uuid', 'id=7', 'INVALID_FILTER', 'id: "7" does not fit: it takes a UUID'],
  ]);
});

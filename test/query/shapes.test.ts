import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectShapes, servePair, type Pair } from './shapes.ts';
import { thingRecords, things } from './things.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await servePair(things, thingRecords);
});
afterAll(() => pair.stop());

const path = '/v1/things';

describe('a value does not make a shape', () => {
  expectShapes(() => pair, path, 0, [
    ['a filter', 'title=Alpha', 'title=alpha'],
    ['of another length', 'title_neq=a', `title_neq=${'b'.repeat(500)}`],
    ['empty', 'title_gte=a', 'title_gte='],
    ['an integer', 'count_gt=1', 'count_gt=-3'],
    ['a list', 'count_in=1', 'count_in=1,2,3,0'],
    ['a negated list', 'count_nin=1', 'count_nin=2,3'],
    ['decimals of another scale', 'price_lt=19.9', 'price_lt=19.905'],
    ['a decimal that no row can have', 'price=19.9', 'price=19.905'],
    ['booleans', 'active=true', 'active=false'],
    ['text to look for', 'title_like=a', 'title_like=%25'],
    ['in any case', 'title_ilike=ALPHA', 'title_ilike=%C5%BF['],
    ['an item', 'tags_contains=red', 'tags_contains=green'],
    ['items', 'tags_containsAll=red', 'tags_containsAll=red,green'],
    ['an item without a type', 'mixed_contains=1', 'mixed_contains=x'],
    ['pairs of _or', '_or=title:Alpha,count:2', '_or=title:"a b",count:0'],
    ['a union of ids', 'id=1&id=2', 'id=5&id=3'],
    ['page', 'page=1&limit=2', 'page=2&limit=2'],
    ['limit', 'limit=1', 'limit=3'],
    ['offset', 'offset=0&limit=2', 'offset=3&limit=2'],
    ['a deep offset', 'offset=1', 'offset=1000000000000000'],
  ]);

  test('the id of a single read', async () => {
    expect(await pair.added(`${path}/1?fields=title`)).toBe(1);
    expect(await pair.added(`${path}/2?fields=title`)).toBe(0);
    expect((await pair.warm.get(`${path}/2?fields=title`)).body).toEqual({ id: 2, title: 'alpha' });
  });

  test('debug parameters', async () => {
    expect(await pair.added(`${path}/1?fields=day`)).toBe(1);
    expect(await pair.added(`${path}/1?fields=day&_debug=true&_trace=true`)).toBe(0);
  });
});

describe('what decides the statement makes one', () => {
  expectShapes(() => pair, path, 1, [
    ['the operator', 'at=14:05:00', 'at_gte=14:05:00'],
    ['the field', 'day=2026-03-01', 'moment=2026-03-01'],
    ['a flag', 'body_exists=true', 'body_exists=false'],
    ['a flag in _or', '_or=mail_null:true', '_or=mail_null:false'],
    ['the order', 'sort=title', 'sort=-title'],
    ['nulls', 'sort=count&nulls=first', 'sort=count&nulls=last'],
    ['the selection', 'fields=count', 'fields=ratio'],
    ['what is excluded', 'exclude=count', 'exclude=ratio'],
    ['the kind of paging', 'limit=4&page=1', 'limit=4&offset=1'],
    ['the pairs of _or', '_or=id:1,id:2', '_or=id:1&_or=id:2'],
    ['the number of ids', 'id=1&id=2&id=3', 'id=1&id=2&id=3&id=4'],
  ]);

  test('whether a total is wanted', async () => {
    expect(await pair.added(`${path}?kind=draft`)).toBe(1);
    expect(await pair.added(`${path}?kind=draft`, { prefer: 'count=none' })).toBe(1);
    expect((await pair.warm.get(`${path}?kind=draft`)).headers.get('x-total-count')).toBe('1');
  });
});

describe('what is kept is bounded', () => {
  test('a request that is refused keeps nothing, and is refused again', async () => {
    const before = pair.warm.servedApi.planCount;
    for (const query of [
      'nope=1',
      'sort=nope',
      'title=a&title%zz=1',
      'page=1&page=1',
      '_or=x',
      '_debug=maybe',
      'tags[]=1',
      '=1',
    ]) {
      const statuses = [
        await pair.warm.get(`${path}?${query}`),
        await pair.warm.get(`${path}?${query}`),
      ].map(({ status }) => status);
      expect(statuses, query).toEqual([400, 400]);
    }
    expect(pair.warm.servedApi.planCount).toBe(before);
  });

  test('a refused one does not hide behind a good one', async () => {
    expect((await pair.warm.get(`${path}?code_null=true`)).status).toBe(200);
    expect((await pair.warm.get(`${path}?code_null=true&page=1&page=2`)).status).toBe(400);
    expect((await pair.warm.get(`${path}?limit=2`)).status).toBe(200);
    expect((await pair.warm.get(`${path}?limit=x`)).status).toBe(400);
    expect((await pair.warm.get(`${path}?count_in=1`)).status).toBe(200);
    expect((await pair.warm.get(`${path}?count_in=x`)).status).toBe(400);
  });

  test('a shape whose text is very long is not kept', async () => {
    const long = `fields=${Array.from({ length: 700 }, () => 'title').join(',')}`;
    expect(await pair.added(`${path}?${long}`)).toBe(0);
  });

  test('at most 2,000 shapes, whatever is asked', async () => {
    const names = [
      'title',
      'body',
      'mail',
      'site',
      'count',
      'ratio',
      'price',
      'big',
      'active',
      'day',
      'at',
    ];
    const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
      ['id', ...names.filter((__, bit) => (bits >> bit) % 2 === 1)].join(','),
    );
    for (let start = 0; start < subsets.length; start += 64) {
      await Promise.all(
        subsets.slice(start, start + 64).map(async (fields) => {
          const { body } = await pair.warm.get(`${path}/1?fields=${fields}`);
          expect(Object.keys(body as object).join(',')).toBe(fields);
        }),
      );
      expect(pair.warm.servedApi.planCount).toBeLessThanOrEqual(2_000);
    }
    expect(pair.warm.servedApi.planCount).toBeGreaterThanOrEqual(1_000);
    // The first of them were forgotten and are made anew.
    expect((await pair.warm.get(`${path}/1?fields=id`)).body).toEqual({ id: 1 });
    expect(pair.warm.servedApi.planCount).toBeLessThanOrEqual(2_000);
  });

  test('fewer where their texts are long', async () => {
    const names = ['id', 'body', 'mail', 'site', 'count', 'ratio'];
    for (let number = 0; number < 300; number += 1) {
      const fields = `${'title,'.repeat(400 + (number % 50))}${names[number % 6]}`;
      const { status } = await pair.warm.get(`${path}/1?fields=${fields}`);
      expect(status).toBe(200);
    }
    expect(pair.warm.servedApi.planCount).toBeLessThanOrEqual(256);
  });
});

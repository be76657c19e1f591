import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { records, shop } from './shop.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(shop, records);
});
afterAll(() => api.stop());

type GroupCase = readonly [name: string, query: string, body: unknown];

function expectGroups(rows: readonly GroupCase[]): void {
  test.each(rows.map(([name, query, body]) => ({ name, query, body })))(
    '$name: $query',
    async ({ query, body: expected }) => {
      const { status, body, text } = await api.get(`/v1/orders?${query}`);
      expect(status, text).toBe(200);
      expect(body).toEqual(expected);
    },
  );
}

describe('of all records', () => {
  expectGroups([
    ['count', 'aggregate=count', [{ group: {}, count: 6 }]],
    [
      'sum of decimals',
      'aggregate=sum:total',
      [{ group: {}, sum: { total: '19999999999999978.39' } }],
    ],
    [
      'sum of integers beyond 2⁵³',
      'aggregate=sum:items',
      [{ group: {}, sum: { items: '18014398509481986' } }],
    ],
    [
      'sum of 64 bits',
      'aggregate=sum:views',
      [{ group: {}, sum: { views: '9223372036854775806' } }],
    ],
    [
      'sum beyond 64 bits',
      'aggregate=sum:views&status=open',
      [{ group: {}, sum: { views: '18446744073709551614' } }],
    ],
    ['sum of a number', 'aggregate=sum:weight', [{ group: {}, sum: { weight: -0.75 } }]],
    [
      'average of decimals',
      'aggregate=avg:total&status=open',
      [{ group: {}, avg: { total: '9.95500000' } }],
    ],
    [
      'average below zero, rounded away',
      'aggregate=avg:total&id_in=2,3,1',
      [{ group: {}, avg: { total: '-7.19666667' } }],
    ],
    [
      'average of integers',
      'aggregate=avg:items&status=open',
      [{ group: {}, avg: { items: '1.500000' } }],
    ],
    [
      'average of 64 bits',
      'aggregate=avg:views',
      [{ group: {}, avg: { views: '3074457345618258602.000000' } }],
    ],
    [
      'average of the greatest',
      'aggregate=avg:views&status=open',
      [{ group: {}, avg: { views: '9223372036854775807.000000' } }],
    ],
    [
      'average of the least',
      'aggregate=avg:views&id=3',
      [{ group: {}, avg: { views: '-9223372036854775808.000000' } }],
    ],
    ['average of a number', 'aggregate=avg:weight', [{ group: {}, avg: { weight: -0.25 } }]],
    [
      'extremes',
      'aggregate=min:total,max:total,min:placedAt,max:dueOn,min:at,max:items,min:views,min:weight',
      [
        {
          group: {},
          min: {
            total: '-41.50',
            placedAt: '0099-07-01T00:00:00.000Z',
            at: '08:00:00',
            views: '-9223372036854775808',
            weight: -1.5,
          },
          max: { total: '9999999999999999.99', dueOn: '2027-01-03', items: 9007199254740991 },
        },
      ],
    ],
    [
      'extremes of texts by code point',
      'aggregate=min:note,max:note,min:status',
      [{ group: {}, min: { note: 'B', status: 'open' }, max: { note: 'ä' } }],
    ],
    [
      'distinct values',
      'aggregate=countDistinct:status,countDistinct:customer.country,countDistinct:isGift',
      [{ group: {}, countDistinct: { status: 2, 'customer.country': 2, isGift: 2 } }],
    ],
    [
      'of nothing',
      'aggregate=count,sum:total,avg:total,min:total,countDistinct:status,sum:weight,avg:weight&id=99',
      [
        {
          group: {},
          count: 0,
          sum: { total: null, weight: null },
          avg: { total: null, weight: null },
          min: { total: null },
          countDistinct: { status: 0 },
        },
      ],
    ],
    [
      'members of objects',
      'aggregate=sum:specs.parts,sum:specs.price,avg:specs.price,sum:specs.cost,min:specs.size,max:specs.parts',
      [
        {
          group: {},
          sum: { 'specs.parts': 5, 'specs.price': '-0.75', 'specs.cost': 0.75 },
          avg: { 'specs.price': '-0.37500000' },
          min: { 'specs.size': 'big' },
          max: { 'specs.parts': 3 },
        },
      ],
    ],
    [
      'of a related record',
      'aggregate=max:customer.name,countDistinct:customer.id',
      [{ group: {}, max: { 'customer.name': 'Cid' }, countDistinct: { 'customer.id': 3 } }],
    ],
  ]);
});

describe('group', () => {
  expectGroups([
    [
      'distinct values, null first',
      'group=status',
      [
        { group: { status: null }, count: 1 },
        { group: { status: 'open' }, count: 2 },
        { group: { status: 'paid' }, count: 3 },
      ],
    ],
    [
      'with functions',
      'group=status&aggregate=sum:items,count',
      [
        { group: { status: null }, sum: { items: null }, count: 1 },
        { group: { status: 'open' }, sum: { items: 3 }, count: 2 },
        { group: { status: 'paid' }, sum: { items: '18014398509481983' }, count: 3 },
      ],
    ],
    [
      'a path to one',
      'group=customer.country&nulls=last',
      [
        { group: { 'customer.country': 'DE' }, count: 2 },
        { group: { 'customer.country': 'FR' }, count: 1 },
        { group: { 'customer.country': null }, count: 3 },
      ],
    ],
    [
      'a member',
      'group=specs.size',
      [
        { group: { 'specs.size': null }, count: 3 },
        { group: { 'specs.size': 'big' }, count: 2 },
        { group: { 'specs.size': 'small' }, count: 1 },
      ],
    ],
    [
      'a boolean',
      'group=isGift',
      [
        { group: { isGift: null }, count: 3 },
        { group: { isGift: false }, count: 1 },
        { group: { isGift: true }, count: 2 },
      ],
    ],
    [
      'a decimal',
      'group=total&total_lt=10',
      [
        { group: { total: '-41.50' }, count: 1 },
        { group: { total: '0.01' }, count: 1 },
      ],
    ],
    [
      'year',
      'group=placedAt:year&placedAt_exists=true',
      [
        { group: { 'placedAt:year': '0099' }, count: 1 },
        { group: { 'placedAt:year': '2025' }, count: 1 },
        { group: { 'placedAt:year': '2026' }, count: 2 },
      ],
    ],
    [
      'quarter',
      'group=placedAt:quarter&placedAt_gt=2000-01-01',
      [
        { group: { 'placedAt:quarter': '2025-Q4' }, count: 1 },
        { group: { 'placedAt:quarter': '2026-Q1' }, count: 2 },
      ],
    ],
    [
      'month',
      'group=placedAt:month&placedAt_gt=2000-01-01',
      [
        { group: { 'placedAt:month': '2025-12' }, count: 1 },
        { group: { 'placedAt:month': '2026-03' }, count: 2 },
      ],
    ],
    [
      'ISO week',
      'group=dueOn:week&dueOn_exists=true',
      [
        { group: { 'dueOn:week': '2026-W09' }, count: 1 },
        { group: { 'dueOn:week': '2026-W53' }, count: 2 },
      ],
    ],
    [
      'day',
      'group=placedAt:day&placedAt_gt=2000-01-01',
      [
        { group: { 'placedAt:day': '2025-12-28' }, count: 1 },
        { group: { 'placedAt:day': '2026-03-01' }, count: 1 },
        { group: { 'placedAt:day': '2026-03-31' }, count: 1 },
      ],
    ],
    [
      'hour',
      'group=placedAt:hour&placedAt_gt=2000-01-01',
      [
        { group: { 'placedAt:hour': '2025-12-28T22' }, count: 1 },
        { group: { 'placedAt:hour': '2026-03-01T14' }, count: 1 },
        { group: { 'placedAt:hour': '2026-03-31T23' }, count: 1 },
      ],
    ],
    [
      'weekday',
      'group=dueOn:weekday&dueOn_exists=true',
      [
        { group: { 'dueOn:weekday': 4 }, count: 1 },
        { group: { 'dueOn:weekday': 7 }, count: 2 },
      ],
    ],
    [
      'several',
      'group=status,placedAt:month&aggregate=count&placedAt_gt=2000-01-01',
      [
        { group: { status: 'open', 'placedAt:month': '2026-03' }, count: 2 },
        { group: { status: 'paid', 'placedAt:month': '2025-12' }, count: 1 },
      ],
    ],
    ['nothing', 'group=status&id=99', []],
  ]);
});

describe('search and groups of filters', () => {
  expectGroups([
    ['now', 'aggregate=count&placedAt_lt=now-50000w', [{ group: {}, count: 1 }]],
    [
      'now in a group',
      'aggregate=count&_or=placedAt_gt:now-90000w,id:6',
      [{ group: {}, count: 4 }],
    ],
    ['search', 'aggregate=count&search=A', [{ group: {}, count: 3 }]],
    [
      'groups of filters',
      'aggregate=count&_not=status:open,status:paid',
      [{ group: {}, count: 1 }],
    ],
  ]);
});

describe('having', () => {
  expectGroups([
    [
      'a function that is asked for',
      'group=status&having=count_gte:3',
      [{ group: { status: 'paid' }, count: 3 }],
    ],
    [
      'one that is not',
      'group=status&having=sum.items_gt:3',
      [{ group: { status: 'paid' }, count: 3 }],
    ],
    [
      'an exact sum, finer than its places',
      'group=status&aggregate=sum:total&having=sum.total_gt:19.909',
      [
        { group: { status: 'open' }, sum: { total: '19.91' } },
        { group: { status: 'paid' }, sum: { total: '19999999999999958.48' } },
      ],
    ],
    ['equal to no sum', 'group=status&having=sum.total:19.911', []],
    [
      'now',
      'group=status&having=min.placedAt_lt:now-50000w',
      [{ group: { status: 'paid' }, count: 3 }],
    ],
    [
      'an extreme of 64 bits',
      'group=status&having=max.views_gt:9',
      [{ group: { status: 'open' }, count: 2 }],
    ],
    ['another', 'group=status&having=min.views_lt:-9', [{ group: { status: 'paid' }, count: 3 }]],
    ['an average', 'group=status&having=avg.items:1.5', [{ group: { status: 'open' }, count: 2 }]],
    ['a key', 'group=status&having=status:open', [{ group: { status: 'open' }, count: 2 }]],
    [
      'a key that is null',
      'group=status&having=status_null:true',
      [{ group: { status: null }, count: 1 }],
    ],
    [
      'a part of a date',
      'group=placedAt:month&having=placedAt:month_gte:2026-01',
      [{ group: { 'placedAt:month': '2026-03' }, count: 2 }],
    ],
    [
      'all of several',
      'group=status&having=count_gte:2,status_neq:paid',
      [{ group: { status: 'open' }, count: 2 }],
    ],
    ['an extreme', 'group=status&having=max.note:B', []],
    [
      'a list',
      'group=status&having=count_in:"1,2"',
      [
        { group: { status: null }, count: 1 },
        { group: { status: 'open' }, count: 2 },
      ],
    ],
    ['of all records', 'aggregate=count&having=count_gt:9', []],
    [
      'nested groups',
      'group=status&having=or(count:1,and(status:paid,sum.items_gt:3))',
      [
        { group: { status: null }, count: 1 },
        { group: { status: 'paid' }, count: 3 },
      ],
    ],
    [
      'none of a group',
      'group=status&having=not(count:1,status:paid)',
      [{ group: { status: 'open' }, count: 2 }],
    ],
  ]);
});

describe('sort and paging', () => {
  expectGroups([
    [
      'by a function, descending',
      'group=status&sort=-count',
      [
        { group: { status: 'paid' }, count: 3 },
        { group: { status: 'open' }, count: 2 },
        { group: { status: null }, count: 1 },
      ],
    ],
    [
      'by a sum',
      'group=status&aggregate=sum:total&sort=-sum.total&limit=1',
      [{ group: { status: 'paid' }, sum: { total: '19999999999999958.48' } }],
    ],
    [
      'by an average that is not asked for',
      'group=status&sort=avg.total&nulls=last&limit=1',
      [{ group: { status: 'open' }, count: 2 }],
    ],
    [
      'ties by the keys',
      'group=note,status&sort=-count&limit=2&note_exists=true',
      [
        { group: { note: 'B', status: 'open' }, count: 1 },
        { group: { note: 'a', status: 'open' }, count: 1 },
      ],
    ],
    ['a page', 'group=status&page=2&limit=1', [{ group: { status: 'open' }, count: 2 }]],
    ['an offset', 'group=status&offset=2', [{ group: { status: 'paid' }, count: 3 }]],
    ['past the end', 'group=status&page=9', []],
  ]);

  test('the headers count groups', async () => {
    const { headers } = await api.get('/v1/orders?group=status&limit=2&having=count_gte:2');
    expect(
      Object.fromEntries(
        ['x-total-count', 'x-total-pages', 'x-page', 'x-limit', 'x-next-cursor'].map((name) => [
          name,
          headers.get(name),
        ]),
      ),
    ).toEqual({
      'x-total-count': '2',
      'x-total-pages': '1',
      'x-page': '1',
      'x-limit': '2',
      'x-next-cursor': null,
    });
    const past = await api.get('/v1/orders?group=status&limit=2&page=7');
    expect(past.headers.get('x-total-count')).toBe('3');
    expect(past.headers.get('link')).toContain('rel="prev"');
  });
});

import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, invalid } from '../support/tables.ts';
import { shop } from './shop.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(`${shop}\nlimits: { sorts: 3, filters: 4 }`);
});
afterAll(() => api.stop());

describe('refused', () => {
  expectRefusals(() => api, '/v1/orders', [
    invalid(
      'an unknown key',
      'group=stauts',
      'group: there is no field stauts; did you mean status?',
    ),
    invalid(
      'a relation',
      'group=customer',
      'group: customer is a relation; name a field of it, such as customer.id',
    ),
    invalid(
      'a path to many',
      'group=lines.quantity',
      'group: lines.quantity goes through lines to many records, which would count a record more than once; group lines instead, or declare a computed field, such as computed: { count: lines }',
    ),
    invalid('an array', 'group=tags', 'group: tags is of type array, which groups nothing'),
    invalid('an object', 'group=specs', 'group: specs is of type object, which groups nothing'),
    invalid('JSON', 'group=extra.a', 'group: extra.a is of type json, which groups nothing'),
    invalid('a field that is never read', 'group=secret', 'group: there is no field secret'),
    invalid(
      'an unknown part',
      'group=placedAt:monht',
      'group: there is no part monht of a date; did you mean placedAt:month?',
    ),
    invalid(
      'a part of a text',
      'group=note:month',
      'group: note is of type string, which has no month',
    ),
    invalid(
      'the hour of a day',
      'group=dueOn:hour',
      'group: dueOn is of type date, which has no hour',
    ),
    invalid('a key twice', 'group=status,status', 'group: status is there twice'),
    invalid('an empty key', 'group=status,', 'group: has an empty item'),
    invalid(
      'an unknown function',
      'aggregate=cuont',
      'aggregate: there is no function cuont; did you mean count?',
    ),
    invalid(
      'another function',
      'aggregate=median:total',
      'aggregate: there is no function median; it takes one of count, sum, avg, min, max, countDistinct',
    ),
    invalid(
      'a function of no field',
      'aggregate=sum',
      'aggregate: sum needs a field, such as sum:total',
    ),
    invalid(
      'a count of a field',
      'aggregate=count:total',
      'aggregate: count takes no field; write count, or countDistinct:total',
    ),
    invalid(
      'a sum of texts',
      'aggregate=sum:note',
      'aggregate: note is of type string, of which there is no sum',
    ),
    invalid(
      'a least boolean',
      'aggregate=min:isGift',
      'aggregate: isGift is of type boolean, of which there is no min',
    ),
    invalid(
      'a sum over many',
      'aggregate=sum:lines.quantity',
      'aggregate: lines.quantity goes through lines to many records, which would count a record more than once; group lines instead, or declare a computed field, such as computed: { count: lines }',
    ),
    invalid(
      'a function twice',
      'aggregate=sum:total,sum:total',
      'aggregate: sum:total is there twice',
    ),
    invalid(
      'having without groups',
      'having=count_gt:1',
      'having: restricts groups, so it needs group or aggregate',
    ),
    invalid(
      'having of an unknown name',
      'group=status&having=cuont_gt:1',
      'cuont_gt: there is no cuont_gt of groups; did you mean count_gt?',
    ),
    invalid(
      'having of a field that groups nothing',
      'group=status&having=note:a',
      'note: there is no note of groups; there are count, status, and functions such as sum.field',
    ),
    [
      'having of a value that does not fit',
      'group=status&having=count_gt:x',
      'INVALID_FILTER',
      'count_gt: "x" does not fit: it takes a whole number',
    ],
    [
      'having of an operator that does not fit',
      'group=status&having=count_like:1',
      'INVALID_FILTER',
      'count_like: takes _eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _exists, _null, not _like',
    ],
    [
      'having of a month that is none',
      'group=placedAt:month&having=placedAt:month:2026-13',
      'INVALID_FILTER',
      'placedAt:month: "2026-13" does not fit: it takes a month such as 2026-03',
    ],
    [
      'a sort by what groups nothing',
      'group=status&sort=note',
      'INVALID_SORT',
      'sort: there is no note of groups; there are count, status, and functions such as sum.field',
    ],
    [
      'a sort twice',
      'group=status&sort=count,-count',
      'INVALID_SORT',
      'sort: count is there twice',
    ],
    invalid(
      'a cursor',
      'group=status&cursor=',
      'cursor: cannot be combined with group and aggregate, whose answer has no records',
    ),
    invalid(
      'what shows records',
      'aggregate=count&fields=note&expand=lines',
      'fields: cannot be combined with group and aggregate, whose answer has no records',
      'expand: cannot be combined with group and aggregate, whose answer has no records',
    ),
    [
      'page and offset',
      'group=status&page=1&offset=1',
      'PAGINATION_CONFLICT',
      'offset: cannot be combined with page',
    ],
    invalid(
      'everything at once',
      'group=stauts&aggregate=sum:note&limit=x',
      'group: there is no field stauts; did you mean status?',
      'aggregate: note is of type string, of which there is no sum',
      'limit: must be a whole number from 0 to 1000',
    ),
    [
      'too many keys',
      'group=status,note,isGift,dueOn',
      'LIMIT_EXCEEDED',
      'group: takes at most 3 keys (limits.sorts)',
    ],
    [
      'too many functions',
      'aggregate=count,sum:total,avg:total,min:total,max:total',
      'LIMIT_EXCEEDED',
      'aggregate: takes at most 4 functions (limits.filters)',
    ],
    [
      'too many conditions',
      'group=status&having=count:1,count:2,count:3,count:4,count:5',
      'LIMIT_EXCEEDED',
      'having: takes at most 4 conditions (limits.filters)',
    ],
    [
      'a path that is too deep',
      'group=customer.a.b.c.d.e.f',
      'LIMIT_EXCEEDED',
      'group: customer.a.b.c.d.e.f is deeper than 5 dots (limits.pathDepth)',
    ],
    invalid(
      'a parameter twice',
      'group=status&group=note',
      'group: is given more than once; write several as group=a,b',
    ),
  ]);
});

describe('refused on one record', () => {
  expectRefusals(() => api, '/v1/orders/1', [
    invalid('group', 'group=status', 'group: makes no sense on a read of one record'),
  ]);
});

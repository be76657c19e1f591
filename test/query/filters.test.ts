import { afterAll, beforeAll, describe } from 'vitest';
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
const max = '9007199254740991';

describe('equality', () => {
  expectRows(source, path, [
    ['none', 'title=Alpha', [1]],
    ['_eq', 'title_eq=Alpha', [1]],
    ['is case-sensitive', 'title=ALPHA', []],
    ['an empty string is no null', 'title=', [5]],
    ['_neq keeps nulls', 'title_neq=Alpha', [2, 3, 4, 5, 6]],
    ['_in', 'title_in=Alpha,alpha', [1, 2]],
    ['_nin keeps nulls', 'title_nin=Alpha,alpha', [3, 4, 5, 6]],
    ['text', 'body=first+line%0Asecond', [1]],
    ['email', 'mail=a@example.org', [1]],
    ['url', 'site=https://example.org/a', [1]],
    ['id', 'id=2', [2]],
    ['id _neq', 'id_neq=2', [1, 3, 4, 5, 6]],
    ['integer', 'count=2', [2]],
    ['integer with zeros behind the point', 'count=2.00', [2]],
    ['integer with a negative exponent', 'count_in=200e-2,-30e-1', [2, 3]],
    ['id with a point', 'id=2.0', [2]],
    ['negative', 'count=-3', [3]],
    ['minus zero', 'count=-0', [5]],
    ['the greatest integer', `count=${max}`, [4]],
    ['the greatest integer in a list', `count_in=1,${max}`, [1, 4]],
    ['integer _nin', 'count_nin=1,2,0', [3, 4, 6]],
    ['number', 'ratio=0.1', [1]],
    ['number at another scale', 'ratio=0.100', [1]],
    ['number with an exponent', 'ratio=1e-1', [1]],
    ['in upper case, with a plus sign', 'ratio=8.524086001231754E%2B16', [4]],
    ['a plus sign that is a blank', 'ratio=8.524086001231754e+16', [4]],
    ['integer with an exponent', 'count=2e0', [2]],
    ['decimal with an exponent', 'price=1.99e1', [1]],
    ['decimals in a list', 'price_in=1.99e1,1991e-2', [1, 2]],
    ['items with an exponent', 'prices_contains=1e1', [2]],
    ['an undeclared number with an exponent', 'extra.a=1e0', [1]],
    ['items of no type', 'mixed_contains=15e-1', [4]],
    ['number _neq', 'ratio_neq=0.1', [2, 3, 4, 5, 6]],
    ['number _in', 'ratio_in=0.1,-1.50', [1, 3]],
    ['a double beyond 2^53', 'ratio=85240860012317540', [4]],
    ['in a list', 'ratio_in=85240860012317540', [4]],
    ['not in a list', 'ratio_nin=85240860012317540,0', [1, 2, 3, 6]],
    ['decimal', 'price=19.90', [1]],
    ['with fewer places', 'price=19.9', [1]],
    ['with more places', 'price=19.9000', [1]],
    ['with a value that the scale does not have', 'price=19.905', []],
    ['_neq such a value', 'price_neq=19.905', [1, 2, 3, 4, 5, 6]],
    ['_in with such a value', 'price_in=19.905,19.9', [1]],
    ['_nin with such a value', 'price_nin=19.905,19.9', [2, 3, 4, 5, 6]],
    ['more digits than a decimal has', `price=${'9'.repeat(300)}`, []],
    ['18 digits', 'big=12345678901234.5678', [1]],
    ['18 digits in a list', 'big_in=12345678901234.5679,1', [2]],
    ['boolean', 'active=true', [1, 3]],
    ['boolean false is no null', 'active=false', [2]],
    ['boolean _neq', 'active_neq=true', [2, 4, 5, 6]],
    ['boolean _in', 'active_in=true,false', [1, 2, 3]],
    ['boolean _nin', 'active_nin=false', [1, 3, 4, 5, 6]],
    ['date', 'day=2026-03-01', [1]],
    ['time', 'at=14:05:00', [1]],
    ['datetime', 'moment=2026-03-01T12:00:00.001Z', [2]],
    ['with an offset', 'moment=2026-03-01T13:00:00.001%2B01:00', [2]],
    ['a date is its midnight in UTC', 'moment=2026-03-01', [1]],
    ['stored with an offset', 'moment=2026-01-01T00:30:00Z', [3]],
    ['trailing zeros are no finer time', 'moment=2026-03-01T12:00:00.001000Z', [2]],
    ['datetime _in', 'moment_in=2026-03-01,2026-03-01T12:00:00.001z', [1, 2]],
    ['uuid', 'code=0198c0de-0000-7000-8000-000000000001', [1]],
    ['uuid in upper case', 'code=0198C0DE-0000-7000-8000-000000000001', [1]],
    ['uuid _in', 'code_in=0198C0DE-0000-7000-8000-000000000002', [2]],
    ['enum', 'kind=draft', [1]],
    ['enum _nin', 'kind_nin=draft,archived', [2, 4, 5, 6]],
    ['enum of a string', 'size_in=s,m', [1, 2]],
    ['enum of an integer', 'level=3', [3]],
  ]);
});

describe('order', () => {
  expectRows(source, path, [
    ['_gt', 'count_gt=1', [2, 4]],
    ['_gte', 'count_gte=1', [1, 2, 4]],
    ['_lt', 'count_lt=1', [3, 5]],
    ['_lte', 'count_lte=1', [1, 3, 5]],
    ['two bounds', 'count_gt=-3&count_lt=2', [1, 5]],
    ['id', 'id_gt=4', [5, 6]],
    ['number', 'ratio_lt=0.1', [3, 5]],
    ['number _gte', 'ratio_gte=0.2', [2, 4]],
    ['decimal by number', 'price_lt=19.91', [1, 3, 5]],
    ['_gt below a step', 'price_gt_exists=true&price_lte=19.905', [1]],
    ['_gte between two steps', 'price_gte=19.905', [2, 4]],
    ['_lt between two steps', 'price_lt=19.905', [1, 3, 5]],
    ['_lte between two steps', 'price_lte=19.905', [1, 3, 5]],
    ['_gt at another scale', 'price_gte=19.910', [2, 4]],
    ['below zero, between two steps', 'price_lt=-0.005', [3]],
    ['_gte below zero, between two steps', 'price_gte=-0.005', [1, 2, 4, 5]],
    ['beyond every decimal', `price_lt=${'9'.repeat(40)}`, [1, 2, 3, 4, 5]],
    ['below every decimal', `price_gt_lte=-${'9'.repeat(40)}`, []],
    ['18 digits', 'big_gt=12345678901234.5678', [2]],
    ['string by code point', 'title_gt=a', [2, 3, 4]],
    ['string _lte', 'title_lte=Alpha', [1, 5]],
    ['date', 'day_lt=2026-03-01', [3]],
    ['date _gte', 'day_gte=2026-03-01', [1, 2]],
    ['time', 'at_gt=14:05:00', [2]],
    ['datetime', 'moment_gt=2026-03-01', [2]],
    ['datetime with an offset', 'moment_lte=2026-03-01T01:00:00%2B01:00', [1, 3]],
    ['datetime _lt', 'moment_lt=2026-03-01T12:00:00.002Z', [1, 2, 3]],
    ['uuid', 'code_gt=0198c0de-0000-7000-8000-000000000001', [2]],
    ['a string with an enum takes any bound', 'size_gt=n', [1]],
    ['and any search', 'size_like=x', []],
    ['an integer with an enum', 'level_lte=2', [1, 2]],
  ]);
});

describe('parts of texts', () => {
  expectRows(source, path, [
    ['_like', 'title_like=lpha', [1, 2]],
    ['_ilike', 'title_ilike=ALPHA', [1, 2]],
    ['_nlike keeps nulls', 'title_nlike=Al', [2, 3, 4, 5, 6]],
    ['_nilike keeps nulls', 'title_nilike=AL', [3, 4, 5, 6]],
    ['_nlike of an empty text keeps nulls alone', 'title_nlike=', [6]],
    ['_startsWith', 'title_startsWith=a', [2, 3, 4]],
    ['_endsWith', 'title_endsWith=b', [3, 4]],
    ['_ieq', 'title_ieq=ALPHA', [1, 2]],
    ['_ieq is no part', 'title_ieq=ALPH', []],
    ['an email', 'mail_ieq=A@Example.ORG', [1]],
    ['a url', 'site_startsWith=https:', [1]],
    ['a text with an enum takes any text', 'size_nlike=zz', [1, 2, 3, 4, 5, 6]],
    ['a declared member', 'specs.size_endsWith=ig', [1]],
    ['a declared member, negated', 'specs.size_nlike=big', [2, 3, 4, 5, 6]],
    ['an undeclared member', 'extra.a_startsWith=1', []],
    ['an undeclared member of another type is kept', 'extra.a_nlike=1', [1, 2, 3, 4, 5, 6]],
    ['pairs', '_or=title_startsWith:A,title_ieq:A+B', [1, 3]],
  ]);
});

describe('presence', () => {
  expectRows(source, path, [
    ['_exists', 'count_exists=true', [1, 2, 3, 4, 5]],
    ['_exists=false', 'count_exists=false', [6]],
    ['_null', 'title_null=true', [6]],
    ['_null=false', 'title_null=false', [1, 2, 3, 4, 5]],
    ['array', 'tags_exists=false', [6]],
    ['an empty array is there', 'tags_null=false', [1, 2, 3, 4, 5]],
    ['object', 'specs_exists=true', [1, 2]],
    ['json', 'extra_null=true', [3, 4, 5, 6]],
    ['boolean', 'active_null=true', [4, 5, 6]],
    ['a field that is never null', 'id_null=true', []],
    ['both at once', 'active_exists=true&specs_null=true', [3]],
  ]);
});

describe('arrays', () => {
  expectRows(source, path, [
    ['_contains', 'tags_contains=green', [1, 2]],
    ['is case-sensitive', 'tags_contains=RED', [5]],
    ['is no substring', 'tags_contains=gree', []],
    ['a comma is part of the value', 'tags_contains=a,b', [2]],
    ['quotes are part of it too', 'tags_contains=say+"hi"', [4]],
    ['an empty string', 'tags_contains=', [5]],
    ['_containsAll', 'tags_containsAll=green,red', [1]],
    ['of one', 'tags_containsAll=green', [1, 2]],
    ['_containsAny', 'tags_containsAny=red,RED', [1, 5]],
    ['integers', 'scores_contains=1', [1]],
    ['all integers', 'scores_containsAll=3,1', [1]],
    ['any integer', 'scores_containsAny=1,7', [1, 4]],
    ['decimals by number', 'prices_contains=9.9', [1, 4]],
    ['decimals with more places', 'prices_contains=10.000', [2]],
    ['a decimal that the scale does not have', 'prices_contains=9.905', []],
    ['any decimal', 'prices_containsAny=-5,10', [2, 4]],
    ['booleans', 'flags_contains=true', [1, 4]],
    ['all booleans', 'flags_containsAll=true,false', [4]],
    ['datetimes at any offset', 'moments_contains=2026-03-01', [1]],
    ['enum', 'kinds_containsAll=draft,published', [2]],
    ['without a type, text', 'mixed_contains=x', [1]],
    ['a number is that text too', 'mixed_contains=1', [1, 2]],
    ['written otherwise it is the number alone', 'mixed_contains=1.0', [2]],
    ['with a fraction', 'mixed_contains=1.5', [4]],
    ['true is no number', 'mixed_containsAll=true,x', [1]],
    ['true is text or boolean', 'mixed_contains=true', [1, 2]],
    ['what is inside an item is not found', 'mixed_contains=%7B"a":1%7D', []],
    ['all, without a type', 'mixed_containsAll=1,true', [1, 2]],
  ]);
});

describe('_or', () => {
  expectRows(source, path, [
    ['two pairs', '_or=title:Alpha,count:2', [1, 2]],
    ['suffixes', '_or=count_gt:1,price_lt:0', [2, 3, 4]],
    ['one pair', '_or=count_lte:0', [3, 5]],
    ['blanks belong to the value', '_or=title:+Alpha,title:Alpha+,count:2', [2]],
    ['ANDed with filters', '_or=count:1,count:2&active=true', [1]],
    ['presence', '_or=title_null:true,count_exists:false,id:1', [1, 6]],
    ['_neq keeps nulls here too', '_or=title_neq:alpha', [1, 3, 4, 5, 6]],
    ['arrays', '_or=tags_contains:red,scores_contains:10', [1, 5]],
    ['the same field often', '_or=id:1,id:2,id:3,id_gt:5', [1, 2, 3, 6]],
  ]);
});

describe('limits', () => {
  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => index + 1).join(',');
  const ids = (count: number): string =>
    Array.from({ length: count }, (_, index) => `id=${index + 1}`).join('&');
  const filters = (count: number): string =>
    Array.from({ length: count }, () => 'id_gt=0').join('&');
  const pairs = (count: number): string =>
    `_or=${Array.from({ length: count }, () => 'id_gt:4').join(',')}`;
  expectRows(source, path, [
    ['500 items', `id_in=${many(500)}`, [1, 2, 3, 4, 5, 6]],
    ['500 ids', ids(500), [1, 2, 3, 4, 5, 6]],
    ['50 filters', filters(50), [1, 2, 3, 4, 5, 6]],
    ['50 pairs', pairs(50), [5, 6]],
    ['1,000 characters to look for', `title_like=${'a'.repeat(1000)}`, []],
    [
      '501 characters of two code units each',
      `title_ilike=${encodeURIComponent('😀'.repeat(501))}`,
      [],
    ],
  ]);
  const exceeded = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'LIMIT_EXCEEDED',
    ...problems,
  ];
  const items = 'takes at most 500 items (limits.inItems)';
  const tooMany = (count: number): string =>
    `a request takes at most 50 filters (limits.filters); this one has ${count}`;
  expectRefusals(source, path, [
    exceeded('501 items', `id_in=${many(501)}`, `id_in: ${items}`),
    exceeded('501 items not wanted', `id_nin=${many(501)}`, `id_nin: ${items}`),
    exceeded(
      '501 items of an array',
      `scores_containsAny=${many(501)}`,
      `scores_containsAny: ${items}`,
    ),
    exceeded('501 ids', ids(501), `id: ${items}`),
    exceeded('51 filters', filters(51), `id_gt: ${tooMany(51)}`),
    exceeded('51 pairs', pairs(51), `_or: ${tooMany(51)}`),
    exceeded('filters and pairs', `${filters(30)}&${pairs(21)}`, `id_gt: ${tooMany(51)}`),
    exceeded(
      '1,001 characters to be equal to',
      `title_ieq=${'a'.repeat(1001)}`,
      'title_ieq: takes at most 1000 characters',
    ),
    exceeded(
      '1,001 characters to look for',
      `title_ilike=${'a'.repeat(1001)}`,
      'title_ilike: takes at most 1000 characters',
    ),
  ]);
});

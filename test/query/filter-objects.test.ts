import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, invalid } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(world, worldRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const posts = '/v1/posts';

describe('an object by its properties', () => {
  expectRows(source, posts, [
    ['equal', 'meta.weight=1.5', [1]],
    ['as a number, not as text', 'meta.weight_gt=1.5', [2, 5]],
    ['at most', 'meta.weight_lte=2.0', [1, 2]],
    ['a value that is null is different', 'meta.weight_neq=2', [1, 3, 4, 5]],
    ['and in no list', 'meta.weight_nin=2,10', [1, 3, 4]],
    ['a list', 'meta.weight_in=2,10', [2, 5]],
    ['there', 'meta.weight_exists=true', [1, 2, 5]],
    ['null, left out or without an object', 'meta.weight_exists=false', [3, 4]],
    ['null', 'meta.size_null=true', [3, 4, 5]],
    ['an object that is there', 'meta.size_null=false', [1, 2]],
    ['an object in an object', 'meta.size.width_gte=10', [1]],
    ['an integer by number', 'meta.size.width_lt=10', [2]],
    ['an enum', 'meta.size.unit=cm', [2]],
    ['not of an enum', 'meta.size.unit_neq=cm', [1, 3, 4, 5]],
    ['a decimal, equal', 'meta.cost=9.90', [1]],
    ['a decimal in a list', 'meta.cost_in=9.90,12.00', [1, 2]],
    ['a moment with an offset', 'meta.at=2026-03-01T10:00:00Z', [1]],
    ['a moment, in order', 'meta.at_gt=2026-03-01T11:30:00%2B01:00', [2]],
    ['true', 'meta.on=true', [1]],
    ['false is not null', 'meta.on=false', [2]],
    ['an array', 'meta.codes_contains=1', [1]],
    ['an array with any', 'meta.codes_containsAny=1,2', [1, 3]],
    ['an array with all', 'meta.codes_containsAll=1,3', [1]],
    ['an array that is there', 'meta.codes_exists=true', [1, 2, 3]],
    ['an exact name before a suffix', 'meta.level_gt=7', [1]],
    ['a suffix after that name', 'meta.level_gt_gte=7', [1]],
    ['the other operators stay', 'meta.level_gte=9', [2]],
    ['two filters', 'meta.weight_gte=1&meta.size.width_lt=10', [2]],
    ['the same twice', 'meta.weight_neq=2&meta.weight_neq=10', [1, 3, 4]],
    ['in _or', '_or=meta.weight_gt:5,meta.size.unit:mm', [1, 5]],
    ['json in an object, by key', 'meta.more.a.b=deep', [1]],
    ['json in an object, not there', 'meta.more.a.b_null=true', [2, 3, 4, 5]],
  ]);
  expectRows(source, '/v1/people', [
    ['text', 'address.city=Oslo', [1, 4]],
    ['text by code point', 'address.city_gt=Oslo', [2]],
    ['text searched', 'address.city_like=s', [1, 4]],
    ['text searched without case', 'address.city_ilike=ROM', [2]],
    ['wildcards are literal', 'address.city_like=%25', []],
    ['deep', 'address.geo.lat_lt=60', [1]],
    ['deep, null on the way', 'address.geo.lat_null=true', [2, 3, 4]],
    ['an array of text', 'address.lines_contains=b', [1]],
    ['an empty array is there', 'address.lines_exists=true', [1, 2]],
    ['a number may have a longer value', 'address.zip_in=100,150,200', [1, 2]],
  ]);
});

describe('JSON by key compares as the type that it finds', () => {
  expectRows(source, posts, [
    ['a number and its text', 'extra.a=1', [1, 2]],
    ['a number, written otherwise', 'extra.a=1.0', [1]],
    ['a text', 'extra.a=%C3%A4', [3]],
    ['different: what is not there too', 'extra.a_neq=1', [3, 4, 5]],
    ['a list', 'extra.a_in=1,%C3%A4', [1, 2, 3]],
    ['no list', 'extra.a_nin=1,2', [3, 4, 5]],
    ['numbers by size, texts by code point', 'extra.n_gt=9', [3]],
    ['at least', 'extra.n_gte=9', [2, 3]],
    ['less: a text of digits is a text', 'extra.n_lt=9', [1]],
    ['no number to compare with: texts alone', 'extra.a_lt=x', [2]],
    ['true', 'extra.t=true', [1, 3]],
    ['false', 'extra.t=false', [2]],
    ['not true', 'extra.t_neq=true', [2, 4, 5]],
    ['booleans in a list', 'extra.t_in=false,x', [2]],
    ['booleans have no order', 'extra.t_gt=a', [3]],
    ['an object is nothing', 'extra.b=x', []],
    ['nor an array', 'extra.b.d=1', []],
    ['an object differs', 'extra.b_neq=x', [1, 2, 3, 4, 5]],
    ['deep', 'extra.b.c=y', [2]],
    ['deep, in order', 'extra.b.c_lte=x', [1]],
    ['below what is no object', 'extra.a.c_exists=true', []],
    ['below an array', 'extra.b.d.e=1', []],
    ['a search', 'extra.s_like=ra', [1, 2]],
    ['a search by case', 'extra.s_like=S', [1]],
    ['a search without case', 'extra.s_ilike=STRA', [1, 2]],
    ['folded one to one only', 'extra.s_ilike=strass', [2]],
    ['a search finds texts alone', 'extra.n_like=1', [1]],
    ['there', 'extra.a_exists=true', [1, 2, 3]],
    ['a null is not there', 'extra.z_exists=true', [3]],
    ['null', 'extra.z_null=true', [1, 2, 4, 5]],
    ['an object is there', 'extra.b_exists=true', [1, 2]],
    ['a suffix wins over a key of that name', 'extra.a_gt=key', [3]],
    ['case counts in keys', 'extra.A=1', []],
    ['a quote in a key', 'extra.%22=1', []],
    ['an apostrophe in a key', "extra.it's=1", []],
    ['a dollar and brackets of a JSON path', 'extra.$%2Ex=1', []],
    ['a blank', 'extra.a+b=1', []],
    ['in _or', '_or=extra.a:%C3%A4,extra.n:9', [2, 3]],
    ['an object without properties', 'free.x=1', [1, 2]],
    ['false in it', 'free.x=false', [5]],
    ['deep in it', 'free.y.z=q', [1]],
    ['nothing in it', 'free.x_null=true', [3, 4]],
  ]);
});

describe('refused', () => {
  expectBlame(source, posts, [
    invalid('an unknown property', 'meta.wieght=1', 'meta.wieght', 'weight'),
    invalid('with a suffix', 'meta.wieght_gt=1', 'meta.wieght_gt', 'weight'),
    invalid('deep', 'meta.size.widht=1', 'meta.size.widht', 'width'),
    invalid('on the way', 'meta.sise.width=1', 'meta.sise.width', 'size'),
    invalid('into a scalar', 'title.x=1', 'title.x'),
    invalid('into a scalar of an object', 'meta.weight.x=1', 'meta.weight.x'),
    invalid('into an array', 'words.0=x', 'words.0'),
    invalid('an empty part', 'meta..weight=1', 'meta..weight'),
    invalid('nothing after the dot', 'meta.=1', 'meta.'),
    invalid('nothing before it', '.meta=1', '.meta'),
    invalid('__proto__', 'meta.__proto__=1', 'meta.__proto__'),
    invalid('constructor', 'meta.constructor=1', 'meta.constructor'),
    ['text search in a number', 'meta.weight_like=1', 'INVALID_FILTER', 'meta.weight_like', '_gte'],
    ['order of an enum', 'meta.size.unit_gt=cm', 'INVALID_FILTER', 'meta.size.unit_gt', '_in'],
    ['order of a boolean', 'meta.on_gt=true', 'INVALID_FILTER', 'meta.on_gt', '_neq'],
    ['order of a decimal', 'meta.cost_gt=1', 'INVALID_FILTER', 'meta.cost_gt', '_in'],
    ['an object as a value', 'meta.size=cm', 'INVALID_FILTER', 'meta.size', '_exists', '_null'],
    ['an array as a value', 'meta.codes_gt=1', 'INVALID_FILTER', 'meta.codes_gt', '_contains'],
    ['no number', 'meta.weight=x', 'INVALID_FILTER', 'meta.weight'],
    ['no whole number', 'meta.size.width=1.5', 'INVALID_FILTER', 'meta.size.width'],
    ['no value of the enum', 'meta.size.unit=km', 'INVALID_FILTER', 'meta.size.unit', 'cm, mm'],
    ['no boolean', 'meta.on=yes', 'INVALID_FILTER', 'meta.on'],
    ['no moment', 'meta.at=tomorrow', 'INVALID_FILTER', 'meta.at'],
    ['no item', 'meta.codes_contains=x', 'INVALID_FILTER', 'meta.codes_contains'],
    ['_exists of something', 'meta.weight_exists=1', 'INVALID_FILTER', 'meta.weight_exists'],
    ['_exists of something in JSON', 'extra.a_exists=1', 'INVALID_FILTER', 'extra.a_exists'],
    ['items of JSON', 'extra.b.d_contains=1', 'INVALID_FILTER', 'extra.b.d_contains'],
    ['all of them', 'extra.b.d_containsAll=1', 'INVALID_FILTER', 'extra.b.d_containsAll'],
    ['any of them', 'free.x_containsAny=1', 'INVALID_FILTER', 'free.x_containsAny'],
    invalid('__proto__ in JSON', 'extra.__proto__=1', 'extra.__proto__'),
    invalid('an empty key', 'extra..a=1', 'extra..a'),
    invalid('no key', 'extra.=1', 'extra.'),
    ['an empty item', 'extra.a_in=1,,2', 'INVALID_FILTER', 'extra.a_in'],
    ['six dots', 'extra.a.b.c.d.e.f=1', 'LIMIT_EXCEEDED', 'extra.a.b.c.d.e.f', '5', 'pathDepth'],
  ]);
  expectRows(source, posts, [['five dots', 'extra.a.b.c.d.e=1', []]]);
});

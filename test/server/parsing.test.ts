import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { bytesOf } from '../support/raw.ts';
import {
  expectRefusals,
  expectRows,
  invalid as parameter,
  refusalOf,
  type RefusalCase,
} from '../support/tables.ts';
import { thingRecords, things } from '../query/things.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(things, thingRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const path = '/v1/things';

const notUtf8 = 'is not valid percent-encoded UTF-8';
const brackets =
  'brackets are not used here; write field_operator=value, relation.field=value, and several values as field_in=a,b';
const unknown = (name: string, guess?: string): string =>
  `${name}: there is no field or parameter ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`;

describe('encoding', () => {
  expectRows(source, path, [
    ['plus is a blank', 'title=a+b', [3]],
    ['an encoded blank', 'title=a%20b', [3]],
    ['an encoded plus', 'title=a%2Bb', [4]],
    ['names are decoded too', '%74itle=Alpha', [1]],
    ['a value may hold =', 'title=a=b', []],
    ['no = means an empty value', 'title', [5]],
    ['empty pieces say nothing', '&&title=Alpha&', [1]],
  ]);
  expectRefusals(source, path, [
    parameter('no hex digits', 'title=%zz', `title: ${notUtf8}`),
    parameter('cut off', 'title=a%4', `title: ${notUtf8}`),
    parameter('a bare percent', 'title=100%', `title: ${notUtf8}`),
    parameter('Latin-1', 'title=%E9', `title: ${notUtf8}`),
    parameter('a surrogate', 'title=%ED%A0%80', `title: ${notUtf8}`),
    parameter('an overlong form', 'title=%C0%AF', `title: ${notUtf8}`),
    parameter('in a reserved parameter', 'sort=%zz', `sort: ${notUtf8}`),
    parameter('in a bound parameter', 'page=%zz', `page: ${notUtf8}`),
    parameter('in a name', '%zz=1', `%zz: ${notUtf8}`),
    parameter('in a name, UTF-8', 'titl%E9=1', `titl%E9: ${notUtf8}`),
    parameter('an empty name', '=5', ': a parameter has no name; write name=value'),
    parameter('a plus in a name is a blank', 'logged+in=1', unknown('logged in', 'logged_in')),
    [
      'NUL',
      'title=a%00',
      'INVALID_FILTER',
      String.raw`title: "a\u0000" does not fit: it takes text without a NUL character`,
    ],
  ]);

  test('a parameter without a name is spoken of without one', async () => {
    const { body } = await api.get(`${path}?=`);
    expect(body.message).toBe('a parameter has no name; write name=value');
  });

  test.each([
    ['UTF-8 in the query', bytesOf(`${path}?title=é`)],
    ['Latin-1 in the query', `${path}?title=\xe9`],
    ['in the path', '/v1/th\xedngs'],
  ])('bytes that no URL may hold are refused: %s', async (_, target) => {
    const { status, text } = await api.raw(target);
    const { code } = JSON.parse(text) as { code: string };
    expect({ status, code }).toEqual({ status: 400, code: 'MALFORMED_REQUEST' });
  });
});

describe('names', () => {
  expectRows(source, path, [
    ['an exact field comes before a suffix', 'logged_in=yes', [1]],
    ['a suffix on such a field', 'logged_in_in=yes,no', [1, 2]],
    ['the shorter field keeps its own', 'logged_eq=yes', [4]],
    ['price_gt is a field', 'price_gt=5.00', [1]],
    ['price_gt_gt compares it', 'price_gt_gt=5', [2]],
    ['price_gte compares price', 'price_gte=19.91', [2, 4]],
    ['a reserved name is paging', 'limit=2', [1, 2]],
    ['a field of that name takes a suffix', 'limit_eq=5', [1]],
    ['both', 'limit_gte=5&limit=1', [1]],
    ['inside _or it is the field', '_or=limit:5,limit:6', [1, 2]],
    ['the longest suffix', 'tags_containsAll=red,green', [1]],
  ]);
  expectRefusals(source, path, [
    parameter('a typing error', 'titel=x', unknown('titel', 'title')),
    parameter('with its suffix', 'titel_like=x', unknown('titel_like', 'title_like')),
    parameter('of a parameter', 'pgae=2', unknown('pgae', 'page')),
    parameter('nothing near', 'zzzzzzzz=1', unknown('zzzzzzzz')),
    parameter('other case', 'Title=x', unknown('Title', 'title')),
    parameter('writeOnly does not exist', 'secret=hidden', unknown('secret')),
    parameter('nor with a suffix', 'secret_null=false', unknown('secret_null', 'scores_null')),
    parameter('nor is it suggested', 'secre=1', unknown('secre')),
    parameter(
      'no such operator',
      'title_foo=x',
      'title_foo: there is no field title_foo and no operator _foo; title takes _eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _like, _ilike, _nlike, _nilike, _startsWith, _endsWith, _ieq, _exists, _null',
    ),
    parameter('an operator alone', '_gt=1', unknown('_gt')),
    parameter(
      'in other case',
      'count_GT=1',
      'count_GT: there is no field count_GT; write count_gt=value',
    ),
    parameter('list brackets', 'tags[]=a', `tags[]: ${brackets}`),
    parameter('list brackets, several times', 'tags[]=a&tags[]=b&tags[]=c', `tags[]: ${brackets}`),
    parameter('encoded', 'tags%5B%5D=a', `tags[]: ${brackets}`),
    parameter('index', 'tags[0]=a', `tags[0]: ${brackets}`),
    parameter('nested', 'title[eq]=a', `title[eq]: ${brackets}`),
    parameter('__proto__', '__proto__=1', unknown('__proto__')),
    parameter('__proto__ with a suffix', '__proto___exists=true', unknown('__proto___exists')),
    parameter(
      '__proto__ below',
      '__proto__.title=1',
      '__proto__.title: there is no field __proto__.title',
    ),
    parameter('constructor', 'constructor=1', unknown('constructor')),
    parameter('toString', 'toString_null=true', unknown('toString_null')),
    parameter(
      'hasOwnProperty in _or',
      '_or=hasOwnProperty:1',
      'hasOwnProperty: there is no field hasOwnProperty',
    ),
    ['__proto__ in sort', 'sort=__proto__', 'INVALID_SORT', 'sort: there is no field __proto__'],
    parameter('__proto__ in fields', 'fields=__proto__', 'fields: there is no field __proto__'),
    parameter(
      'constructor in exclude',
      'exclude=constructor',
      'exclude: there is no field constructor',
    ),
    parameter('__proto__ in expand', 'expand=__proto__', 'expand: there is no relation __proto__'),
    parameter('__proto__ as a group', 'fields=@__proto__', 'fields: there is no group @__proto__'),
    parameter('writeOnly in fields', 'fields=secret', 'fields: there is no field secret'),
    parameter('writeOnly in exclude', 'exclude=secret', 'exclude: there is no field secret'),
    ['writeOnly in sort', 'sort=secret', 'INVALID_SORT', 'sort: there is no field secret'],
  ]);

  test('a wildcard does not show what is writeOnly', async () => {
    const { body } = await api.get(`${path}?fields=s*&limit=1`);
    expect(Object.keys(body[0] as object)).toEqual(['id', 'site', 'size', 'scores', 'specs']);
  });
});

describe('repeated parameters', () => {
  expectRows(source, path, [
    ['filters are ANDed', 'count_gt=0&count_gt=1', [2, 4]],
    ['also when equal', 'title=Alpha&title=Alpha', [1]],
    ['and contradict', 'title=Alpha&title=alpha', []],
    ['contains twice', 'tags_contains=red&tags_contains=green', [1]],
    ['id is a union', 'id=3&id=1', [1, 3]],
    ['of any number', 'id=5&id=1&id=3&id=1&id=99', [1, 3, 5]],
    ['ANDed with other filters', 'id=3&id=1&count_gt=0', [1]],
    ['and with id under an operator', 'id=3&id=1&id_in=1,2', [1]],
    ['id_eq is no plain id', 'id_eq=3&id_eq=1', []],
    ['nor are pairs of _or', 'id=3&_or=id:1,id:3', [3]],
    ['_or groups are ANDed', '_or=id:1,id:2&_or=id:2,id:3', [2]],
  ]);
  const once = [
    'page=1',
    'limit=1',
    'offset=1',
    'cursor=a',
    'sort=id',
    'nulls=last',
    'fields=id',
    'exclude=title',
    'expand=x',
    'maxDepth=2',
    '_debug=true',
    '_trace=true',
    '_verbose=true',
    '_inspect=data',
    '_inspectNetwork=true',
  ];
  test.each(once)('%s twice is refused', async (text) => {
    const [name = ''] = text.split('=');
    const { problems, code, status } = refusalOf(await api.get(`${path}?${text}&${text}`));
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' });
    const hint = /sort|fields|exclude|expand/u.test(name) ? `; write several as ${name}=a,b` : '';
    expect(problems).toContain(`${name}: is given more than once${hint}`);
  });
  expectRefusals(source, path, [
    [
      'a union of what is no id',
      'id=1&id=x',
      'INVALID_FILTER',
      'id: "x" does not fit: it takes a whole number',
    ],
  ]);
});

describe('parameters without sense', () => {
  expectRows(source, path, [
    ['nulls without sort', 'nulls=last&id=1', [1]],
    ['maxDepth without expand', 'maxDepth=2&id=1', [1]],
    [
      'debug parameters that are off',
      '_debug=false&_trace=false&_verbose=false&_inspectNetwork=false&id=1',
      [1],
    ],
  ]);
  expectRefusals(source, path, [
    parameter('_debug', '_debug=maybe', '_debug: takes true, false or plan'),
    parameter('_trace', '_trace=1', '_trace: takes true or false'),
    parameter('_verbose', '_verbose=', '_verbose: takes true or false'),
    parameter('_inspect', '_inspect=true', '_inspect: takes data'),
    parameter('_inspectNetwork', '_inspectNetwork=yes', '_inspectNetwork: takes true or false'),
    parameter('nulls', 'nulls=middle', 'nulls: takes first or last'),
    parameter('maxDepth', 'maxDepth=0', 'maxDepth: must be a positive whole number'),
    parameter('maxDepth is no number', 'maxDepth=x', 'maxDepth: must be a positive whole number'),
  ]);
  describe('on a single read', () => {
    expectRefusals(source, `${path}/1`, [
      parameter('page', 'page=1', 'page: makes no sense on a read of one record'),
      parameter('limit', 'limit=1', 'limit: makes no sense on a read of one record'),
      parameter('offset', 'offset=1', 'offset: makes no sense on a read of one record'),
      parameter('cursor', 'cursor=', 'cursor: makes no sense on a read of one record'),
      parameter(
        'sort',
        'sort=id',
        'sort: sorts the expanded collections of a single record, nothing else',
      ),
      parameter('_or', '_or=id:1', '_or: makes no sense on a read of one record'),
      parameter(
        'a filter',
        'title=Alpha',
        'title: filters are for lists and for the collections that a single record expands',
      ),
      parameter(
        'a typing error',
        'feilds=id',
        'feilds: there is no field or parameter feilds; did you mean fields?',
      ),
      parameter('bad debug', '_debug=maybe', '_debug: takes true, false or plan'),
      parameter(
        'all at once',
        'page=1&fields=titel',
        'page: makes no sense on a read of one record',
        'fields: there is no field titel; did you mean title?',
      ),
    ]);
  });
  describe('on a delete', () => {
    expectRefusals(
      source,
      `${path}/1`,
      [
        parameter('fields', 'fields=id', 'fields: makes no sense on a delete'),
        parameter('exclude', 'exclude=title', 'exclude: makes no sense on a delete'),
        parameter('expand', 'expand=x', 'expand: makes no sense on a delete'),
        parameter('page', 'page=1', 'page: makes no sense on a delete'),
        parameter(
          'paging of what is expanded',
          'comments.limit=2',
          'comments.limit: filters and parameters of what is expanded make no sense on a delete',
        ),
        parameter('a filter', 'title=Alpha', 'title: filters make no sense on a delete'),
      ],
      'DELETE',
    );
    test('and nothing was deleted', async () => {
      expect((await api.get(`${path}/1`)).status).toBe(200);
    });
  });
  test.each([
    ['POST', path, 'page=1'],
    ['POST', path, 'title=x'],
    ['PUT', `${path}/1`, 'sort=id'],
    ['PATCH', `${path}/1`, '_or=id:1'],
  ])('%s %s?%s is refused and nothing is written', async (method, target, query) => {
    const before = (await api.get(path)).text;
    const answer = await api.send(method, `${target}?${query}`, { title: 'written' });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
    expect((await api.get(path)).text).toBe(before);
  });
});

describe('list values', () => {
  expectRows(source, path, [
    ['plain items', 'tags_containsAny=red,say', [1]],
    ['a comma in quotes', 'tags_containsAny="a,b",nothing', [2]],
    ['a quote', String.raw`tags_containsAny="say \"hi\""`, [4]],
    ['a backslash in quotes', String.raw`tags_containsAny="back\\slash"`, [4]],
    ['a backslash without quotes', String.raw`tags_containsAny=back\slash`, [4]],
    ['blanks belong to the value', 'tags_containsAny=+padded+', [4]],
    ['and are not added', 'tags_containsAny=padded', []],
    ['an empty item', 'tags_containsAny=""', [5]],
    ['an empty item among others', 'title_in="",Alpha', [1, 5]],
    ['_in with quotes', 'title_in="Alpha","alpha"', [1, 2]],
    ['a value of _or with a comma', '_or=title:"a,b",title:Alpha', [1]],
    ['a colon in quotes', '_or=moment:"2026-03-01T00:00:00Z",id:3', [1, 3]],
    ['a quoted list in _or', '_or=title_in:"Alpha,alpha",id:3', [1, 2, 3]],
    ['a quoted list with quotes', String.raw`_or=tags_containsAny:"\"a,b\",RED"`, [2, 5]],
    ['the last colon separates', '_or=at:"14:05:00"', [1]],
    ['an empty value in _or', '_or=title:"",id:1', [1, 5]],
    ['a blank before a name belongs to nothing', 'fields=+id+,+title+&id=1', [1]],
    ['around sort keys', 'sort=+-title+,+id&limit=1', [2]],
  ]);
  const list = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'INVALID_FILTER',
    ...problems,
  ];
  const empty = 'an empty item is written as ""';
  expectRefusals(source, path, [
    list('no item', 'title_in=', `title_in: ${empty}`),
    list('the first is empty', 'title_in=,a', `title_in: ${empty}`),
    list('one between', 'title_in=a,,b', `title_in: ${empty}`),
    list('the last is empty', 'title_nin=a,', `title_nin: ${empty}`),
    list(
      'a quote inside',
      'title_in=a"b',
      'title_in: a quote in a"b needs the whole item in double quotes',
    ),
    list('a quote not closed', 'title_in="a', 'title_in: a quote is not closed'),
    list('text behind a quote', 'title_in="a"b', 'title_in: a comma must follow a closing quote'),
    list(
      'another escape',
      String.raw`title_in="a\n"`,
      String.raw`title_in: only \" and \\ may follow a backslash`,
    ),
    list(
      'a backslash at the end',
      String.raw`title_in="a\ `.trim(),
      String.raw`title_in: only \" and \\ may follow a backslash`,
    ),
    list(
      'a blank before a number',
      'count_in=1, 2',
      'count_in: " 2" does not fit: it takes a whole number',
    ),
    list('containsAll', 'tags_containsAll=a,,b', `tags_containsAll: ${empty}`),
    list('_or without pairs', '_or=', '_or: "" is not field:value'),
    list('_or without a colon', '_or=title', '_or: "title" is not field:value'),
    list('_or with an empty pair', '_or=id:1,', '_or: "" is not field:value'),
    list('_or with an empty value', '_or=title:', `_or: ${empty}`),
    list('_or with a quoted name', '_or="title":a', '_or: ""title":a" is not field:value'),
    parameter(
      '_or with a blank before a name',
      '_or=id:1, id:2',
      ' id: there is no field  id; did you mean id?',
    ),
    parameter(
      '_or with bare colons',
      '_or=at:14:05:00',
      'at:14:05: there is no field at:14:05; a value with a colon is written in double quotes: at:"…"',
    ),
    parameter('fields', 'fields=id,', 'fields: has an empty item'),
    parameter('fields, nothing', 'fields=', 'fields: has an empty item'),
    parameter('exclude', 'exclude=,title', 'exclude: has an empty item'),
    parameter('expand', 'expand=', 'expand: has an empty item'),
    ['sort', 'sort=id,+,title', 'INVALID_SORT', 'sort: has an empty item'],
    ['sort, nothing', 'sort=', 'INVALID_SORT', 'sort: has an empty item'],
  ]);
});

test('all problems are reported together', async () => {
  const answer = await api.get(
    `${path}?titel=a&count=x&title%zz=1&page=1&page=2&limit=x&sort=nme,id,id&nulls=up&fields=nope&exclude=title&expand=foo&_or=count_gt:y,size_like:1&_or=x&active_gt=true&_debug=maybe`,
  );
  const { status, problems } = refusalOf(answer);
  expect(status).toBe(400);
  const named = problems.map((problem) => problem.split(':', 1)[0]);
  expect(named.toSorted((a = '', b = '') => (a < b ? -1 : 1))).toEqual([
    '_debug',
    '_or',
    'active_gt',
    'count',
    'count_gt',
    'exclude',
    'expand',
    'fields',
    'limit',
    'nulls',
    'page',
    'sort',
    'sort',
    'titel',
    'title%zz',
  ]);
});

test.each<readonly [query: string, code: string, ...names: string[]]>([
  ['titel=a&sort=nme&count=x&limit=9999', 'INVALID_PARAMETER', 'titel', 'sort', 'count', 'limit'],
  ['limit=9999&count=x&sort=nme&titel=a', 'LIMIT_EXCEEDED', 'limit', 'count', 'sort', 'titel'],
  ['sort=nme&expand=foo&fields=nope', 'INVALID_SORT', 'sort', 'expand', 'fields'],
  ['_or=count_gt:y&cursor=x&sort=nme', 'INVALID_FILTER', 'count_gt', 'cursor', 'sort'],
  ['sort=nme&limit=1001&titel=a', 'INVALID_SORT', 'sort', 'limit', 'titel'],
  ['page=1&offset=1&titel=a', 'PAGINATION_CONFLICT', 'offset', 'titel'],
  ['page=0&limit=9999&titel+x=1', 'INVALID_PARAMETER', 'page', 'limit', 'titel x'],
  ['fields=a&exclude=title&page=1&offset=0', 'INVALID_PARAMETER', 'fields', 'exclude', 'offset'],
])('problems are in the order of the request: %s', async (query, code, ...names) => {
  const { status, body } = await source().get(`${path}?${query}`);
  const fields = body.validationErrors.map(({ field }: { field: string }) => field);
  expect([status, body.code, ...fields]).toEqual([400, code, ...names]);
});

test('of many unknown names the first are told what they may have been meant to be', async () => {
  const names = Array.from({ length: 40 }, () => 'titel');
  const { status, body } = await source().get(
    `${path}?${names.map((name) => `${name}=1`).join('&')}`,
  );
  expect(status).toBe(400);
  const told = body.validationErrors.map(({ error }: { error: string }) =>
    error.includes('did you mean'),
  );
  expect(told).toEqual(names.map((_, index) => index < 20));
});

import { expect, test } from 'vitest';
import {
  conditionText,
  facetsOf,
  filtered as filteredAt,
  includesOwn,
  readFilter,
  withOwn,
  writeFilter,
  type RequestFilter,
} from '../../dashboard/src/requests/list/filter.ts';
import { shownUrl } from '../../dashboard/src/requests/list/rows.ts';
import type { RequestRow } from '../../src/http/dashboard/wire.ts';

const row: RequestRow = {
  number: 1,
  id: '0199aa00-4040-7000-8000-00000000404f',
  time: '2026-01-01T12:00:00.404Z',
  method: 'GET',
  path: '/v1/books',
  query: 'Title=Ivanhoe',
  route: 'books.list',
  status: 200,
  code: null,
  duration: 12.5,
  caller: 'Ada',
  client: '127.0.0.1',
  statements: 2,
  databaseTime: 1,
  size: 300,
  isSimulated: false,
  sandbox: null,
  isOwn: false,
};
const now = Date.parse(row.time) + 30_000;
/** The rows that the parameters of a URL leave. */
const filtered = (rows: readonly RequestRow[], parameters: string): readonly RequestRow[] =>
  filteredAt(rows, readFilter(new URLSearchParams(parameters)), now);
const words = (text: string): string => `text=${encodeURIComponent(text)}`;
const refused: RequestRow = { ...row, number: 2, id: 'ABC-7', status: 404, code: 'NOT_FOUND' };

test.each([
  ['', [1, 2]],
  ['  ', [1, 2]],
  ['404', [2]],
  ['not_found', [2]],
  ['IVANHOE', [1, 2]],
  ['books title', [1, 2]],
  ['books 404', [2]],
  ['books nothing', []],
  ['get ada 127.0.0.1', [1, 2]],
  // An id is not shown: a part of it is found by nobody.
  ['4040', []],
  ['0199aa00', []],
  ['0199aa00-4040-7000-8000-00000000404', []],
  ['404f', []],
  ['0199aa00-4040-7000-8000-00000000404f', [1]],
  ['0199AA00-4040-7000-8000-00000000404F', [1]],
  ['books 0199aa00-4040-7000-8000-00000000404f', [1]],
  ['404 0199aa00-4040-7000-8000-00000000404f', []],
  ['abc-7', [2]],
])('the requests are searched for "%s"', (text, found) => {
  const left = filtered([row, refused], words(text));
  expect(left.map(({ number }) => number)).toEqual(found);
});

const late: RequestRow = {
  ...row,
  number: 3,
  method: 'POST',
  status: 504,
  duration: 100,
  size: null,
  client: '10.0.0.7',
  caller: null,
  isSimulated: true,
  time: '2026-01-01T11:00:00.000Z',
};

test.each([
  ['status=4xx', [2]],
  ['status=404', [2]],
  ['status=200&status=5xx', [1, 3]],
  ['status=errors', [2, 3]],
  ['not.status=errors', [1]],
  ['status=errors&not.status=404', [3]],
  ['status=4', []],
  ['method=POST', [3]],
  ['not.method=POST', [1, 2]],
  ['method=GET&method=POST', [1, 2, 3]],
  ['path=books', [1, 2, 3]],
  ['path=authors', []],
  ['not.path=/v1/books', []],
  ['duration=>10', [1, 2, 3]],
  ['duration=>100', [3]],
  ['duration=<100', [1, 2]],
  ['duration=>much', []],
  ['size=>300', [1, 2]],
  ['size=<300', []],
  ['time=<60', [1, 2]],
  ['time=>60', [3]],
  ['client=127.0.0.1', [1, 2]],
  ['client=127.0.0.1&status=4xx', [2]],
  ['not.client=127.0.0.1', [3]],
  ['caller=Ada', [1, 2]],
  ['caller=none', [3]],
  ['code=NOT_FOUND', [2]],
  ['mark=simulated', [3]],
  ['mark=none', [1, 2]],
  ['not.mark=simulated', [1, 2]],
  ['status=4xx&text=ada&method=GET', [2]],
  ['nothing=1&tab=trace', [1, 2, 3]],
])('the requests are filtered by %s', (parameters, found) => {
  const left = filtered([row, refused, late], parameters);
  expect(left.map(({ number }) => number)).toEqual(found);
});

test.each([
  ['', [1]],
  ['status=200', [1]],
  ['own=hidden', [1]],
  ['own=shown', [1, 2]],
  ['own=shown&status=404', [2]],
  ['own=shown&not.mark=own', [1]],
  ['mark=own', [2]],
  ['mark=own&mark=none', [1, 2]],
  ['not.mark=own', [1]],
])(
  'the requests of the dashboard itself are left out unless they are asked for: "%s"',
  (parameters, found) => {
    const left = filtered([row, { ...refused, isOwn: true }], parameters);
    expect(left.map(({ number }) => number)).toEqual(found);
  },
);

test('requests of the dashboard that a condition has asked for are left out with the switch, too', () => {
  const asked = readFilter(new URLSearchParams('mark=own&status=4xx'));
  expect(includesOwn(asked)).toBe(true);
  const without = withOwn(asked, false);
  expect(includesOwn(without)).toBe(false);
  expect(writeFilter(new URLSearchParams(), without).toString()).toBe('status=4xx');
  const shown = writeFilter(new URLSearchParams(), withOwn(without, true));
  expect(shown.toString()).toBe('status=4xx&own=shown');
});

test.each([
  ['', [1, 2, 3]],
  ['sort=-duration', [3, 1, 2]],
  ['sort=duration', [1, 2, 3]],
  ['sort=status', [1, 2, 3]],
  ['sort=-status', [3, 2, 1]],
  ['sort=time', [3, 1, 2]],
  ['sort=-method', [3, 1, 2]],
  ['sort=size', [3, 1, 2]],
  ['sort=nothing', [1, 2, 3]],
])('the requests are sorted by "%s"; of equal ones the newer comes first', (parameters, found) => {
  const left = filtered([row, refused, late], parameters);
  expect(left.map(({ number }) => number)).toEqual(found);
});

test('a filter is in the URL as it applies, beside what else is there', () => {
  const text =
    'text=a+b&status=4xx&not.method=OPTIONS&duration=%3E100&own=shown&sort=-duration&tab=trace';
  const filter: RequestFilter = readFilter(new URLSearchParams(text));
  expect(
    writeFilter(new URLSearchParams('tab=trace&status=5xx&own=shown'), filter).toString(),
  ).toBe(text);
  expect(filter.conditions.map(conditionText)).toEqual([
    'Status is 4xx',
    'Method is not OPTIONS',
    'Duration at least 100 ms',
  ]);
});

test('the values of a column are offered with their number, of statuses the classes too', () => {
  expect(facetsOf([row, refused, late], 'client')).toEqual([
    { value: '127.0.0.1', count: 2 },
    { value: '10.0.0.7', count: 1 },
  ]);
  expect(facetsOf([row, refused, late], 'status').map(({ value }) => value)).toEqual([
    '5xx',
    '504',
    '4xx',
    '404',
    '2xx',
    '200',
  ]);
});

test('a path is searched for as it was sent and as it is shown', () => {
  const named = { ...row, path: '/v1/autor%C3%A9s/J%C3%BCrgen%20K' };
  for (const text of ['autorés', 'jürgen k', '%c3%bc'])
    expect(filtered([named], words(text))).toEqual([named]);
});

test.each([
  ['/v1/autor%C3%A9s', '/v1/autorés'],
  ['/v1/%E6%9C%AC/%F0%9F%93%9A', '/v1/本/📚'],
  ['/v1/a/New%20York', '/v1/a/New York'],
  ['/v1/a/x%3Ay%40z', '/v1/a/x:y@z'],
  // What would look like something else stays as it was sent.
  ['/v1/a/b%2Fc', '/v1/a/b%2Fc'],
  ['/v1/a/b%3Fc%23d', '/v1/a/b%3Fc%23d'],
  ['/v1/a/%2541', '/v1/a/%2541'],
  ['/v1/a/%2e%2e', '/v1/a/%2e%2e'],
  ['/v1/a/b%5Cc', '/v1/a/b%5Cc'],
  // Neither UTF-8 nor to be seen.
  ['/v1/a/%FF', '/v1/a/%FF'],
  ['/v1/a/%C3%A9%FF', '/v1/a/%C3%A9%FF'],
  ['/v1/a/%0A%1B', '/v1/a/%0A%1B'],
  ['/v1/a/%E2%80%AE', '/v1/a/%E2%80%AE'],
  ['/v1/a/%C2%A0', '/v1/a/%C2%A0'],
  ['/v1/a/%', '/v1/a/%'],
])('%s is shown as %s', (path, shown) => {
  expect(shownUrl({ path, query: '' })).toBe(shown);
  expect(shownUrl({ path, query: 'a=1' })).toBe(`${shown}?a=1`);
});

test.each([
  ['name=J%C3%BCrgen%20K', 'name=Jürgen K'],
  ['at_gte=2026-01-01T10%3A00%3A00%2B02:00', 'at_gte=2026-01-01T10:00:00%2B02:00'],
  ['_or=a:%22x,y%22', '_or=a:"x,y"'],
  // What would look like another parameter or value stays as it was sent.
  ['a=b%26c%3Dd&e=f+g', 'a=b%26c%3Dd&e=f+g'],
  ['a=%2541%FF%0A', 'a=%2541%FF%0A'],
])('the query %s is shown as %s, and found by both', (query, shown) => {
  expect(shownUrl({ path: '/v1/a', query })).toBe(`/v1/a?${shown}`);
  const asked = { ...row, query };
  for (const text of [query, shown]) expect(filtered([asked], words(text))).toEqual([asked]);
});

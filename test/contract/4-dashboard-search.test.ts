import { expect, test } from 'vitest';
import { filtered } from '../../dashboard/src/requests/rows.ts';
import type { RequestRow } from '../../src/http/dashboard-wire.ts';

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
};
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
  const left = filtered([row, refused], { text, method: '', status: '', slow: '' });
  expect(left.map(({ number }) => number)).toEqual(found);
});

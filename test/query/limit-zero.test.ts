import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { library, libraryRecords } from './library.ts';

let both: Both;
beforeAll(async () => {
  both = await serveBoth(library, libraryRecords);
});
afterAll(() => both.stop());

const books = '/v1/books';

describe('limit=0', () => {
  test.each([
    ['page mode', 'limit=0', '4', '1'],
    ['a later page', 'limit=0&page=3', '4', '3'],
    ['offset mode', 'limit=0&offset=2', '4', '1'],
    ['with a filter', 'limit=0&authorId=1', '2', '1'],
    ['with an expansion', 'limit=0&expand=tags', '4', '1'],
    ['nothing there', 'limit=0&title=x', '0', '1'],
  ])('gives the total alone: %s', async (_, query, total, page) => {
    const { status, body, headers } = await both.get(`${books}?${query}`);
    expect([status, body]).toEqual([200, []]);
    expect(headers.get('x-total-count')).toBe(total);
    expect(headers.get('x-total-pages')).toBe('0');
    expect(headers.get('x-limit')).toBe('0');
    expect(headers.get('x-page')).toBe(page);
    expect(headers.get('link')).toBeNull();
    expect(headers.get('x-next-cursor')).toBeNull();
  });

  test('without a total', async () => {
    const { body, headers } = await both.get(`${books}?limit=0`, { prefer: 'count=none' });
    expect(body).toEqual([]);
    expect(headers.get('x-total-count')).toBeNull();
    expect(headers.get('x-next-cursor')).toBeNull();
  });

  test('of groups', async () => {
    const { status, body, headers } = await both.get(`${books}?group=authorId&limit=0`);
    expect([status, body]).toEqual([200, []]);
    expect(headers.get('x-total-count')).toBe('3');
    expect(headers.get('x-total-pages')).toBe('0');
  });

  test('in cursor mode', async () => {
    const { status, body, headers } = await both.get(`${books}?limit=0&cursor=`);
    expect([status, body]).toEqual([200, { data: [], next_cursor: null }]);
    expect(headers.get('link')).toBeNull();
  });

  test.each([
    ['hasMany', 'authors/1', 'books', 2],
    ['belongsToMany', 'books/1', 'tags', 2],
    ['nothing there', 'books/4', 'tags', 0],
  ])('gives the total of a collection: %s', async (_, path, name, total) => {
    const { body } = await both.get(`/v1/${path}?expand=${name}&${name}.limit=0`);
    expect(body).toMatchObject({
      [name]: [],
      _pagination: { [name]: { page: 1, limit: 0, total, totalPages: 0 } },
    });
  });

  test('below a collection', async () => {
    const { body } = await both.get(
      '/v1/authors/1?expand=books.tags&books.limit=0&books.tags.limit=5&fields=books.title',
    );
    expect(body).toMatchObject({ books: [], _pagination: { books: { total: 2, totalPages: 0 } } });
  });

  test.each(['text/csv', 'application/x-ndjson'])('of %s', async (accept) => {
    const { status, text, headers } = await both.get(`${books}?limit=0&fields=title`, { accept });
    expect(status).toBe(200);
    expect(text).toBe(accept === 'text/csv' ? 'id,title\r\n' : '');
    expect(headers.get('x-total-count')).toBe('4');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const library = `
debug: true
resources:
  people:
    fields:
      firstName: { type: string }
      lastName: { type: string }
      fullName: { type: string, computed: { join: [firstName, lastName], with: " " } }
      books: { type: relation, relation: hasMany, resource: books, foreignKey: authorId }
      booksCount: { type: integer, computed: { count: books } }
  books:
    groups: { numbers: [ratingsCount, averageRating] }
    fields:
      title: { type: string, required: true }
      status: { type: enum, values: [draft, out] }
      dueOn: { type: date }
      authorId: { type: integer, reference: people.id }
      author: { type: relation, relation: belongsTo, resource: people }
      ratings: { type: relation, relation: hasMany, resource: ratings }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: labels, withPivot: [weight] }
      ratingsCount: { type: integer, computed: { count: ratings } }
      goodRatings: { type: integer, computed: { count: ratings, where: "stars_gte=4" } }
      poorRatings: { type: integer, computed: { count: ratings, where: "stars_gte=2&stars_lt=4" } }
      averageRating: { type: number, computed: { avg: ratings.stars } }
      stars: { type: integer, computed: { sum: ratings.stars } }
      paid: { type: decimal, scale: 2, computed: { sum: ratings.price } }
      averagePrice: { type: number, computed: { avg: ratings.price } }
      lastRated: { type: datetime, computed: { max: ratings.at, where: "stars_gt=1" } }
      firstWord: { type: string, computed: { min: ratings.word } }
      tagWeight: { type: integer, computed: { sum: tags.pivot.weight } }
      tagsCount: { type: integer, computed: { count: tags } }
      isOut: { type: boolean, computed: { where: "status=out&author.lastName=Bee" } }
  ratings:
    fields:
      stars: { type: integer }
      price: { type: decimal, precision: 18, scale: 2 }
      at: { type: datetime }
      word: { type: string }
      bookId: { type: integer, reference: books.id, onDelete: cascade }
      book: { type: relation, relation: belongsTo, resource: books }
  tags:
    fields:
      name: { type: string }
  labels:
    fields:
      bookId: { type: integer, required: true, reference: books.id }
      tagId: { type: integer, required: true, reference: tags.id }
      weight: { type: integer }
      book: { type: relation, relation: belongsTo, resource: books }
      tag: { type: relation, relation: belongsTo, resource: tags }
`;

const records = {
  people: [{ firstName: 'Ann', lastName: 'Bee' }, { lastName: 'Cee' }, {}],
  tags: [{ name: 'a' }, { name: 'b' }],
  books: [
    { title: 'One', status: 'out', authorId: 1 },
    { title: 'Two', status: 'draft', authorId: 1 },
    { title: 'Three', status: 'out', authorId: 2 },
    { title: 'Four' },
  ],
  ratings: [
    { stars: 5, price: '9999999999999999.99', at: '2026-01-02T00:00:00Z', word: 'b', bookId: 1 },
    { stars: 2, price: '0.10', at: '2026-01-03T00:00:00Z', word: 'B', bookId: 1 },
    { stars: 1, price: '1.50', at: '2026-01-04T00:00:00Z', word: 'z', bookId: 2 },
    { stars: 4, price: '-2.25', at: '2026-01-05T00:00:00Z', bookId: 3 },
    { stars: 4, bookId: 3 },
    { stars: 3, bookId: 3 },
  ],
  labels: [
    { bookId: 1, tagId: 1, weight: 3 },
    { bookId: 1, tagId: 2, weight: 4 },
    { bookId: 2, tagId: 1 },
  ],
};

let api: Both;
beforeAll(async () => {
  api = await serveBoth(library, records);
});
afterAll(() => api.stop());
const source = (): Both => api;

const one = {
  id: 1,
  title: 'One',
  status: 'out',
  dueOn: null,
  authorId: 1,
  ratingsCount: 2,
  goodRatings: 1,
  poorRatings: 1,
  averageRating: 3.5,
  stars: 7,
  paid: null,
  averagePrice: 5e15,
  lastRated: '2026-01-03T00:00:00.000Z',
  firstWord: 'B',
  tagWeight: 7,
  tagsCount: 2,
  isOut: true,
};

describe('shown', () => {
  expectBodies(source, [
    ['one record', '/v1/books/1', one],
    [
      'some fields',
      '/v1/books/3?fields=ratingsCount,paid,isOut',
      { id: 3, ratingsCount: 3, paid: '-2.25', isOut: false },
    ],
    [
      'without one',
      '/v1/people/3',
      { id: 3, firstName: null, lastName: null, fullName: null, booksCount: 0 },
    ],
    [
      'nothing related',
      '/v1/books/4?fields=@numbers,stars,lastRated,tagWeight',
      {
        id: 4,
        ratingsCount: 0,
        averageRating: null,
        stars: null,
        lastRated: null,
        tagWeight: null,
      },
    ],
    [
      'of a record that is expanded',
      '/v1/ratings/1?expand=book.author&fields=book.ratingsCount,book.author.fullName',
      { id: 1, book: { id: 1, ratingsCount: 2, author: { id: 1, fullName: 'Ann Bee' } } },
    ],
    [
      'of the items of a collection',
      '/v1/people?expand=books&fields=fullName,books.goodRatings&limit=2',
      [
        {
          id: 1,
          fullName: 'Ann Bee',
          books: [
            { id: 1, goodRatings: 1 },
            { id: 2, goodRatings: 0 },
          ],
        },
        { id: 2, fullName: 'Cee', books: [{ id: 3, goodRatings: 2 }] },
      ],
    ],
    [
      'grouped',
      '/v1/books?group=ratingsCount&aggregate=count,sum:stars,max:lastRated',
      [
        { group: { ratingsCount: 0 }, count: 1, sum: { stars: null }, max: { lastRated: null } },
        { group: { ratingsCount: 1 }, count: 1, sum: { stars: 1 }, max: { lastRated: null } },
        {
          group: { ratingsCount: 2 },
          count: 1,
          sum: { stars: 7 },
          max: { lastRated: '2026-01-03T00:00:00.000Z' },
        },
        {
          group: { ratingsCount: 3 },
          count: 1,
          sum: { stars: 11 },
          max: { lastRated: '2026-01-05T00:00:00.000Z' },
        },
      ],
    ],
    [
      'grouped through a relation',
      '/v1/books?group=author.fullName&nulls=last',
      [
        { group: { 'author.fullName': 'Ann Bee' }, count: 2 },
        { group: { 'author.fullName': 'Cee' }, count: 1 },
        { group: { 'author.fullName': null }, count: 1 },
      ],
    ],
  ]);
});

describe('filtered and sorted', () => {
  expectRows(source, '/v1/books', [
    ['equal', 'ratingsCount=2', [1]],
    ['in', 'ratingsCount_in=0,3', [3, 4]],
    ['not in', 'ratingsCount_nin=0,3', [1, 2]],
    ['different keeps null', 'averageRating_neq=3.5', [2, 3, 4]],
    ['range', 'goodRatings_gte=1&poorRatings_gte=1', [1, 3]],
    ['null', 'lastRated_null=true', [2, 4]],
    ['boolean', 'isOut=true', [1]],
    ['boolean, false', 'isOut=false', [2, 3, 4]],
    ['either', '_or=ratingsCount:0,tagWeight_gt:6', [1, 4]],
    ['text', 'author.fullName_ilike=ANN', [1, 2]],
    ['through a relation', 'author.booksCount=2', [1, 2]],
    ['sorted', 'sort=-ratingsCount', [3, 1, 2, 4]],
    ['sorted by two of the same form', 'sort=-goodRatings,-poorRatings', [3, 1, 4, 2]],
    ['sorted with nulls last', 'sort=averageRating&nulls=last', [2, 1, 3, 4]],
    ['sorted through a relation', 'sort=-author.booksCount,id', [1, 2, 3, 4]],
    ['sorted by a boolean', 'sort=-isOut', [1, 4, 3, 2]],
    ['filtered and sorted by the same', 'ratingsCount_gte=1&sort=ratingsCount', [2, 1, 3]],
    ['filtered by another field', 'status=out&sort=-ratingsCount', [3, 1]],
    ['filtered by both', 'status=out&goodRatings=1&sort=-poorRatings', [1]],
    ['sorted by a field', 'ratingsCount_gte=1&title_neq=Two&sort=title', [1, 3]],
    ['null and a sort by a field', 'averageRating_null=true&sort=title', [4]],
    ['not null', 'lastRated_exists=true&status=out&sort=-title', [3, 1]],
    ['a zero', 'ratingsCount=0&sort=-stars', [4]],
    ['found by an index', 'authorId=1&sort=ratingsCount', [2, 1]],
    ['found through a relation', 'author.lastName=Cee&ratingsCount_gt=1&sort=-stars', [3]],
    ['of links, filtered', 'title_in=One,Two,Four&tagsCount_lt=2&sort=-tagWeight', [4, 2]],
    ['in a group', '_or=ratingsCount:3,status:draft&sort=-ratingsCount', [3, 2]],
  ]);
  expectRows(source, '/v1/people', [
    ['searched', 'search="ann+bee"', [1]],
    ['by items of a collection', 'books.ratingsCount=3', [2]],
    ['by the least of a collection', 'sort=books.goodRatings&nulls=last', [1, 2, 3]],
  ]);
});

describe('cursors', () => {
  test('walk by what is computed', async () => {
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await api.get(
        `/v1/books?sort=-averageRating,-goodRatings&limit=1&cursor=${cursor}`,
      );
      const page = body as { data: { id: number }[]; next_cursor: string | null };
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual([3, 1, 2, 4]);
  });
});

describe('writes', () => {
  test('answer with what is computed, and take it back unchanged', async () => {
    const made = await api.send('POST', '/v1/people', { firstName: 'Dan', lastName: 'Eff' });
    expect([made.status, made.body]).toEqual([
      201,
      { id: 4, firstName: 'Dan', lastName: 'Eff', fullName: 'Dan Eff', booksCount: 0 },
    ]);
    const changed = await api.send('PATCH', '/v1/people/4', {
      ...(made.body as object),
      lastName: 'Gee',
    });
    expect(changed.body).toMatchObject({ fullName: 'Dan Gee' });
    const replaced = await api.send('PUT', '/v1/people/4', { lastName: 'Aitch', fullName: 'x' });
    expect(replaced.body).toMatchObject({ firstName: null, fullName: 'Aitch' });
    const matched = await api.send(
      'PATCH',
      '/v1/people/4',
      { firstName: 'I' },
      { 'if-match': replaced.headers.get('etag') ?? '' },
    );
    expect(matched.body).toMatchObject({ fullName: 'I Aitch' });
    const several = await api.send('POST', '/v1/people', [{ lastName: 'K' }, { firstName: 'L' }]);
    expect(several.body).toMatchObject([{ fullName: 'K' }, { fullName: 'L' }]);
    const refused = await api.send('POST', '/v1/people', { fullName: 'x' });
    expect(refused.status).toBe(400);
    for (const id of [4, 5, 6]) await api.send('DELETE', `/v1/people/${id}`);
  });
});

describe('refused', () => {
  expectRefusals(source, '/v1/books', [
    [
      'an operator that does not fit',
      'ratingsCount_like=1',
      'INVALID_FILTER',
      'ratingsCount_like: ratingsCount is of type integer, which takes _eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _exists, _null, not _like',
    ],
  ]);
});

describe('one statement', () => {
  test('reads a list, whatever is computed', async () => {
    const [sqlite] = api.sides;
    if (sqlite === undefined) throw new TypeError('SQLite is served first');
    const answer = await sqlite.get('/v1/books?sort=-ratingsCount&_debug=true');
    const { _debug } = answer.body as unknown as { _debug: { database: { queries: unknown[] } } };
    expect(_debug.database.queries).toHaveLength(1);
  });
});

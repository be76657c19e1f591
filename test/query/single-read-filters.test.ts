import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectTrees, invalid } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(world, worldRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [person, post, note] = ['/v1/people/1', '/v1/posts/1', '/v1/notes/1'];

describe('a single read takes filters and sorts of the collections that it expands', () => {
  expectTrees(source, post, [
    ['a filter', 'expand=comments&comments.rating_gte=4', 'comments', [[1, [1]]]],
    ['that leaves nothing', 'expand=comments&comments.rating=9', 'comments', [[1, []]]],
    ['two', 'expand=comments&comments.rating_gte=2&comments.approved=true', 'comments', [[1, [2]]]],
    ['through a to-one below', 'expand=comments&comments.person.name=Cyd', 'comments', [[1, [2]]]],
    ['by a pivot field', 'expand=tags&tags.pivot.position=1', 'tags', [[1, [2]]]],
    ['of a morphMany', 'expand=notes&notes.stars_gt=1', 'notes', [[1, [1]]]],
    ['sort', 'expand=comments&sort=comments.rating', 'comments', [[1, [2, 1]]]],
    ['sort by a pivot field', 'expand=tags&sort=tags.pivot.position', 'tags', [[1, [2, 1]]]],
    ['its own sort', 'expand=comments&comments.sort=-id', 'comments', [[1, [2, 1]]]],
    [
      'below a to-one',
      'expand=author.posts&author.posts.views=20',
      'author.posts',
      [[1, [[1, [2]]]]],
    ],
  ]);
  // The rating of comment 4 is null.
  expectTrees(source, '/v1/posts/2', [
    ['nulls', 'expand=comments&sort=comments.rating&nulls=last', 'comments', [[2, [3, 4]]]],
    [
      'by its own sort',
      'expand=comments&comments.sort=-rating&nulls=first',
      'comments',
      [[2, [4, 3]]],
    ],
    [
      'where they are by themselves',
      'expand=comments&comments.sort=rating',
      'comments',
      [[2, [4, 3]]],
    ],
  ]);
  expectTrees(source, person, [
    [
      'the deepest collection',
      'expand=posts.comments&posts.comments.rating_gte=4',
      'posts.comments',
      [
        [
          1,
          [
            [1, [1]],
            [2, [3]],
          ],
        ],
      ],
    ],
    [
      'two collections',
      'expand=posts.comments&posts.views=20&posts.comments.rating_exists=true&sort=-posts.comments.id',
      'posts.comments',
      [[1, [[2, [3]]]]],
    ],
  ]);
  expectTrees(source, note, [
    [
      'below a morphTo',
      'expand=about.comments&about.comments.rating=2',
      'about.comments',
      [[1, [[1, [2]]]]],
    ],
  ]);

  test('the body of a write takes none', async () => {
    for (const query of ['comments.rating=5', 'comments.limit=1', 'sort=comments.id']) {
      const { status, body } = await api.send('PATCH', `${post}?expand=comments&${query}`, {});
      expect([status, body.code], query).toEqual([400, 'INVALID_PARAMETER']);
    }
  });

  test('a record that is missing is 404 all the same', async () => {
    expect((await api.get('/v1/posts/99?expand=comments&comments.rating=5')).status).toBe(404);
  });

  test('its tag is that of what is shown', async () => {
    const tag = async (query: string): Promise<string | null> =>
      (await api.get(`${post}?expand=comments&${query}`)).headers.get('etag');
    expect(await tag('comments.rating=5')).not.toBe(await tag('comments.rating=2'));
    expect(await tag('comments.rating_gte=1')).toBe(await tag(''));
  });
});

describe('what would choose or order the record itself is refused', () => {
  expectBlame(source, post, [
    invalid('a field', 'title=One', 'title'),
    invalid('a member', 'meta.weight=1', 'meta.weight'),
    invalid('JSON', 'extra.a=1', 'extra.a'),
    invalid('a to-one', 'author.name=Ann', 'author.name'),
    invalid('a to-one that is expanded', 'expand=author&author.name=Ann', 'author.name'),
    invalid('a collection that is not', 'comments.rating=5', 'comments.rating'),
    invalid('another that is not', 'expand=tags&comments.rating=5', 'comments.rating'),
    invalid('a relation', 'comments_exists=true', 'comments_exists'),
    invalid('the collection itself', 'expand=comments&comments_exists=true', 'comments_exists'),
    invalid('_or', 'expand=comments&_or=comments.rating:5', '_or'),
    invalid('a page', 'page=1', 'page'),
    invalid('a limit', 'expand=comments&limit=1', 'limit'),
    invalid('an offset', 'offset=0', 'offset'),
    invalid('a cursor', 'cursor=', 'cursor'),
    invalid('sort', 'sort=title', 'sort'),
    invalid('sort by a to-one', 'expand=author&sort=author.name', 'sort'),
    invalid('sort by a collection that is not expanded', 'sort=comments.rating', 'sort'),
  ]);
  expectBlame(source, post, [
    invalid(
      'an unknown field of a collection',
      'expand=comments&comments.ratign=5',
      'comments.ratign',
      'rating',
    ),
    [
      'an operator that does not fit',
      'expand=comments&comments.rating_like=5',
      'INVALID_FILTER',
      'comments.rating_like',
    ],
    [
      'a value that does not fit',
      'expand=comments&comments.rating=x',
      'INVALID_FILTER',
      'comments.rating',
    ],
    [
      'an unknown sort key of a collection',
      'expand=comments&sort=comments.ratign',
      'INVALID_SORT',
      'sort',
      'rating',
    ],
  ]);
});

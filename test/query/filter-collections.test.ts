import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRows, expectTrees } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(world, worldRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [people, posts, notes] = ['/v1/people', '/v1/posts', '/v1/notes'];

describe('a filter on a collection that is expanded restricts its items', () => {
  expectTrees(source, posts, [
    [
      'hasMany',
      'expand=comments&comments.rating_gte=4',
      'comments',
      [
        [1, [1]],
        [2, [3]],
        [3, []],
        [4, []],
        [5, []],
      ],
    ],
    [
      'two are about the same item',
      'expand=comments&comments.rating_gte=4&comments.approved=true',
      'comments',
      [
        [1, []],
        [2, [3]],
        [3, []],
        [4, []],
        [5, []],
      ],
    ],
    ['null', 'expand=comments&comments.rating_null=true&id=2', 'comments', [[2, [4]]]],
    [
      'belongsToMany',
      'expand=tags&tags.name=red',
      'tags',
      [
        [1, [1]],
        [2, [1]],
        [3, []],
        [4, []],
        [5, []],
      ],
    ],
    [
      'by a pivot field',
      'expand=tags&tags.pivot.position=1',
      'tags',
      [
        [1, [2]],
        [2, [1]],
        [3, []],
        [4, []],
        [5, []],
      ],
    ],
    [
      'a pivot field and one of the record',
      'expand=tags&tags.pivot.position_lte=2&tags.name=red&id_lte=2',
      'tags',
      [
        [1, [1]],
        [2, [1]],
      ],
    ],
    [
      'morphMany',
      'expand=notes&notes.stars_gte=4&id_lte=2',
      'notes',
      [
        [1, [1]],
        [2, [5]],
      ],
    ],
    [
      'through a to-one below it',
      'expand=comments&comments.person.name=Bob&id_lte=3',
      'comments',
      [
        [1, [1]],
        [2, []],
        [3, [5]],
      ],
    ],
    [
      'through a to-one below it that is expanded too',
      'expand=comments.person&comments.person.name=Bob&id_lte=3',
      'comments.person',
      [
        [1, [[1, [2]]]],
        [2, []],
        [3, [[5, [2]]]],
      ],
    ],
    [
      'through a collection below it that is not expanded',
      'expand=comments&comments.replies.rating=3&id_lte=2',
      'comments',
      [
        [1, [1]],
        [2, []],
      ],
    ],
    [
      'by what is there below it',
      'expand=comments&comments.replies_exists=false&id_lte=2',
      'comments',
      [
        [1, [2]],
        [2, [3, 4]],
      ],
    ],
    [
      'below a to-one: the parents stay',
      'expand=author.posts&author.posts.views=20',
      'author.posts',
      [
        [1, [[1, [2]]]],
        [2, [[1, [2]]]],
        [3, [[2, []]]],
        [4, []],
        [5, [[3, [5]]]],
      ],
    ],
    [
      'another collection that is expanded is left alone',
      'expand=comments,tags&tags.name=red&id_lte=3',
      'comments',
      [
        [1, [1, 2]],
        [2, [3, 4]],
        [3, [5]],
      ],
    ],
  ]);
  expectTrees(source, people, [
    [
      'the deepest one',
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
        [2, [[3, []]]],
        [3, [[5, []]]],
        [4, []],
      ],
    ],
    [
      'not the deepest in the path, but in the request',
      'expand=posts&posts.comments.rating_gte=4',
      'posts',
      [
        [1, [1, 2]],
        [2, []],
        [3, []],
        [4, []],
      ],
    ],
    [
      'one that is not the last',
      'expand=posts.comments&posts.views=10',
      'posts.comments',
      [
        [1, [[1, [1, 2]]]],
        [2, []],
        [3, []],
        [4, []],
      ],
    ],
    [
      'filters of different collections share nothing',
      'expand=posts.comments&posts.views=10&posts.comments.rating=4',
      'posts.comments',
      [
        [1, [[1, []]]],
        [2, []],
        [3, []],
        [4, []],
      ],
    ],
    [
      'twice for two records below the items',
      'expand=posts&posts.tags.name=red&posts.tags.name=blue',
      'posts',
      [
        [1, [1]],
        [2, []],
        [3, []],
        [4, []],
      ],
    ],
    [
      'by JSON of the items',
      'expand=posts&posts.extra.n_gte=9',
      'posts',
      [
        [1, [2]],
        [2, [3]],
        [3, []],
        [4, []],
      ],
    ],
    [
      'by what is there below the items',
      'expand=posts&posts.comments_exists=false',
      'posts',
      [
        [1, []],
        [2, []],
        [3, [5]],
        [4, []],
      ],
    ],
  ]);
  expectTrees(source, notes, [
    [
      'below a morphTo',
      'expand=about.comments&about.comments.rating=5&aboutType=posts',
      'about.comments',
      [
        [1, [[1, [1]]]],
        [3, [[1, [1]]]],
        [5, [[2, []]]],
      ],
    ],
  ]);

  test('the total is that of the parents, who all stay', async () => {
    const { body, headers } = await api.get(`${posts}?expand=comments&comments.rating=5`);
    expect([body.length, headers.get('x-total-count')]).toEqual([5, '5']);
    expect(JSON.stringify(body)).not.toContain('_pagination');
  });
});

describe('what filters the parents all the same', () => {
  expectRows(source, posts, [
    ['to-one', 'expand=author&author.name=Ann', [1, 2]],
    ['to-one, where what is below is expanded', 'expand=author.posts&author.name=Bob', [3]],
    ['_or', 'expand=comments&_or=comments.rating:5,views:5', [1, 4]],
    ['a collection that is not expanded', 'expand=tags&comments.rating=5', [1]],
    ['the collection itself being there', 'expand=comments&comments_exists=false', [4, 5]],
    ['the collection itself being absent', 'expand=comments&comments_null=false', [1, 2, 3]],
  ]);
  expectTrees(source, posts, [
    [
      '_or leaves the items whole',
      'expand=comments&_or=comments.rating:5',
      'comments',
      [[1, [1, 2]]],
    ],
    [
      'a path of the same fields from elsewhere',
      'expand=comments&author.posts.comments.rating=1',
      'comments',
      [[3, [5]]],
    ],
  ]);
  expectRows(source, people, [
    ['a hasOne', 'expand=passport&passport.number=A1', [1]],
    ['past a hasOne', 'expand=posts&passport.person.name=Ann', [1]],
  ]);
  expectRows(source, notes, [['a morphTo', 'expand=about.comments&about.title=One', [1, 3]]]);
});

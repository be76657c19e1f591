import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, expectTrees } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(`limits: { sorts: 20 }\n${world}`, worldRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [people, posts, comments, notes] = ['/v1/people', '/v1/posts', '/v1/comments', '/v1/notes'];

describe('a path into an object', () => {
  expectRows(source, posts, [
    ['numbers by size', 'sort=meta.weight', [3, 4, 1, 2, 5]],
    ['descending', 'sort=-meta.weight', [5, 2, 1, 4, 3]],
    ['nulls last', 'sort=meta.weight&nulls=last', [1, 2, 5, 3, 4]],
    ['nulls first', 'sort=-meta.weight&nulls=first', [4, 3, 5, 2, 1]],
    ['an object in an object', 'sort=meta.size.width', [3, 4, 5, 2, 1]],
    ['an enum by its text', 'sort=meta.size.unit', [3, 4, 5, 2, 1]],
    ['a moment', 'sort=-meta.at', [2, 1, 5, 4, 3]],
    ['false before true', 'sort=meta.on', [3, 4, 5, 2, 1]],
    ['an array by its first item', 'sort=meta.codes', [2, 4, 5, 3, 1]],
    ['beside another key', 'sort=-views,meta.weight', [2, 5, 1, 4, 3]],
    ['a name like an operator', 'sort=-meta.level_gt', [1, 5, 4, 3, 2]],
  ]);
  expectRows(source, people, [
    ['text by code point', 'sort=address.city,-id', [3, 4, 1, 2]],
    ['deep', 'sort=-address.geo.lat', [1, 4, 3, 2]],
  ]);
});

describe('a path through to-one relations', () => {
  expectRows(source, posts, [
    ['belongsTo', 'sort=author.name', [4, 1, 2, 3, 5]],
    ['descending, id too', 'sort=-author.name', [5, 3, 2, 1, 4]],
    ['nulls last', 'sort=author.name&nulls=last', [1, 2, 3, 5, 4]],
    ['nulls first', 'sort=-author.name&nulls=first', [4, 5, 3, 2, 1]],
    ['then by id', 'sort=author.name,-id', [4, 2, 1, 3, 5]],
    ['no author and an author without: both null', 'sort=author.age', [4, 5, 3, 1, 2]],
    ['the related id', 'sort=-author.id', [5, 3, 2, 1, 4]],
    ['two relations', 'sort=author.passport.number', [4, 5, 1, 2, 3]],
    ['two relations to one resource', 'sort=editor.name,-author.name', [5, 2, 4, 3, 1]],
    ['into an object there', 'sort=-author.address.zip', [2, 1, 3, 5, 4]],
    ['an array there', 'sort=author.address.lines', [3, 4, 5, 1, 2]],
    ['when it is expanded', 'expand=author&sort=author.name', [4, 1, 2, 3, 5]],
    ['with a filter through it', 'author.age_gte=30&sort=-author.age,-title', [2, 1, 3]],
  ]);
  expectRows(source, people, [
    ['hasOne', 'sort=passport.number', [3, 4, 1, 2]],
    ['hasOne, nulls last', 'sort=-passport.number', [2, 1, 4, 3]],
  ]);
  expectRows(source, comments, [['on the way back', 'sort=-post.views', [4, 3, 2, 1, 6, 5]]]);

  test('counts and pages stay right', async () => {
    const { body, headers } = await api.get(`${posts}?sort=author.name&limit=2&page=2`);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([2, 3]);
    expect(headers.get('x-total-count')).toBe('5');
  });
});

describe('a path through a collection: the least ascending, the greatest descending', () => {
  expectRows(source, posts, [
    ['hasMany, ascending', 'sort=comments.rating', [4, 5, 3, 1, 2]],
    ['hasMany, descending', 'sort=-comments.rating', [1, 2, 3, 5, 4]],
    ['nulls last', 'sort=comments.rating&nulls=last', [3, 1, 2, 4, 5]],
    ['nulls first', 'sort=-comments.rating&nulls=first', [5, 4, 1, 2, 3]],
    ['text', 'sort=comments.text', [4, 5, 3, 2, 1]],
    ['boolean', 'sort=comments.approved', [4, 5, 1, 3, 2]],
    ['boolean, descending', 'sort=-comments.approved', [2, 1, 3, 5, 4]],
    ['decimal', 'sort=comments.cost', [4, 5, 3, 1, 2]],
    ['uuid', 'sort=comments.token', [4, 5, 2, 3, 1]],
    ['uuid, descending', 'sort=-comments.token', [1, 3, 2, 5, 4]],
    ['datetime', 'sort=comments.at', [4, 5, 2, 1, 3]],
    ['date, descending', 'sort=-comments.day', [1, 2, 3, 5, 4]],
    ['time', 'sort=comments.clock', [4, 5, 3, 2, 1]],
    ['number', 'sort=comments.score', [4, 5, 3, 1, 2]],
    ['the first items of arrays', 'sort=comments.marks', [4, 5, 1, 3, 2]],
    ['the first items of arrays, descending', 'sort=-comments.marks', [2, 1, 3, 5, 4]],
    ['the related ids', 'sort=-comments.id', [3, 2, 1, 5, 4]],
    ['belongsToMany', 'sort=tags.name', [3, 4, 1, 5, 2]],
    ['belongsToMany, descending', 'sort=-tags.name', [2, 1, 5, 4, 3]],
    ['morphMany', 'sort=notes.stars', [3, 4, 5, 1, 2]],
    ['morphMany, descending', 'sort=-notes.stars', [1, 2, 5, 4, 3]],
    ['on through a to-one', 'sort=comments.person.age', [4, 5, 1, 3, 2]],
    ['from a to-one', 'sort=author.posts.views,-id', [4, 3, 2, 1, 5]],
    ['two paths', 'sort=tags.name,-comments.rating', [3, 4, 1, 5, 2]],
    [
      'with a filter through it, which is another matter',
      'comments.rating_gte=4&sort=comments.rating',
      [1, 2],
    ],
    ['another collection that is expanded', 'expand=tags&sort=comments.rating', [4, 5, 3, 1, 2]],
  ]);
  expectRows(source, people, [
    ['two collections', 'sort=posts.comments.rating', [3, 4, 2, 1]],
    ['two collections, descending', 'sort=-posts.comments.rating', [1, 2, 4, 3]],
    ['into an object', 'sort=-posts.meta.weight', [3, 1, 4, 2]],
    ['a collection and another', 'sort=posts.tags.name,id', [2, 4, 1, 3]],
  ]);
});

describe('an expanded collection is sorted instead', () => {
  expectTrees(source, posts, [
    [
      'descending; the parents by id',
      'expand=comments&sort=-comments.rating&id_lte=3',
      'comments',
      [
        [1, [1, 2]],
        [2, [3, 4]],
        [3, [5]],
      ],
    ],
    [
      'ascending',
      'expand=comments&sort=comments.rating&id_lte=2',
      'comments',
      [
        [1, [2, 1]],
        [2, [4, 3]],
      ],
    ],
    [
      'nulls last',
      'expand=comments&sort=comments.rating&nulls=last&id_lte=2',
      'comments',
      [
        [1, [2, 1]],
        [2, [3, 4]],
      ],
    ],
    [
      'nulls, by its own sort',
      'expand=comments&comments.sort=rating&nulls=last&id=2',
      'comments',
      [[2, [3, 4]]],
    ],
    [
      'nulls first',
      'expand=comments&sort=-comments.rating&nulls=first&id=2',
      'comments',
      [[2, [4, 3]]],
    ],
    [
      'beside a key of the parents',
      'expand=comments&sort=-title,-comments.rating&id_lte=2',
      'comments',
      [
        [2, [3, 4]],
        [1, [1, 2]],
      ],
    ],
    [
      'equal ones by id in the direction of its last key',
      'expand=comments&sort=title,-comments.postId&id=1',
      'comments',
      [[1, [2, 1]]],
    ],
    [
      'two keys of it',
      'expand=comments&sort=comments.text,-comments.rating&id=1',
      'comments',
      [[1, [1, 2]]],
    ],
    ['by a pivot field', 'expand=tags&sort=tags.pivot.position&id=1', 'tags', [[1, [2, 1]]]],
    [
      'by a pivot field, descending',
      'expand=tags&sort=-tags.pivot.position&id=1',
      'tags',
      [[1, [1, 2]]],
    ],
    ['morphMany', 'expand=notes&sort=notes.stars&id=1', 'notes', [[1, [3, 1]]]],
    [
      'by a to-one below it',
      'expand=comments&sort=-comments.person.name&id=1',
      'comments',
      [[1, [2, 1]]],
    ],
    [
      'by a collection below it',
      'expand=comments&sort=comments.replies.rating&id=1',
      'comments',
      [[1, [2, 1]]],
    ],
    [
      'below a to-one',
      'expand=author.posts&sort=-author.posts.views&id=1',
      'author.posts',
      [[1, [[1, [2, 1]]]]],
    ],
    [
      'with a filter on it',
      'expand=comments&sort=-comments.id&comments.rating_gte=2&id=1',
      'comments',
      [[1, [2, 1]]],
    ],
  ]);
  expectTrees(source, people, [
    [
      'the deepest one',
      'expand=posts.comments&sort=-posts.comments.id&id=1',
      'posts.comments',
      [
        [
          1,
          [
            [1, [2, 1]],
            [2, [4, 3]],
          ],
        ],
      ],
    ],
    [
      'one that is not the last',
      'expand=posts.comments&sort=-posts.views&id=1',
      'posts.comments',
      [
        [
          1,
          [
            [2, [3, 4]],
            [1, [1, 2]],
          ],
        ],
      ],
    ],
    [
      'by what is below it and not expanded: the greatest',
      'expand=posts&sort=-posts.comments.cost&id=1',
      'posts',
      [[1, [2, 1]]],
    ],
  ]);
});

describe('refused', () => {
  const blame = (name: string, key: string, ...words: string[]) =>
    [name, `sort=${key}`, 'INVALID_SORT', 'sort', ...words] as const;
  expectBlame(source, posts, [
    blame('an object', 'meta', 'meta'),
    blame('an object in an object', 'meta.size', 'meta.size'),
    blame('json', 'extra', 'extra'),
    blame('by key', 'extra.a', 'extra.a'),
    blame('what is not declared', 'free.x', 'free.x'),
    blame('json in an object', 'meta.more', 'meta.more'),
    blame('json in an object, by key', 'meta.more.a', 'meta.more.a'),
    blame('a decimal in an object', 'meta.cost', 'meta.cost'),
    blame('an object there', 'author.address', 'author.address'),
    blame('a to-one relation', 'author', 'author'),
    blame('a to-many relation', '-comments', 'comments'),
    blame('a related relation', 'author.posts', 'author.posts'),
    blame('a pivot that is not expanded', 'tags.pivot.position', 'tags.pivot.position'),
    blame('twice', 'author.name,author.name', 'author.name'),
    blame('twice, in two directions', 'meta.weight,-meta.weight', 'meta.weight'),
    blame('an unknown relation', 'autor.name', 'author'),
    blame('an unknown field', 'author.nmae', 'name'),
    blame('in an object', 'meta.wieght', 'weight'),
    blame('past a field', 'title.x', 'title'),
    blame('what can only be written', 'author.pin', 'author.pin'),
    blame('an empty part', 'author..name'),
    blame('nothing after the dot', 'author.'),
    blame('__proto__', 'author.__proto__'),
    blame('an operator', 'author.age_gt'),
    [
      'six dots',
      'sort=author.posts.author.posts.author.posts.title',
      'LIMIT_EXCEEDED',
      'sort',
      '5',
      'pathDepth',
    ],
    [
      'nine keys',
      `sort=${['name', 'age', 'id', 'address.city', 'address.zip', 'passport.number', 'posts.title', 'posts.views', 'notes.stars'].map((key) => `author.${key}`).join(',')}`,
      'LIMIT_EXCEEDED',
      'sort',
      '20',
    ],
  ]);
  expectBlame(source, notes, [
    blame('a morphTo', 'about', 'about'),
    blame('through a morphTo', 'about.title', 'about'),
    blame('through a morphTo to a field of all', 'about.id', 'about'),
    blame('through a morphTo by its target', 'about:posts.title', 'about'),
  ]);
  expectBlame(source, posts, [
    ['through a morphTo, on the way', 'sort=notes.about.title', 'INVALID_SORT', 'sort', 'about'],
  ]);
  expectRows(source, people, [
    ['five dots', 'sort=posts.author.posts.author.posts.title', [4, 3, 1, 2]],
  ]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectShapes, servePair, type Pair } from './shapes.ts';
import { world, worldRecords } from './world.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await servePair(world, worldRecords);
});
afterAll(() => pair.stop());

const source = (): Pair => pair;
const posts = '/v1/posts';

describe('a value does not make a shape', () => {
  expectShapes(source, posts, 0, [
    ['through a to-one', 'author.age=40', 'author.age=30'],
    ['a member', 'meta.weight_gt=1', 'meta.weight_gt=1.75'],
    ['JSON of another type', 'extra.a=1', 'extra.a=%C3%A4'],
    ['JSON, in order', 'extra.n_gt=9', 'extra.n_gt=text'],
    ['JSON, a list', 'extra.a_in=1', 'extra.a_in=1,x,%C3%A4'],
    ['JSON, a boolean', 'extra.t_neq=true', 'extra.t_neq=1'],
    ['JSON, a search', 'extra.s_ilike=a', 'extra.s_ilike=STR'],
    [
      'two of one record',
      'comments.rating_gte=4&comments.approved=true',
      'comments.rating_gte=2&comments.approved=false',
    ],
    ['two records', 'tags.name=red&tags.name=blue', 'tags.name=blue&tags.name=red'],
    ['a pivot', 'tags.pivot.position=1', 'tags.pivot.position=3'],
    ['in _or', '_or=author.name:Ann,tags.name:red', '_or=author.name:"B,b",tags.name:blue'],
    ['on items', 'expand=comments&comments.rating=5', 'expand=comments&comments.rating=4'],
    [
      'a limit of a collection',
      'expand=comments&comments.limit=1',
      'expand=comments&comments.limit=2',
    ],
    [
      'a page of a collection',
      'expand=tags&tags.limit=1&tags.page=1',
      'expand=tags&tags.limit=1&tags.page=2',
    ],
    ['an offset in a collection', 'expand=notes&notes.offset=0', 'expand=notes&notes.offset=1'],
  ]);
  expectShapes(source, '/v1/notes', 0, [
    ['through a morphTo', 'about.id=1', 'about.id=2'],
    ['through one target', 'about:posts.title=One', 'about:posts.title=Two'],
  ]);

  test('nor does where a cursor goes on', async () => {
    const path = `${posts}?sort=meta.weight&nulls=last&limit=1`;
    const cursors: string[] = [];
    for (let page = 1; page < 5; page += 1) {
      const { headers } = await pair.warm.get(`${path}&page=${page}`);
      cursors.push(headers.get('x-next-cursor') ?? '');
    }
    const [first = '', second = '', third = '', fourth = ''] = cursors.map(
      (cursor) => `${path}&cursor=${cursor}`,
    );
    expect(await pair.added(first)).toBe(1);
    expect(await pair.added(second)).toBe(0);
    expect(await pair.added(third)).toBe(0);
    // Behind a null other rows follow.
    expect(await pair.added(fourth)).toBe(1);
    for (const target of [fourth, first, third, second]) await pair.expectSame(target);
  });
});

describe('what decides the statement makes one', () => {
  expectShapes(source, posts, 1, [
    ['a relation that is there or not', 'comments_exists=true', 'comments_exists=false'],
    ['through a path', 'author.age_null=true', 'author.age_null=false'],
    ['JSON that is there or not', 'extra.z_exists=true', 'extra.z_exists=false'],
    ['in _or', '_or=tags_exists:true', '_or=tags_exists:false'],
    ['which record is meant', 'notes.stars=5&notes.text=a', 'notes.stars=5&notes.stars=1'],
    [
      'the sort of a collection',
      'expand=comments&comments.sort=rating',
      'expand=comments&comments.sort=-rating',
    ],
    ['the key of it', 'expand=tags&tags.sort=name', 'expand=tags&tags.sort=pivot.position'],
    ['the direction of a path', 'sort=author.name', 'sort=-author.name'],
    ['what is expanded', 'expand=comments&comments.text=good', 'expand=tags&comments.text=good'],
    [
      'whether a filter or a limit is meant',
      'comments.limit=1',
      'expand=comments&comments.limit_eq=1',
    ],
    ['the names of a group', '_or=author.name:Cyd', '_or=editor.name:Cyd'],
  ]);
  expectShapes(source, `${posts}/1`, 1, [
    [
      'the sort of a single read',
      'expand=comments&sort=comments.rating',
      'expand=comments&sort=-comments.rating',
    ],
    ['its own', 'expand=tags&tags.sort=name', 'expand=tags&tags.sort=-name'],
  ]);
  expectShapes(source, `${posts}/1`, 0, [
    ['a filter of a single read', 'expand=notes&notes.stars=5', 'expand=notes&notes.stars=1'],
    [
      'a page of it',
      'expand=notes&notes.limit=1&notes.page=1',
      'expand=notes&notes.limit=2&notes.page=2',
    ],
  ]);
});

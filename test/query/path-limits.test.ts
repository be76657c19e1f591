import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(
    `limits: { pathDepth: 2, filters: 7, sorts: 2, inItems: 3 }\n${world}`,
    worldRecords,
  );
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const posts = '/v1/posts';

describe('limits that are set hold for paths', () => {
  expectRows(source, posts, [
    ['as many dots', 'author.passport.number=A1&sort=-author.passport.number', [2, 1]],
    ['a pivot has two', 'tags.pivot.position=3', [5]],
    ['as many filters', 'author.name=Ann&comments.rating=5', [1]],
    ['as many, in _or', '_or=author.name:Cyd,comments.rating:5', [1, 5]],
    [
      'the pages of collections are no filters',
      'expand=comments,tags&comments.limit=1&comments.page=1&tags.limit=1&views=10&title=One',
      [1],
    ],
    ['as many keys', 'sort=author.name,-title', [4, 2, 1, 3, 5]],
    [
      'as many keys with that of a collection',
      'sort=title&expand=comments&comments.sort=rating',
      [5, 4, 1, 3, 2],
    ],
    ['as many items', 'author.name_in=Ann,Bob,Cyd', [1, 2, 3, 5]],
    ['as many items of JSON', 'extra.a_in=1,2,3', [1, 2]],
    ['as many items in _or', '_or=author.name_in:"Ann,Bob,Cyd",title:Four', [1, 2, 3, 4, 5]],
    ['a union of ids is one filter', 'id=1&id=2&id=3&comments.rating=5', [1]],
    [
      'a step to one record counts nothing',
      'author.name=Ann&author.passport.number=A1&views=10&title=One&id_gt=0&id_lt=9&id_neq=7',
      [1],
    ],
  ]);
  const over = (name: string, query: string, parameter: string, limit: string) =>
    [name, query, 'LIMIT_EXCEEDED', parameter, limit] as const;
  expectBlame(source, posts, [
    over('a dot more', 'author.address.geo.lat=1', 'author.address.geo.lat', 'pathDepth'),
    over('a dot more in _or', '_or=extra.a.b.c:1', 'extra.a.b.c', 'pathDepth'),
    over(
      'a dot more in _exists',
      'author.posts.author.passport_exists=true',
      'author.posts.author.passport_exists',
      'pathDepth',
    ),
    over('a dot more in a sort', 'sort=author.address.geo.lat', 'sort', 'pathDepth'),
    over('a key more', 'sort=author.name,title,-views', 'sort', 'sorts'),
    over(
      'a key more with that of a collection',
      'sort=author.name,title&expand=comments&comments.sort=rating',
      'comments.sort',
      'sorts',
    ),
    over(
      'a key more with those of collections',
      'sort=title&expand=comments,tags&comments.sort=rating&tags.sort=name',
      'tags.sort',
      'sorts',
    ),
    over('an item more', 'author.name_in=a,b,c,d', 'author.name_in', 'inItems'),
    over('an item more of JSON', 'extra.a_nin=a,b,c,d', 'extra.a_nin', 'inItems'),
    over('an item more in _or', '_or=author.name_in:"a,b,c,d"', 'author.name_in', 'inItems'),
    over('a filter more', 'author.name=a&comments.rating=1&title=x', 'author.name', 'filters'),
    over(
      'a filter more of one name',
      'tags.name=a&tags.name=b&tags.name=c',
      'tags.name',
      'filters',
    ),
    over('a filter more in _or', `_or=title:a,title:b&${'views=1&'.repeat(6)}`, 'views', 'filters'),
    over(
      'a filter more on items',
      `expand=comments${'&comments.rating=1'.repeat(8)}`,
      'comments.rating',
      'filters',
    ),
  ]);
  expectBlame(source, `${posts}/1`, [
    over(
      'a filter more on a single read',
      `expand=comments${'&comments.rating=1'.repeat(8)}`,
      'comments.rating',
      'filters',
    ),
  ]);
});

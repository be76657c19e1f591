import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRows, expectTrees } from '../support/tables.ts';

/** A junction in which a record may be linked twice, and a link may lead nowhere. */
const specification = `
resources:
  posts:
    fields:
      title: { type: string }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: links, withPivot: [place, label] }
  tags:
    fields:
      name: { type: string }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: links, withPivot: [place] }
  links:
    fields:
      postId: { type: integer, reference: posts.id, nullable: true }
      tagId: { type: integer, reference: tags.id, nullable: true }
      place: { type: integer }
      label: { type: string }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    posts: ['a', 'b', 'c', 'd'].map((title) => ({ title })),
    tags: ['red', 'blue'].map((name) => ({ name })),
    links: [
      { postId: 1, tagId: 1, place: 2, label: 'x' },
      { postId: 1, tagId: 2, place: 3 },
      { postId: 1, tagId: 1, place: 1, label: 'y' },
      { postId: 2, tagId: 2, place: 5 },
      { postId: 3, tagId: null, place: 9 },
      { postId: null, tagId: 2, place: 9 },
    ],
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [posts, tags] = ['/v1/posts', '/v1/tags'];

describe('links', () => {
  expectRows(source, posts, [
    ['a parent comes once', 'tags.name=red', [1]],
    ['two links to one record are two', 'tags.pivot.place=1&tags.pivot.place=2', [1]],
    ['a link and its record', 'tags.name=red&tags.pivot.place=3', []],
    ['either link will do', 'tags.name=red&tags.pivot.label=y', [1]],
    ['not parts of two links', 'tags.pivot.place=2&tags.pivot.label=y', []],
    ['that lead nowhere lead to nothing', 'tags_exists=true', [1, 2]],
    ['so there is none', 'tags_exists=false', [3, 4]],
    ['nor is their pivot there', 'tags.pivot.place=9', []],
    ['nor different', 'tags.pivot.place_neq=1', [1, 2]],
    ['the least name', 'sort=tags.name', [3, 4, 1, 2]],
    ['the greatest', 'sort=-tags.name', [1, 2, 4, 3]],
  ]);
  expectRows(source, tags, [
    ['from the other side', 'posts.pivot.place=9', []],
    ['and back', 'posts.tags.name=red', [1, 2]],
  ]);

  test('count parents, not links', async () => {
    const { headers } = await api.get(`${posts}?tags.pivot.place_gte=1&limit=1`);
    expect(headers.get('x-total-count')).toBe('2');
  });
});

describe('items', () => {
  expectTrees(source, posts, [
    [
      'a record that is linked twice comes twice',
      'expand=tags',
      'tags',
      [
        [1, [1, 1, 2]],
        [2, [2]],
        [3, []],
        [4, []],
      ],
    ],
    ['by pivot', 'expand=tags&sort=-tags.pivot.place&id=1', 'tags', [[1, [2, 1, 1]]]],
    ['one of its links', 'expand=tags&tags.pivot.place=1&id=1', 'tags', [[1, [1]]]],
    ['a page cuts between them', 'expand=tags&tags.limit=1&tags.page=2&id=1', 'tags', [[1, [1]]]],
    ['the next page', 'expand=tags&tags.limit=2&tags.page=2&id=1', 'tags', [[1, [2]]]],
    [
      'a page by pivot',
      'expand=tags&tags.sort=pivot.place&tags.limit=2&id=1',
      'tags',
      [[1, [1, 1]]],
    ],
  ]);

  test('each with its own pivot, page by page', async () => {
    const seen: unknown[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await api.get(
        `${posts}/1?expand=tags&tags.sort=name&tags.limit=1&tags.page=${page}`,
      );
      const [tag] = body.tags as { pivot: { place: number } }[];
      seen.push(tag?.pivot.place, body._pagination.tags.total);
    }
    expect(seen).toEqual([3, 3, 2, 3, 1, 3, undefined, 3]);
  });

  test('totals leave out links that lead nowhere, and count what a filter leaves', async () => {
    const totals = async (query: string): Promise<unknown> => {
      const { body } = await api.get(`${posts}?expand=tags&tags.limit=1&${query}`);
      return (body as { _pagination: { tags: { total: number } } }[]).map(
        ({ _pagination }) => _pagination.tags.total,
      );
    };
    expect(await totals('')).toEqual([3, 1, 0, 0]);
    expect(await totals('tags.name=red')).toEqual([2, 0, 0, 0]);
    expect(await totals('tags.pivot.place_gt=2')).toEqual([1, 1, 0, 0]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareApis } from '../../src/openapi/compatibility/changes.ts';
import { build, buildValid } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
${withTokens}
access: { read: public, write: public }
limits: { sorts: 3 }
api:
  versions:
    1: {}
    2:
      resources:
        posts: { fields: { headline: { from: title }, rank: false } }
        post-tags: { fields: { place: { from: position } } }
resources:
  posts:
    sort: -rank,title
    fields:
      title: { type: string }
      rank: { type: integer }
      authorId: { type: integer, reference: authors.id, nullable: true }
      author: { type: relation, relation: belongsTo, resource: authors }
      comments: { type: relation, relation: hasMany, resource: comments, sort: "-stars,author.name" }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [position], sort: pivot.position }
  authors:
    sort: posts.title
    access: { read: [{ role: public, where: "hidden=false" }, editor] }
    fields:
      name: { type: string }
      hidden: { type: boolean, default: false }
      posts: { type: relation, relation: hasMany, resource: posts }
  comments:
    sort: author.name
    fields:
      stars: { type: integer }
      authorId: { type: integer, reference: authors.id, nullable: true }
      author: { type: relation, relation: belongsTo, resource: authors }
      postId: { type: integer, reference: posts.id }
  tags:
    sort: -used,label
    fields:
      label: { type: string }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
      used: { type: integer, computed: { count: posts } }
  post-tags:
    fields:
      postId: { type: integer, reference: posts.id }
      tagId: { type: integer, reference: tags.id }
      position: { type: integer }
  notes:
    sort: -secret,specs.size,label
    pagination: cursor
    fields:
      label: { type: string }
      secret: { type: integer, access: { read: editor, write: public } }
      specs: { type: object, properties: { size: { type: integer } } }
`;

let both: Both;
const source = (): Both => both;
const editor = caller({ roles: ['editor'] });

beforeAll(async () => {
  both = await serveBoth(specification, {
    authors: [{ name: 'Cy' }, { name: 'Al' }, { name: 'Bo' }],
    posts: [
      { title: 'b', rank: 1, authorId: 1 },
      { title: 'a', rank: 1, authorId: 2 },
      { title: 'c', authorId: 3 },
      { title: 'd', rank: 9, authorId: 1 },
    ],
    comments: [
      { postId: 1, stars: 2, authorId: 1 },
      { postId: 1, stars: 5, authorId: 1 },
      { postId: 1, stars: 5, authorId: 3 },
      { postId: 2, authorId: 2 },
    ],
    tags: [{ label: 'y' }, { label: 'x' }, { label: 'z' }],
    'post-tags': [
      { postId: 1, tagId: 1, position: 2 },
      { postId: 1, tagId: 2, position: 3 },
      { postId: 1, tagId: 3, position: 1 },
      { postId: 2, tagId: 3, position: 1 },
    ],
    notes: [
      { label: 'c', secret: 1, specs: { size: 2 } },
      { label: 'b', secret: 2, specs: { size: 2 } },
      { label: 'a', secret: 3 },
      { label: 'd', secret: 4, specs: { size: 1 } },
    ],
  });
  await both.send('PATCH', '/v1/authors/2', { hidden: true }, editor);
});
afterAll(() => both.stop());

describe('a list', () => {
  expectRows(source, '/v1/posts', [
    ['has the order of the file', '', [4, 2, 1, 3]],
    ['pages', 'limit=2&page=2', [1, 3]],
    ['offset', 'offset=1&limit=2', [2, 1]],
    ['filtered', 'rank=1', [2, 1]],
    ['its sort wins', 'sort=id', [1, 2, 3, 4]],
    ['nulls', 'nulls=first', [3, 4, 2, 1]],
    ['a sort of a collection alone', 'expand=comments&sort=comments.stars', [4, 2, 1, 3]],
    ['and one of its own', 'expand=comments&sort=comments.stars,-id', [4, 3, 2, 1]],
  ]);
  expectRows(source, '/v2/posts', [
    ['without what the version hides, renamed', '', [2, 1, 3, 4]],
    ['its sort', 'sort=-headline', [4, 3, 1, 2]],
  ]);
  expectRows(source, '/v1/comments', [['a path; hidden records are null', '', [4, 3, 1, 2]]]);
  expectRows(source, '/v1/authors', [
    ['through to-many', '', [1, 3]],
    ['also when that is expanded', 'expand=posts', [1, 3]],
  ]);
  expectRows(source, '/v1/tags', [['computed', '', [3, 2, 1]]]);

  test('what the caller may not read is left out of it', async () => {
    const ids = async (path: string, headers?: Record<string, string>): Promise<unknown> => {
      const { body } = await both.get(path, headers);
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids('/v1/comments', editor)).toEqual([4, 3, 1, 2]);
    expect(await ids('/v1/authors', editor)).toEqual([2, 1, 3]);
    expect(await ids('/v1/notes?page=1')).toEqual([3, 4, 2, 1]);
    expect(await ids('/v1/notes?page=1', editor)).toEqual([4, 3, 2, 1]);
  });

  test('CSV has it, groups have not', async () => {
    const { text } = await both.get('/v1/posts?fields=title', { accept: 'text/csv' });
    expect(text).toBe('id,title\r\n4,d\r\n2,a\r\n1,b\r\n3,c\r\n');
    const { body } = await both.get('/v1/posts?group=title');
    expect((body as { group: object }[]).map(({ group }) => group)).toEqual([
      { title: 'a' },
      { title: 'b' },
      { title: 'c' },
      { title: 'd' },
    ]);
  });
});

/** The ids of a walk by cursor, a record a page. */
async function walk(
  first: string,
  more: string,
  headers?: Record<string, string>,
): Promise<unknown> {
  const ids: number[] = [];
  for (let query = first; ids.length < 9;) {
    const { body, text } = await both.get(`/v1/notes?limit=1${query}`, headers);
    const { data, next_cursor: next } = body as { data?: { id: number }[]; next_cursor: string };
    if (data === undefined) return text;
    ids.push(...data.map(({ id }) => id));
    if (next === null) break;
    query = `${more}&cursor=${next}`;
  }
  return ids;
}

describe('cursors', () => {
  test.each([
    ['of the default order', '', '', [3, 4, 2, 1]],
    ['which the request may name', '', '&sort=specs.size,label', [3, 4, 2, 1]],
    ['with nulls', '&nulls=last', '', [4, 2, 1, 3]],
    ['of another order', '&sort=label', '', [3, 2, 1, 4]],
    ['by id', '&sort=id', '', [1, 2, 3, 4]],
  ])('%s', async (_, first, more, ids) => {
    expect(await walk(first, more)).toEqual(ids);
  });

  test('of who may read more keys', async () => {
    expect(await walk('', '', editor)).toEqual([4, 3, 2, 1]);
  });

  test('go on from a page', async () => {
    const { headers } = await both.get('/v1/notes?page=1&limit=3');
    const { body } = await both.get(`/v1/notes?cursor=${headers.get('x-next-cursor')}`);
    expect((body as { data: { id: number }[] }).data.map(({ id }) => id)).toEqual([1]);
  });

  expectRefusals(source, '/v1/notes', [
    [
      'another sort',
      'sort=-label&cursor=eA',
      'INVALID_CURSOR',
      'cursor: is damaged; take next_cursor or X-Next-Cursor of a list as it is',
    ],
  ]);

  test('of the default order does not fit another sort', async () => {
    const { body } = await both.get('/v1/notes?limit=1');
    const answer = await both.get(`/v1/notes?sort=-label&cursor=${body.next_cursor}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_CURSOR']);
  });
});

describe('a collection', () => {
  const fields = 'fields=comments.stars,tags.label,tags.pivot.position';
  const inOrder = {
    id: 1,
    comments: [
      { id: 3, stars: 5 },
      { id: 2, stars: 5 },
      { id: 1, stars: 2 },
    ],
    tags: [
      { id: 3, label: 'z', pivot: { position: 1 } },
      { id: 1, label: 'y', pivot: { position: 2 } },
      { id: 2, label: 'x', pivot: { position: 3 } },
    ],
  };
  expectBodies(source, [
    ['of one record', `/v1/posts/1?expand=comments,tags&${fields}`, inOrder],
    ['of a list', `/v1/posts?id=1&expand=comments,tags&${fields}`, [inOrder]],
    [
      'its sort wins',
      '/v1/posts/1?expand=comments,tags&fields=comments.id,tags.id&comments.sort=id&sort=tags.id',
      {
        id: 1,
        comments: [{ id: 1 }, { id: 2 }, { id: 3 }],
        tags: [
          { id: 1, pivot: { position: 2 } },
          { id: 2, pivot: { position: 3 } },
          { id: 3, pivot: { position: 1 } },
        ],
      },
    ],
    [
      'paged, further down',
      '/v1/authors/1?expand=posts.comments&fields=posts.comments.id&posts.limit=1&posts.comments.limit=1',
      {
        id: 1,
        posts: [
          {
            id: 1,
            comments: [{ id: 3 }],
            _pagination: { comments: { page: 1, limit: 1, total: 3, totalPages: 3 } },
          },
        ],
        _pagination: { posts: { page: 1, limit: 1, total: 2, totalPages: 2 } },
      },
    ],
    [
      'of a version',
      '/v2/posts/1?expand=tags&fields=tags.pivot.place&tags.limit=2',
      {
        id: 1,
        tags: [
          { id: 3, pivot: { place: 1 } },
          { id: 1, pivot: { place: 2 } },
        ],
        _pagination: { tags: { page: 1, limit: 2, total: 3, totalPages: 2 } },
      },
    ],
  ]);

  test('in the answer to a write', async () => {
    const path = `/v1/posts/1?expand=comments,tags&${fields}`;
    const { body } = await both.send('PATCH', path, { rank: 1 });
    expect(body).toEqual(inOrder);
  });
});

test('documents tell of it', async () => {
  const { body } = await both.get('/v2/_openapi.json');
  const { get } = body.paths['/v2/posts'] as { get: { description: string; parameters: object[] } };
  expect(get.description).toContain('; without sort by headline.');
  expect(get.parameters).toContainEqual(
    expect.objectContaining({
      name: 'tags.sort',
      description:
        'Where expand names tags: what each collection is sorted by; without sort by pivot.place.',
    }),
  );
});

test('check --against tells of another order', () => {
  const file = (sort: string, ofItems: string): string => `
resources:
  posts: { ${sort} fields: { title: { type: string }, notes: { type: relation, relation: hasMany, resource: notes${ofItems} } } }
  notes: { fields: { postId: { type: integer, reference: posts.id } } }
`;
  const [before, after] = [file('', ', sort: -id'), file('sort: -title,', '')].map((text) =>
    buildValid(text),
  );
  if (before === undefined || after === undefined) throw new TypeError('both are valid');
  expect(compareApis(before, after, new Date())).toEqual([
    {
      isBreaking: false,
      path: 'v1 posts.sort',
      message: 'records come by -title without a sort, not by id',
    },
    {
      isBreaking: false,
      path: 'v1 posts.notes',
      message: 'records come by id without a sort, not by -id',
    },
  ]);
});

describe('a file with an order that cannot be', () => {
  const file = (sort: string, ofItems: string): string => `
limits: { sorts: 1 }
resources:
  posts:
    sort: ${sort}
    fields:
      title: { type: string }
      secret: { type: string, writeOnly: true }
      meta: { type: json }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [position], sort: "${ofItems}" }
  tags: { fields: { name: { type: string } } }
  post-tags:
    fields:
      postId: { type: integer, reference: posts.id }
      tagId: { type: integer, reference: tags.id }
      position: { type: integer }
`;
  const list = 'resources.posts.sort: ';
  const items = 'resources.posts.fields.tags.sort: ';
  test.each([
    ['right', '-title,tags.name,-id', 'pivot.position,-name,id', []],
    [
      'unknown',
      'titel',
      'nam',
      [
        `${list}there is no field titel; did you mean title?`,
        `${items}there is no field nam; did you mean name?`,
      ],
    ],
    [
      'an unknown pivot field',
      'id',
      'pivot.positon',
      [`${items}there is no field pivot.positon; did you mean pivot.position?`],
    ],
    ['a type', 'meta', 'id', [`${list}meta cannot be sorted by: it is of type json`]],
    ['a relation', 'tags', 'id', [`${list}tags is a relation, which cannot be sorted by`]],
    [
      'twice',
      'title,-title',
      'name,name',
      [`${list}title is there twice`, `${items}name is there twice`],
    ],
    [
      'a pivot field of a list',
      'tags.pivot.position',
      'id',
      [
        `${list}tags.pivot.position can be sorted by only where the relation before pivot is expanded`,
      ],
    ],
    [
      'what nobody may read',
      'secret',
      'id',
      [`${list}secret is writeOnly, so no order may tell of it`],
    ],
    ['an empty item', 'title,,id', 'id', [`${list}has an empty item`]],
  ])('%s', (_, sort, ofItems, problems) => {
    const found = build(file(sort, ofItems)).problems.map(
      ({ path, message }) => `${path}: ${message}`,
    );
    expect(found).toEqual(problems);
  });
});

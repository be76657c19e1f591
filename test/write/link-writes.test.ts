import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
resources:
  posts:
    fields:
      title: { type: string, required: true }
      slug: { type: string, unique: true }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [role, rank] }
      people: { type: relation, relation: belongsToMany, resource: people, through: authorships }
  tags:
    fields:
      name: { type: string }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
  people: { fields: { id: { type: id, format: uuid }, name: { type: string } } }
  post-tags:
    timestamps: true
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      role: { type: enum, values: [main, side], default: side }
      rank: { type: integer, nullable: true, minimum: 0, unique: true }
      secret: { type: string, default: s }
    unique: [[postId, tagId]]
  authorships:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      personId: { type: uuid, required: true, reference: people.id }
  notes:
    fields:
      linkId: { type: integer, reference: post-tags.id, onDelete: restrict }
`;
const ada = '01990000-0000-7000-8000-00000000000a';
const bob = '01990000-0000-7000-8000-00000000000b';

let both: Both;
let path: string;

beforeAll(async () => {
  both = await serveBoth(specification, {
    tags: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }],
    people: [
      { id: ada, name: 'Ada' },
      { id: bob, name: 'Bob' },
    ],
  });
});
afterAll(async () => {
  await both?.stop();
});
beforeEach(async () => {
  const { headers } = await both.send('POST', '/v1/posts', {
    title: 'p',
    tags: [1, { id: 2, pivot: { role: 'main' } }],
  });
  path = headers.get('location') ?? '';
});

const tags = async (): Promise<unknown> => {
  const { body } = await both.get(`${path}?expand=tags&fields=tags.id`);
  return body.tags.map(
    ({ id, pivot }: { id: number; pivot: { role: string } }) => `${id} ${pivot.role}`,
  );
};

const patch = (body: object, query = ''): ReturnType<Both['send']> =>
  both.send('PATCH', `${path}${query}`, body);

/** What a body is refused for: each problem as `field: message`. */
type Row = readonly [name: string, body: object, ...problems: string[]];

const split = ([name, body, ...problems]: Row): {
  name: string;
  body: object;
  problems: readonly string[];
} => ({ name, body, problems });

describe('links', () => {
  test('begin with the record, and are shown where they are expanded', async () => {
    const body = { title: 'q', tags: [{ id: 3, pivot: { role: 'main' } }], people: [bob, ada] };
    const answer = await both.send(
      'POST',
      '/v1/posts?expand=tags,people&fields=title,tags.name,people.name',
      body,
    );
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      title: 'q',
      tags: [{ id: 3, name: 'c', pivot: { role: 'main', rank: null } }],
      people: [{ name: 'Ada' }, { name: 'Bob' }],
    });
  });

  test('of an array of records belong to each', async () => {
    const { body, status } = await both.send('POST', '/v1/posts?expand=tags', [
      { title: 'x', tags: [1] },
      { title: 'y', tags: [2, 3] },
      { title: 'z' },
    ]);
    expect(status).toBe(201);
    expect(body.map((post: { tags: { id: number }[] }) => post.tags.map(({ id }) => id))).toEqual([
      [1],
      [2, 3],
      [],
    ]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    ['an array becomes the whole set', { tags: [2, 4] }, ['2 main', '4 side']],
    ['an empty one takes all away', { tags: [] }, []],
    [
      'those that stay keep their pivot unless one is sent',
      { tags: [{ id: 1, pivot: { role: 'main' } }, { id: 2 }] },
      ['1 main', '2 main'],
    ],
    ['an id that is named twice counts once', { tags: [3, 3, { id: 3 }] }, ['3 side']],
    ['with the pivot that is sent', { tags: [1, { id: 1, pivot: { role: 'main' } }] }, ['1 main']],
    ['wherever it is sent', { tags: [{ id: 1, pivot: { role: 'main' } }, 1] }, ['1 main']],
    [
      'all that are in neither list stay',
      { tags: { add: [4], remove: [3, 999] } },
      ['1 side', '2 main', '4 side'],
    ],
    ['add and remove change a part', { tags: { add: [3], remove: [1] } }, ['2 main', '3 side']],
    [
      'add alone',
      { tags: { add: [{ id: 4, pivot: { role: 'main' } }] } },
      ['1 side', '2 main', '4 main'],
    ],
    [
      'add of one that is there changes its pivot',
      { tags: { add: [{ id: 1, pivot: { role: 'main' } }] } },
      ['1 main', '2 main'],
    ],
    ['remove alone', { tags: { remove: [2] } }, ['1 side']],
    ['remove by an object', { tags: { remove: [{ id: 2 }, 1] } }, []],
    [
      'to remove what is not linked, or not there, is no error',
      { tags: { remove: [4, 999] } },
      ['1 side', '2 main'],
    ],
    ['neither changes nothing', { tags: {} }, ['1 side', '2 main']],
    ['a change of the record alone leaves them', { title: 'r' }, ['1 side', '2 main']],
  ])('%s', async (_, body, expected) => {
    const { status, text } = await patch(body);
    expect(status, text).toBe(200);
    expect(await tags()).toEqual(expected);
  });

  test('PUT without the key leaves them, with it they are the set', async () => {
    expect((await both.send('PUT', path, { title: 'put' })).status).toBe(200);
    expect(await tags()).toEqual(['1 side', '2 main']);
    expect((await both.send('PUT', path, { title: 'put', tags: [4] })).status).toBe(200);
    expect(await tags()).toEqual(['4 side']);
  });

  test('can be written from the other side', async () => {
    const id = Number(path.split('/').at(-1));
    await both.send('PATCH', '/v1/tags/4', { posts: { add: [id] } });
    expect(await tags()).toEqual(['1 side', '2 main', '4 side']);
    await both.send('PATCH', '/v1/tags/4', { posts: [] });
  });

  test('those that stay keep their row', async () => {
    const rows = async (): Promise<unknown> =>
      (await both.get(`/v1/post-tags?postId=${path.split('/').at(-1)}&tagId=2`)).body;
    const before = await rows();
    await patch({ tags: [{ id: 2 }, 3] });
    expect(await rows()).toEqual(before);
  });

  test.each(
    (
      [
        [
          'no list',
          { tags: 5 },
          'tags: must be an array of links, or an object with add and remove',
        ],
        [
          'null',
          { tags: null },
          'tags: must be an array of links, or an object with add and remove',
        ],
        [
          'an id of the wrong type',
          { tags: [1, 'x', null] },
          'tags[1]: must be a number',
          'tags[2]: must not be null',
        ],
        [
          'another member',
          { tags: { set: [1] } },
          'tags.set: only create, update, delete, add and remove can stand here',
        ],
        ['no array in it', { tags: { add: 1 } }, 'tags.add: must be an array'],
        [
          'one in both lists',
          { tags: { add: [3, 1, 2], remove: [2, 3] } },
          'tags.add[0]: 3 is in add and in remove; it can be in one',
          'tags.add[2]: 2 is in add and in remove; it can be in one',
        ],
        ['no id', { tags: [{ pivot: {} }] }, 'tags[0].id: is required'],
        ['no id to remove', { tags: { remove: [{}] } }, 'tags.remove[0].id: is required'],
        [
          'more than an id to remove',
          { tags: { add: [2], remove: [{ id: 2, pivot: {} }, { id: 'x' }] } },
          'tags.remove[0].pivot: only id can stand here',
          'tags.remove[1].id: must be a number',
          'tags.add[0]: 2 is in add and in remove; it can be in one',
        ],
        [
          'more than id and pivot',
          { tags: [{ id: 1, role: 'main' }] },
          'tags[0].role: only id and pivot can stand here',
        ],
        [
          'an unknown pivot field',
          { tags: [{ id: 1, pivot: { rol: 'main' } }] },
          'tags[0].pivot.rol: there is no pivot field rol; did you mean role?',
        ],
        [
          'a pivot field that withPivot does not name',
          { tags: [{ id: 1, pivot: { secret: 'x' } }] },
          'tags[0].pivot.secret: there is no pivot field secret',
        ],
        [
          'a pivot that is none',
          { tags: [{ id: 1, pivot: 5 }] },
          'tags[0].pivot: must be an object',
        ],
        [
          'beside a problem of the record',
          { title: 1, tags: [{}] },
          'tags[0].id: is required',
          'title: must be a string',
        ],
      ] satisfies readonly Row[]
    ).map(split),
  )('$name is 400, and nothing changes', async ({ body, problems }) => {
    const answer = await patch(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(problemsOf(answer)).toEqual(problems);
    expect(await tags()).toEqual(['1 side', '2 main']);
  });

  test.each(
    (
      [
        [
          'unknown ids',
          { tags: [1, 77, { id: 88 }] },
          'tags[1]: there is no record in tags with id 77',
          'tags[2]: there is no record in tags with id 88',
        ],
        [
          'an unknown uuid',
          { people: ['01990000-0000-7000-8000-0000000000ff'] },
          'people[0]: there is no record in people with id "01990000-0000-7000-8000-0000000000ff"',
        ],
        [
          'a value of a pivot field that is out of range',
          { tags: [{ id: 1, pivot: { rank: -1 } }] },
          'tags[0].pivot.rank: must be at least 0',
        ],
        ['an id that is no whole number', { tags: [1.5] }, 'tags[0]: must be a whole number'],
      ] satisfies readonly Row[]
    ).map(split),
  )('$name: 422, and nothing changes', async ({ body, problems }) => {
    const answer = await patch({ title: 'changed', ...body });
    expect([answer.status, answer.body.code]).toEqual([422, 'INVALID_VALUE']);
    expect(problemsOf(answer)).toEqual(problems);
    expect(await tags()).toEqual(['1 side', '2 main']);
    expect((await both.get(path)).body.title).toBe('p');
  });

  test('a pivot value that is taken is 422 under its name, also in an array of records', async () => {
    const rank = 1000 + Number(path.split('/').at(-1));
    await patch({ tags: [{ id: 1, pivot: { rank } }] });
    const answer = await both.send('POST', '/v1/posts', [
      { title: 'a' },
      { title: 'b', tags: [2, { id: 3, pivot: { rank } }] },
    ]);
    expect(answer.status).toBe(422);
    expect(problemsOf(answer).map((problem) => problem.split(':', 1)[0])).toEqual([
      '[1].tags[1].pivot.rank',
    ]);
  });

  test('of a record that is refused itself they are told with it', async () => {
    await both.send('POST', '/v1/posts', { title: 'taken', slug: 'taken' });
    const wrong = { title: 'p', slug: 'taken', tags: [1, 77] };
    const problems = [
      'slug: is taken: it must be unique',
      'tags[1]: there is no record in tags with id 77',
    ];
    for (const answer of [await both.send('POST', '/v1/posts', wrong), await patch(wrong)]) {
      expect(answer.status).toBe(422);
      expect(problemsOf(answer)).toEqual(problems);
    }
    const list = await both.send('POST', '/v1/posts', [{ title: 'a', tags: [1] }, wrong]);
    expect(problemsOf(list)).toEqual(problems.map((problem) => `[1].${problem}`));
    const { headers } = await both.get('/v1/posts?slug=taken');
    expect(headers.get('x-total-count')).toBe('1');
  });

  test('a link that others need stays', async () => {
    const { body } = await both.get(`/v1/post-tags?postId=${path.split('/').at(-1)}&tagId=1`);
    const { headers } = await both.send('POST', '/v1/notes', { linkId: body[0].id });
    const answer = await patch({ tags: [] });
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      'tags: has a link that other records need',
    ]);
    expect(await tags()).toEqual(['1 side', '2 main']);
    await both.send('DELETE', headers.get('location') ?? '');
    expect((await patch({ tags: [] })).status).toBe(200);
  });

  test('of a record that is not there: 404', async () => {
    expect((await both.send('PATCH', '/v1/posts/9999', { tags: [1] })).status).toBe(404);
  });

  test('twenty sets of one record at once leave one of them whole', async () => {
    for (const side of both.sides) {
      const sets = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? [1, 2] : [3, 4]));
      const answers = await Promise.all(sets.map((set) => side.send('PATCH', path, { tags: set })));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const { body } = await side.get(`${path}?expand=tags`);
      const ids = body.tags.map(({ id }: { id: number }) => id);
      expect([
        [1, 2],
        [3, 4],
      ]).toContainEqual(ids);
    }
    expect(both.failures).toEqual([]);
  });
});

describe.each([
  ['delete', '{ read: public, create: public, delete: none }'],
  ['create', '{ read: public, create: none, delete: public }'],
])('without the right to %s in the junction links cannot be written', (_, access) => {
  let closed: Both;
  beforeAll(async () => {
    closed = await serveBoth(
      specification.replace('  post-tags:\n', `  post-tags:\n    access: ${access}\n`),
      { tags: [{ name: 'a' }], posts: [{ title: 'there' }] },
    );
  });
  afterAll(() => closed?.stop());

  test.each([
    ['POST', '/v1/posts', { title: 'x', tags: [1] }],
    ['POST', '/v1/posts', [{ title: 'x' }, { title: 'x', tags: [] }]],
    ['PUT', '/v1/posts/1', { title: 'x', tags: [] }],
    ['PATCH', '/v1/posts/1', { tags: [] }],
    ['PATCH', '/v1/posts/1', { tags: { add: [1] } }],
    ['PATCH', '/v1/posts/1', { tags: { remove: [1] } }],
    ['PATCH', '/v1/posts/1?nope=1', { tags: {}, nope: 1 }],
  ])('%s %s %j', async (method, to, body) => {
    const answer = await closed.send(method, to, body);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('and everything else can', async () => {
    expect((await closed.send('POST', '/v1/posts', { title: 'x' })).status).toBe(201);
    expect((await closed.send('PUT', '/v1/posts/1', { title: 'y' })).status).toBe(200);
  });
});

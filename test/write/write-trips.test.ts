import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
access: public
resources:
  posts:
    fields:
      title: { type: string, required: true, unique: true }
      views: { type: integer, default: 0 }
      ratio: { type: decimal, scale: 2, nullable: true }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
      friends: { type: relation, relation: belongsToMany, resource: people, through: friends }
  tags:
    fields:
      id: { type: id, format: uuid }
      name: { type: string, required: true }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: uuid, required: true, reference: tags.id }
      note: { type: string, default: new }
      rank: { type: integer, nullable: true }
    timestamps: true
  friends:
    fields:
      fromId: { type: integer, required: true, reference: posts.id }
      toId: { type: integer, required: true, reference: people.id }
  people:
    fields:
      name: { type: string, nullable: true }
  codes:
    fields:
      id: { type: id, format: string }
      text: { type: string, nullable: true }
`;

/** What goes to PostgreSQL: each is one way there and back, but a transaction, which is several. */
const seen: string[] = [];
let both: Both;
let tags: readonly string[];

beforeAll(async () => {
  both = await serveBoth(specification);
  const { database } = both.sides[1]?.servedApi ?? both.servedApi;
  for (const name of ['all', 'writeOne', 'write'] as const) {
    const run = database[name].bind(database) as (...given: unknown[]) => Promise<unknown>;
    const told = (...given: unknown[]): Promise<unknown> => {
      seen.push(name);
      return run(...given);
    };
    Object.assign(database, { [name]: told });
  }
  const made = await both.send('POST', '/v1/tags', [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  tags = made.body.map(({ id }: { id: string }) => id);
  await both.send('POST', '/v1/people', [{ name: 'x' }, {}]);
  for (const title of ['first', 'second']) await both.send('POST', '/v1/posts', { title });
  // What has expired is looked for once.
  await both.send('POST', '/v1/codes', { id: 'first' }, { 'idempotency-key': 'first' });
});
afterAll(async () => {
  await both?.stop();
});

let turn = 0;
const key = (): Record<string, string> => ({
  'idempotency-key': `key-${(turn += 1)}`,
});
const title = (): string => `title ${(turn += 1)}`;
/** Reading the tag is no part of the request that sends it. */
const tagOf = async (path: string): Promise<Record<string, string>> => {
  const { headers } = await both.get(path);
  seen.length = 0;
  return { 'if-match': headers.get('etag') ?? '' };
};

/** Each request, its status, and the ways that it takes on PostgreSQL. */
const cases: readonly (readonly [
  name: string,
  ask: () => Promise<Answer>,
  status: number,
  ways: readonly string[],
])[] = [
  ['a create', () => both.send('POST', '/v1/posts', { title: title() }), 201, ['writeOne']],
  ['a patch', () => both.send('PATCH', '/v1/posts/1', { views: 3 }), 200, ['writeOne']],
  [
    'a create under a key',
    () => both.send('POST', '/v1/posts', { title: title(), ratio: '1.50' }, key()),
    201,
    ['writeOne'],
  ],
  [
    'a create under a key, of an id that is sent',
    () => both.send('POST', '/v1/codes', { id: `code-${(turn += 1)}` }, key()),
    201,
    ['writeOne'],
  ],
  [
    'a create under a key, of an id that the service draws',
    () => both.send('POST', '/v1/tags', { name: 'd' }, key()),
    201,
    ['writeOne'],
  ],
  [
    'a create with links',
    () => both.send('POST', '/v1/posts', { title: title(), tags: [tags[2], tags[0]] }),
    201,
    ['writeOne'],
  ],
  [
    'a create with the same pivot on each link, under a key',
    () => both.send('POST', '/v1/posts', { title: title(), tags, friends: [2, 1] }, key()),
    201,
    ['writeOne'],
  ],
  [
    'a create with an empty list of links',
    () => both.send('POST', '/v1/posts', { title: title(), tags: [], friends: { add: [1] } }),
    201,
    ['writeOne'],
  ],
  [
    'a create with a link to nothing: who is to blame is looked for',
    () => both.send('POST', '/v1/posts', { title: title(), friends: [1, 999] }),
    422,
    ['writeOne', 'write'],
  ],
  [
    'a create that expands its links',
    () => both.send('POST', '/v1/posts?expand=tags', { title: title(), tags }),
    201,
    // The record, its links, and what its entity tag is made of.
    ['write', 'all', 'all', 'all'],
  ],
  [
    'a create of many that expands their links: read together',
    () =>
      both.send(
        'POST',
        '/v1/posts?expand=tags',
        Array.from({ length: 50 }, () => ({ title: title(), tags })),
      ),
    201,
    ['write', 'all', 'all', 'all'],
  ],
  [
    'a patch with If-Match',
    async () => both.send('PATCH', '/v1/posts/1', { views: 4 }, await tagOf('/v1/posts/1')),
    200,
    ['all', 'writeOne'],
  ],
  [
    'a patch with a tag of another record',
    async () => both.send('PATCH', '/v1/posts/1', { views: 9 }, await tagOf('/v1/posts/2')),
    412,
    ['all'],
  ],
  [
    'a patch with If-Match of what is not there',
    () => both.send('PATCH', '/v1/posts/999', { views: 9 }, { 'if-match': '"x"' }),
    404,
    ['all'],
  ],
];

test.each(cases)('%s', async (_, ask, status, ways) => {
  seen.length = 0;
  const answer = await ask();
  expect(answer.status).toBe(status);
  // After a refusal the test gives both databases the same next id.
  expect(status < 400 ? seen : seen.slice(0, ways.length)).toEqual(ways);
  for (const list of ['posts', 'tags', 'post-tags', 'friends', 'codes'])
    await both.get(`/v1/${list}?limit=1000`);
});

test('the same request under a key gives the same answer, and draws no id', async () => {
  const headers = key();
  const body = { title: title(), tags, friends: [1] };
  const first = await both.send('POST', '/v1/posts', body, headers);
  const second = await both.send('POST', '/v1/posts', body, headers);
  expect([second.text, second.headers.get('location')]).toEqual([
    first.text,
    first.headers.get('location'),
  ]);
  const next = await both.send('POST', '/v1/posts', { title: title() });
  expect(next.body.id).toBe(first.body.id + 1);
});

test('a record that another changes after its tag was looked at is changed by one alone', async () => {
  for (const side of both.sides) {
    const { headers } = await side.get('/v1/posts/2');
    const guard = { 'if-match': headers.get('etag') ?? '' };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        side.send('PATCH', '/v1/posts/2', { views: 100 + index }, guard),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(39);
    expect((await side.get('/v1/posts/2')).body).toEqual(done[0]?.body);
  }
});

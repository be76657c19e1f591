import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/** What a caller might find out of values and rows that it may not see, by asking in other ways than reading. */
const specification = `
${withTokens}
resources:
  posts:
    access:
      read: [{ role: public, where: "title_neq=hidden" }, editor]
      create: editor
      write: [author, editor]
    unique: [[title, costPrice]]
    fields:
      title: { type: string }
      costPrice: { type: decimal, nullable: true, access: editor }
      code: { type: string, nullable: true, immutable: true, access: { read: editor, write: public } }
      pin: { type: string, nullable: true, immutable: true, writeOnly: true }
      meta: { type: json, nullable: true, immutable: true, access: { read: editor, write: public } }
      comments: { type: relation, relation: hasMany, resource: comments, foreignKey: postId }
      replies: { type: relation, relation: hasMany, resource: replies, foreignKey: postId }
  comments:
    access: { read: editor, write: editor }
    fields:
      postId: { type: integer, reference: posts.id, onDelete: restrict }
  replies:
    access: { read: editor, write: editor }
    fields:
      postId: { type: integer, reference: posts.id, onDelete: cascade }
  letters:
    access: { read: none, create: public, update: public, delete: none }
    fields:
      sender: { type: string, immutable: true }
      text: { type: string, nullable: true }
  badges:
    access: { read: public, write: public }
    fields:
      name: { type: string }
      rank: { type: integer, unique: true, default: 1, access: editor }
`;

const editor = caller({ sub: 1, roles: ['editor'] });
const author = caller({ sub: 2, roles: ['author'] });

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, undefined, { mode: 'dev' });
  const posts = [
    { title: 'a', costPrice: '1.5', code: 'c', pin: '1234', meta: { a: 1 } },
    { title: 'hidden' },
  ];
  await both.send('POST', '/v1/posts', posts, editor);
  for (const name of ['comments', 'replies'])
    await both.send('POST', `/v1/${name}`, [{ postId: 1 }, { postId: 1 }], editor);
  await both.send('POST', '/v1/letters', { sender: 'x' });
});
afterAll(() => both?.stop());

const plain = { 'content-type': 'application/json' };
const merging = { 'content-type': 'application/merge-patch+json' };

describe('an immutable field that its caller cannot read is refused, whatever it is sent as', () => {
  test.each([
    ['writeOnly, as it is', 'posts', { pin: '1234' }, plain],
    ['writeOnly, another', 'posts', { pin: '1235' }, plain],
    ['hidden, as it is', 'posts', { code: 'c' }, plain],
    ['hidden, another', 'posts', { code: 'd' }, plain],
    ['hidden, null', 'posts', { code: null }, plain],
    ['hidden JSON, as it is', 'posts', { meta: { a: 1 } }, plain],
    ['hidden JSON, merged into itself', 'posts', { meta: { a: 1 } }, merging],
    ['hidden JSON, merged', 'posts', { meta: { a: 2 } }, merging],
    ['hidden JSON, merged with nothing', 'posts', { meta: {} }, merging],
    ['of a resource that is not read, as it is', 'letters', { sender: 'x' }, plain],
    ['of a resource that is not read, another', 'letters', { sender: 'y' }, plain],
  ] as const)('%s', async (_name, resource, body, headers) => {
    const answer = await both.send('PATCH', `/v1/${resource}/1`, JSON.stringify(body), {
      ...author,
      ...headers,
    });
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      validationErrors: [
        {
          field: Object.keys(body)[0],
          error: 'is immutable: it is set on create only',
          rule: 'immutable',
          params: {},
        },
      ],
    });
  });

  test.each([
    ['as it is', { code: 'c', meta: { a: 1 } }, 200],
    ['another', { code: 'd' }, 400],
  ] as const)('who reads it may send it %s', async (_name, body, status) => {
    expect((await both.send('PATCH', '/v1/posts/1', body, editor)).status).toBe(status);
  });
});

test('a value that is taken together with a hidden one is named alone', async () => {
  await both.send(
    'POST',
    '/v1/posts',
    [
      { title: 'x', costPrice: 7 },
      { title: 'y', costPrice: 7 },
    ],
    editor,
  );
  const { status, body } = await both.send('PATCH', '/v1/posts/4', { title: 'x' }, author);
  expect(status).toBe(422);
  expect(body.errors).toEqual([
    { field: 'title', message: 'is taken: it must be unique', rule: 'unique', params: {} },
  ]);
});

test('a value that is taken in a field of which its caller does not know is refused, all or none, and not named', async () => {
  const two = [{ name: 'a' }, { name: 'b' }];
  const outcome = async (body: unknown, headers = {}): Promise<unknown[]> => {
    const { status, body: answer } = await both.send('POST', '/v1/badges', body, headers);
    return [status, answer.code, answer.errors];
  };
  const total = async (): Promise<unknown> =>
    (await both.get('/v1/badges')).headers.get('x-total-count');
  const message = 'is taken: it must be unique';
  expect(await outcome(two)).toEqual([422, 'INVALID_VALUE', []]);
  expect(await outcome(two, editor)).toEqual([
    422,
    'INVALID_VALUE',
    [{ field: '[1].rank', message, rule: 'unique', params: {} }],
  ]);
  expect(await total()).toBe('0');
  expect((await outcome(two[0]))[0]).toBe(201);
  expect(await outcome(two[1])).toEqual([422, 'INVALID_VALUE', []]);
  expect(await total()).toBe('1');
});

describe('debug members of a caller from whom something is hidden', () => {
  test('tell no plan, which names indexes, numbers of rows and values of rules', async () => {
    for (const side of both.sides) {
      const { text, body } = await side.get('/v1/posts?title=a&_debug=plan', author);
      expect(text).not.toContain('costPrice');
      expect(Object.keys(body._debug.database.queries[0])).toEqual(['sql', 'duration']);
    }
  });

  test.each([
    ['a row that is hidden, and one that is not there', 'PATCH', ['posts/2', 'posts/99']],
    ['the same for a delete', 'DELETE', ['posts/2', 'posts/99']],
  ] as const)('do not tell apart %s', async (_name, method, paths) => {
    for (const side of both.sides) {
      const seen = await Promise.all(
        paths.map(async (path) => {
          const body = method === 'PATCH' ? { title: 'x' } : undefined;
          const asked = `/v1/${path}?_debug=true&_trace=true`;
          const answer = (await side.send(method, asked, body, author)).body;
          expect(answer.status).toBe(404);
          return {
            statements: answer._debug.database.queries.map(({ sql }: { sql: string }) => sql),
            steps: answer._trace.map(({ stage, details }: Record<string, unknown>) => [
              stage,
              details,
            ]),
          };
        }),
      );
      expect(seen[0]).toEqual(seen[1]);
    }
  });

  test('do not tell how many hidden rows a delete has looked at', async () => {
    for (const side of both.sides) {
      const { status, body } = await side.send(
        'DELETE',
        '/v1/posts/1?_trace=true',
        undefined,
        author,
      );
      expect(status).toBe(409);
      const written = body._trace.find(({ stage }: { stage: string }) => stage === 'write_posts');
      expect(Object.keys(written.details)).toEqual(['queries']);
    }
  });
});

describe('who may not write what a record cannot be without', () => {
  const needy = `
${withTokens}
access: authenticated
resources:
  hidden: { fields: { name: { type: string }, cost: { type: integer, required: true, access: editor } } }
  shown: { fields: { name: { type: string }, cost: { type: integer, nullable: false, access: { write: editor } } } }
  given: { fields: { name: { type: string }, cost: { type: integer, required: true, default: 1, access: editor } } }
  empty: { fields: { name: { type: string }, cost: { type: integer, nullable: true, access: editor } } }
`;
  let served: Both;
  beforeAll(async () => {
    served = await serveBoth(needy);
  });
  afterAll(() => served?.stop());

  test.each([
    ['hidden', 403, 201],
    ['shown', 403, 201],
    ['given', 201, 201],
    ['empty', 201, 201],
  ])('cannot create %s: %i', async (name, status, ofEditor) => {
    const path = `/v1/${name}`;
    const made = await served.send('POST', path, { name: 'a' }, author);
    expect(made.status).toBe(status);
    if (status === 403) expect(made.body.code).toBe('FORBIDDEN');
    // Before the body is looked at.
    const odd = await served.send('POST', path, '{', { ...author, ...plain });
    expect(odd.status).toBe(status === 403 ? 403 : 400);
    const full = await served.send('POST', path, { name: 'a', cost: 2 }, editor);
    expect(full.status).toBe(ofEditor);
    const changed = await served.send('PUT', `${path}/1`, { name: 'b' }, author);
    expect(changed.status).toBe(200);
    const { body } = await served.get('/_permissions', author);
    expect(Object.keys(body.versions.v1[name].operations).includes('create')).toBe(status === 201);
  });
});

describe('who sees none of the records that a new one has to point to', () => {
  let served: Both;
  beforeAll(async () => {
    served = await serveBoth(`
${withTokens}
access: authenticated
resources:
  users: { access: { read: editor }, fields: { name: { type: string } } }
  needing: { fields: { userId: { type: integer, required: true, reference: users.id } } }
  given: { fields: { userId: { type: integer, required: true, default: 1, reference: users.id } } }
  empty: { fields: { userId: { type: integer, reference: users.id } } }
  paired:
    fields:
      type: { type: string, required: true }
      key: { type: integer, required: true }
      owner: { type: relation, relation: morphTo, typeField: type, idField: key, resources: [users] }
`);
    await served.send('POST', '/v1/users', { name: 'a' }, editor);
  });
  afterAll(() => served?.stop());

  test.each([
    ['needing', { userId: 1 }, 422],
    ['paired', { type: 'users', key: 1 }, 422],
    ['given', {}, 201],
    ['empty', {}, 201],
  ])('creates of %s with %j: %i', async (name, record, status) => {
    const path = `/v1/${name}`;
    for (const [who, expected] of [
      [author, status],
      [editor, 201],
    ] as const) {
      const made = await served.send('POST', path, record, who);
      expect(made.status).toBe(expected);
      const { body: told } = await served.get('/_permissions', who);
      // What rules allow is one thing, what can come of it another.
      expect(told.versions.v1[name].operations).toHaveProperty('create');
      const { body: document } = await served.get('/_openapi.json', who);
      expect('post' in document.paths[path]).toBe(expected === 201);
    }
  });
});

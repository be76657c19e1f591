import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
resources:
  tags:
    timestamps: true
    unique: [[group, place]]
    fields:
      slug: { type: string, nullable: true, unique: true }
      name: { type: string, required: true, maxLength: 8 }
      uses: { type: integer, default: 1, minimum: 0 }
      group: { type: string, nullable: true }
      place: { type: integer, nullable: true }
      born: { type: integer, nullable: true, immutable: true }
      secret: { type: string, nullable: true, unique: true, writeOnly: true }
      notes: { type: relation, relation: hasMany, resource: notes }
  notes:
    fields:
      text: { type: string }
      tagId: { type: integer, required: true, reference: tags.id }
  codes:
    fields:
      id: { type: id, format: string }
      name: { type: string, required: true, maxLength: 8 }
  counted: { fields: { name: { type: string } } }
  drops:
    access: { create: public, read: none, update: public, delete: none }
    fields: { name: { type: string, unique: true } }
`;

let both: Both;
let now = '2026-03-01T12:00:00.000Z';
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date(now));
});
afterAll(() => both?.stop());

const post = (body: unknown, query = 'onConflict=slug', headers = {}): Promise<Answer> =>
  both.send('POST', `/v1/tags?${query}`, body, headers);
const all = async (): Promise<string> => (await both.get('/v1/tags?limit=500')).text;
const ignore = { prefer: 'resolution=ignore-duplicates' };

describe('POST with onConflict', () => {
  test('creates what is not there', async () => {
    const answer = await post({ slug: 'a', name: 'A' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `/v1/tags/${answer.body.id}`,
    ]);
    expect(answer.body).toMatchObject({ slug: 'a', name: 'A', uses: 1 });
  });

  test('changes what is there, by the other fields that are sent', async () => {
    const first = await post({ slug: 'b', name: 'B', uses: 5, born: 1 });
    now = '2026-03-02T12:00:00.000Z';
    const answer = await post({ slug: 'b', name: 'B2' });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    expect(answer.body).toEqual({ ...first.body, name: 'B2', updatedAt: now });
    expect((await both.get(`/v1/tags/${first.body.id}`)).headers.get('etag')).toBe(
      answer.headers.get('etag'),
    );
  });

  test('by a group of fields, in any order', async () => {
    const first = await post({ group: 'g', place: 1, name: 'x' }, 'onConflict=place,group');
    const second = await post({ group: 'g', place: 1, name: 'y' }, 'onConflict=group,place');
    const third = await post({ group: 'g', place: 2, name: 'z' }, 'onConflict=group,place');
    expect([first.status, second.status, third.status]).toEqual([201, 200, 201]);
    expect(second.body.id).toBe(first.body.id);
  });

  test('creates where the key is null', async () => {
    const statuses = [await post({ name: 'n' }), await post({ slug: null, name: 'n' })];
    expect(statuses.map(({ status }) => status)).toEqual([201, 201]);
  });

  test('of an array is 200 unless all are new', async () => {
    const news = await post([
      { slug: 'c', name: 'C' },
      { slug: 'd', name: 'D' },
    ]);
    const mixed = await post([
      { slug: 'e', name: 'E' },
      { slug: 'd', name: 'D2' },
      { slug: 'f', name: 'F' },
    ]);
    expect([news.status, mixed.status]).toEqual([201, 200]);
    expect((mixed.body as { slug: string; name: string }[]).map(({ name }) => name)).toEqual([
      'E',
      'D2',
      'F',
    ]);
  });

  test('leaves what is there with Prefer: resolution=ignore-duplicates', async () => {
    const first = await post({ slug: 'g', name: 'G' });
    const answer = await post(
      [
        { slug: 'g', name: 'G2' },
        { slug: 'h', name: 'H' },
      ],
      undefined,
      ignore,
    );
    expect([answer.status, answer.body[0]]).toEqual([200, first.body]);
    expect(answer.body[1]).toMatchObject({ name: 'H' });
  });

  test('writes nested records, too', async () => {
    await post({ slug: 'i', name: 'I', notes: { create: [{ text: '1' }] } });
    const answer = await post(
      { slug: 'i', name: 'I', notes: { create: [{ text: '2' }] } },
      'onConflict=slug&expand=notes',
    );
    expect(answer.body.notes).toMatchObject([{ text: '1' }, { text: '2' }]);
  });

  test('with an Idempotency-Key gives the first answer again', async () => {
    await post({ slug: 'k', name: 'K' });
    const key = { 'idempotency-key': 'upsert-1' };
    const first = await post({ slug: 'k', name: 'K2' }, undefined, key);
    const second = await post({ slug: 'k', name: 'K2' }, undefined, key);
    expect([second.status, second.text, second.headers.get('location')]).toEqual([
      200,
      first.text,
      null,
    ]);
  });

  type Refusal = readonly [string, string, unknown, number, ...string[]];
  test.each<Refusal>([
    [
      'a field that is not unique',
      'onConflict=name',
      { name: 'a' },
      400,
      'onConflict: must be unique: one of "id", "slug", "group,place"',
    ],
    [
      'an unknown field',
      'onConflict=zzz',
      { name: 'a' },
      400,
      'onConflict: must be unique: one of "id", "slug", "group,place"',
    ],
    [
      'a field that nobody reads',
      'onConflict=secret',
      { name: 'a' },
      400,
      'onConflict: must be unique: one of "id", "slug", "group,place"',
    ],
    [
      'part of a group',
      'onConflict=group',
      { name: 'a' },
      400,
      'onConflict: must be unique: one of "id", "slug", "group,place"',
    ],
    ['a missing field', 'onConflict=slug', { slug: 'a' }, 400, 'name: is required'],
    [
      'the same key twice',
      'onConflict=slug',
      [
        { slug: 'q', name: 'a' },
        { slug: 'r', name: 'a' },
        { slug: 'q', name: 'b' },
      ],
      422,
      '[2].slug: is the same as that of [0]',
    ],
    [
      'another value that is taken',
      'onConflict=slug',
      { slug: 'new', group: 'g', place: 1, name: 'a' },
      422,
      'group: is taken: group, place must be unique together',
      'place: is taken: group, place must be unique together',
    ],
    [
      'another value of an immutable field',
      'onConflict=slug',
      { slug: 'b', name: 'a', born: 2 },
      400,
      'born: is immutable: it is set on create only',
    ],
    [
      'a value out of range',
      'onConflict=slug',
      [
        { slug: 'b', name: 'ok' },
        { slug: 'new', name: 'a', uses: -1 },
      ],
      422,
      '[1].uses: must be at least 0',
    ],
  ])('refuses %s as a whole', async (...row) => {
    const [, query, body, status, ...problems] = row as unknown as Refusal;
    const before = await all();
    const answer = await post(body, query);
    expect(answer.status, answer.text).toBe(status);
    expect(problemsOf(answer)).toEqual(problems);
    expect(await all()).toBe(before);
  });

  test('onConflict makes no sense elsewhere', async () => {
    for (const [method, path] of [
      ['GET', '/v1/tags'],
      ['PATCH', '/v1/tags/1'],
    ] as const) {
      const answer = await both.send(
        method,
        `${path}?onConflict=slug`,
        method === 'GET' ? undefined : {},
      );
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PARAMETER']);
    }
  });

  test('of many at once creates one record', async () => {
    for (const side of both.sides) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          side.send('POST', '/v1/tags?onConflict=slug', { slug: 'race', name: `n${index}` }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([
        201,
        ...Array.from({ length: 11 }, () => 200),
      ]);
      expect(((await side.get('/v1/tags?slug=race')).body as unknown[]).length).toBe(1);
    }
  });
});

describe('PUT with If-None-Match: *', () => {
  const put = (
    id: string,
    body: unknown,
    headers: Record<string, string> = { 'if-none-match': '*' },
  ): Promise<Answer> => both.send('PUT', `/v1/codes/${id}`, body, headers);

  test('creates the record of its path, once', async () => {
    const first = await put('one', { name: 'a' });
    expect([first.status, first.headers.get('location'), first.body]).toEqual([
      201,
      '/v1/codes/one',
      { id: 'one', name: 'a' },
    ]);
    const second = await put('one', { name: 'b' });
    expect([second.status, second.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await both.get('/v1/codes/one')).body).toEqual({ id: 'one', name: 'a' });
  });

  test('takes the same id in the body, and an id that is escaped', async () => {
    const answer = await put('a%20b', { id: 'a b', name: 'a' });
    expect([answer.status, answer.headers.get('location')]).toEqual([201, '/v1/codes/a%20b']);
    const other = await put('two', { id: 'three', name: 'a' });
    expect([other.status, ...problemsOf(other)]).toEqual([
      400,
      'id: must be "two", as in the path',
    ]);
    const wrong = await put('two', { id: 'three', name: 5 });
    expect([wrong.status, wrong.body.code, ...problemsOf(wrong)]).toEqual([
      400,
      'VALIDATION_FAILED',
      'name: must be a string',
      'id: must be "two", as in the path',
    ]);
    const long = await put('two', { id: 'three', name: 'a'.repeat(9) });
    expect([long.status, long.body.code, ...problemsOf(long)]).toEqual([
      400,
      'VALIDATION_FAILED',
      'name: must have at most 8 characters',
      'id: must be "two", as in the path',
    ]);
  });

  test('without the header, and of counted ids, creates nothing', async () => {
    expect((await put('none', { name: 'a' }, {})).status).toBe(404);
    const counted = await both.send(
      'PUT',
      '/v1/counted/7',
      { name: 'a' },
      { 'if-none-match': '*' },
    );
    expect(counted.status).toBe(404);
  });

  test('of many at once creates one record', async () => {
    for (const side of both.sides) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          side.send('PUT', '/v1/codes/race', { name: `n${index}` }, { 'if-none-match': '*' }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        201,
        ...Array.from({ length: 7 }, () => 412),
      ]);
    }
  });
});

describe('under access rules', () => {
  let guarded: Both;
  const ann = caller({ sub: 'ann', roles: [] });
  beforeAll(async () => {
    guarded = await serveBoth(`
${withTokens}
resources:
  notes:
    access:
      create: authenticated
      read: [{ role: authenticated, where: "_or=owner:{user.sub},isShared:true" }]
      update: [{ role: authenticated, where: "owner={user.sub}" }]
    fields:
      key: { type: string, unique: true }
      owner: { type: string }
      isShared: { type: boolean, default: false }
  fixed:
    access: { create: authenticated, read: authenticated, update: none }
    fields: { key: { type: string, unique: true } }
  closed:
    access: { create: none, read: authenticated, update: authenticated }
    fields: { key: { type: string, unique: true } }
`);
    for (const note of [
      { key: 'mine', owner: 'ann' },
      { key: 'shared', owner: 'bob', isShared: true },
      { key: 'hidden', owner: 'bob' },
    ])
      await guarded.send('POST', '/v1/notes', note, ann);
  });
  afterAll(() => guarded?.stop());

  test.each<readonly [string, string, object, number]>([
    [
      'changes what the caller may change',
      'notes',
      { key: 'mine', owner: 'ann', isShared: true },
      200,
    ],
    ['is 403 where it may only read', 'notes', { key: 'shared', owner: 'ann' }, 403],
    [
      'is 422 where the record is hidden, as a create is',
      'notes',
      { key: 'hidden', owner: 'ann' },
      422,
    ],
    ['is 403 where the result is not allowed', 'notes', { key: 'mine', owner: 'bob' }, 403],
    ['needs the right to change', 'fixed', { key: 'new' }, 403],
    ['needs the right to create', 'closed', { key: 'new' }, 403],
  ])('%s', async (_, resource, body, status) => {
    const answer = await guarded.send('POST', `/v1/${resource}?onConflict=key`, body, ann);
    expect(answer.status, answer.text).toBe(status);
  });
});

test('of a resource that the caller may not read has no key', async () => {
  const answer = await both.send('POST', '/v1/drops?onConflict=name', { name: 'a' });
  expect([answer.status, ...problemsOf(answer)]).toEqual([
    400,
    'onConflict: cannot be used: you may read no unique field here',
  ]);
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDataProvider as createRa } from '../../packages/ra-data-provider/src/index.ts';
import {
  createDataProvider as createRefine,
  PlinthError,
  type ProviderOptions,
} from '../../packages/refine-data-provider/src/index.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { bossAndHand } from '../support/keys.ts';
import { watchedFetch, type Sent } from './requests.ts';

/** Two roles, ids of 36 characters, low limits, and a resource into which some may only write. */
const guarded = `
${bossAndHand}
limits: { maxLimit: 50, inItems: 60 }
resources:
  notes:
    access: { read: [admin], create: [user, admin], update: [user, admin], delete: [admin] }
    fields:
      id: { type: id, format: uuid }
      text: { type: string, maxLength: 5 }
`;

const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const reading = {
  pagination: { page: 1, perPage: 10 },
  sort: { field: 'id', order: 'ASC' },
  filter: {},
} as const;

let api: TestApi;
let sent: Sent[];
beforeAll(async () => {
  api = await serveApi(guarded);
  const notes = Array.from({ length: 130 }, (_, index) => ({ id: uuid(index), text: `${index}` }));
  const answer = await api.send('POST', '/v1/notes', notes, { 'x-api-key': 'boss-key' });
  expect(answer.status).toBe(201);
});
afterAll(() => api.stop());
beforeEach(() => {
  sent = [];
});

const options = (own: Partial<ProviderOptions> = {}): ProviderOptions => ({
  baseUrl: `${api.url}/v1`,
  fetch: watchedFetch(sent),
  apiKey: 'boss-key',
  maxLimit: 50,
  ...own,
});

describe('many ids', () => {
  test('are read in portions that the API and a URL take', async () => {
    const ids = Array.from({ length: 130 }, (_, index) => uuid(129 - index));
    const { data } = await createRa(options()).getMany('notes', { ids: [...ids, ...ids] });
    expect(data.map(({ id }: { id: string }) => id)).toEqual([...ids, ...ids]);
    expect(sent.length).toBe(3);
    sent.length = 0;
    await createRa(options({ maxLimit: 1_000 })).getMany('notes', { ids: ids.slice(0, 40) });
    expect(sent.length).toBe(1);
    // Its limit is lower than it was said to be.
    const long = await createRa(options({ maxLimit: 1_000 })).getMany('notes', { ids });
    expect(long.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(Math.max(...sent.map(({ path }) => path.length))).toBeLessThan(4_000);
  });

  test('of which some can be none: the others are read', async () => {
    const ids = ['nobody', uuid(1), '', 7, uuid(2), '"', 'a,b'];
    const { data } = await createRa(options()).getMany('notes', { ids });
    expect(data.map(({ id }: { id: string }) => id)).toEqual([uuid(1), uuid(2)]);
    const meta = { query: { colour: 'red' } };
    const wrong = createRa(options()).getMany('notes', { ids: [uuid(1)], meta });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('none are no request', async () => {
    expect(await createRa(options()).getMany('notes', { ids: [] })).toEqual({ data: [] });
    expect(await createRa(options()).deleteMany('notes', { ids: [] })).toEqual({ data: [] });
    const refine = createRefine(options());
    expect(await refine.getMany({ resource: 'notes', ids: [] })).toEqual({ data: [] });
    expect(await refine.createMany({ resource: 'notes', variables: [] })).toEqual({ data: [] });
    expect(sent).toEqual([]);
  });

  test('of which some are refused: the others are written, and it is said how many were not', async () => {
    const ids = [uuid(0), 'nobody', uuid(1), uuid(999)];
    const written = createRa(options()).updateMany('notes', { ids, data: { text: 'x' } });
    await expect(written).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        /^2 of 4 records were refused\. There is no record/u,
      ) as string,
    });
    const { data } = await createRa(options()).getMany('notes', { ids });
    expect(data).toEqual([
      { id: uuid(0), text: 'x' },
      { id: uuid(1), text: 'x' },
    ]);
  });
});

describe('changes of many', () => {
  const bulk = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, index) => uuid(from + index));

  test('are one request for as many ids as one takes', async () => {
    const ids = bulk(40);
    const refine = createRefine(options());
    const { data } = await refine.updateMany({ resource: 'notes', ids, variables: { text: 'b' } });
    expect(data).toEqual(ids.map((id) => ({ id, text: 'b' })));
    expect(sent).toMatchObject([
      { method: 'PATCH', path: `/v1/notes?id_in=${ids.join(',')}`, body: { text: 'b' } },
    ]);
    sent.length = 0;
    await createRa(options()).updateMany('notes', { ids: bulk(61), data: { text: 'c' } });
    // Two portions of ids in a URL would do; the API takes 60 at once.
    expect(sent.length).toBeLessThan(5);
    expect(sent.every(({ path }) => path.startsWith('/v1/notes?id_in='))).toBe(true);
  });

  test('are refused as a whole', async () => {
    const ids = bulk(3);
    const before = await createRa(options()).getMany('notes', { ids });
    const written = createRa(options()).updateMany('notes', { ids, data: { text: 'too long' } });
    await expect(written).rejects.toMatchObject({
      status: 422,
      errors: { text: expect.any(String) as string },
    });
    expect(await createRa(options()).getMany('notes', { ids })).toEqual(before);
  });

  test('are a request each for a caller who may only write', async () => {
    const ids = bulk(2);
    const hand = createRa(options({ apiKey: 'hand-key' }));
    expect(await hand.updateMany('notes', { ids, data: { text: 'h' } })).toEqual({ data: ids });
    const { data } = await createRa(options()).getMany('notes', { ids });
    expect(data.map(({ text }: { text: string }) => text)).toEqual(['h', 'h']);
  });

  test('of nothing read the records, and what is gone is deleted', async () => {
    const made = bulk(2, 700);
    const refine = createRefine(options());
    await refine.createMany({
      resource: 'notes',
      variables: made.map((id) => ({ id, text: 'n' })),
    });
    const { data } = await refine.updateMany({ resource: 'notes', ids: made, variables: {} });
    expect(data.map(({ id }) => id)).toEqual(made);
    sent.length = 0;
    const ids = [...made, uuid(999), 'nobody'];
    expect((await refine.deleteMany({ resource: 'notes', ids })).data).toEqual(
      ids.map((id) => ({ id })),
    );
    const { data: left } = await createRa(options()).getMany('notes', { ids });
    expect(left).toEqual([]);
  });
});

describe('a list', () => {
  test('of which a page is larger than a request may ask for', async () => {
    const refine = createRefine(options());
    const list = { resource: 'notes', pagination: { currentPage: 2, pageSize: 60 } };
    const { data, total } = await refine.getList(list);
    expect(data.map(({ id }) => id)).toEqual(
      Array.from({ length: 60 }, (_, index) => uuid(60 + index)),
    );
    expect(total).toBe(130);
    expect(sent.map(({ path }) => path)).toEqual([
      '/v1/notes?offset=60&limit=50',
      '/v1/notes?offset=110&limit=10',
    ]);
  });

  test('behind its end, and of nothing that is known beforehand', async () => {
    const { getList } = createRefine(options());
    const far = { resource: 'notes', pagination: { currentPage: 9, pageSize: 60 } };
    expect(await getList(far)).toEqual({ data: [], total: 130 });
    sent.length = 0;
    const filters = [{ field: 'id', operator: 'in' as const, value: [] }];
    for (const mode of ['server', 'off'] as const)
      expect(await getList({ resource: 'notes', filters, pagination: { mode } })).toEqual({
        data: [],
        total: 0,
      });
    expect(sent).toEqual([]);
  });

  test.each<readonly [string, object, string]>([
    [
      'fields of GraphQL',
      { fields: ['text', { author: ['name'] }] },
      'meta.fields is a list of names',
    ],
    ['a number to expand', { expand: 7 }, 'meta.expand is a list of names'],
    ['what the API does not know', { query: { colour: 'red' } }, 'colour'],
    ['fields and exclude', { fields: 'text', exclude: 'text' }, 'exclude'],
  ])('with %s in meta is refused', async (_, meta, message) => {
    const list = createRefine(options()).getList({ resource: 'notes', meta });
    await expect(list).rejects.toThrow(message);
  });
});

test('a request of its own writes too, and is refused as any', async () => {
  const { custom } = createRefine(options());
  const id = uuid(600);
  const create = { url: 'notes', method: 'post' as const, payload: { id, text: 'a' } };
  expect(await custom(create)).toEqual({ data: { id, text: 'a' } });
  await expect(custom(create)).rejects.toMatchObject({
    statusCode: 422,
    errors: { id: expect.any(String) as string },
  });
  expect(await custom({ url: `/notes/${id}`, method: 'delete' })).toEqual({ data: undefined });
});

describe('credentials', () => {
  test.each<readonly [string, Partial<ProviderOptions>]>([
    ['an API key', { apiKey: 'boss-key' }],
    ['an API key as a token', { apiKey: undefined as never, token: 'boss-key' }],
    ['a key that is looked up for each request', { apiKey: () => Promise.resolve('boss-key') }],
    ['a header', { apiKey: undefined as never, headers: { 'X-API-Key': 'boss-key' } }],
  ])('%s', async (_, own) => {
    const { total } = await createRa(options(own)).getList('notes', reading);
    expect(total).toBe(130);
  });

  test.each<readonly [string, Partial<ProviderOptions>, number, string]>([
    ['none', { apiKey: () => undefined }, 401, 'UNAUTHENTICATED'],
    ['a wrong one', { apiKey: 'no-key' }, 401, 'INVALID_CREDENTIALS'],
    ['one that may not', { apiKey: 'hand-key' }, 403, 'FORBIDDEN'],
  ])('%s', async (_, own, status, code) => {
    const refused = { status, statusCode: status, code, body: { code } };
    await expect(createRa(options(own)).getList('notes', reading)).rejects.toMatchObject(refused);
    await expect(createRefine(options(own)).getList({ resource: 'notes' })).rejects.toMatchObject(
      refused,
    );
  });

  test('are not sent to others', async () => {
    const seen: string[] = [];
    const other = await listening(
      createServer((request, response) => {
        seen.push(JSON.stringify(request.headers));
        response.setHeader('content-type', 'application/json').end('{"mine":true}');
      }),
    );
    const { custom } = createRefine(options({ headers: { 'x-more': 'boss-key' } }));
    for (const url of [`${other.url}/x?a=1`, `${other.url}/${api.url}/v1/notes`])
      expect(await custom({ url, method: 'get' })).toEqual({ data: { mine: true } });
    expect(seen.length).toBe(2);
    expect(seen.join('\n')).not.toContain('boss-key');
    const own = await custom({ url: `${api.url}/v1/notes`, method: 'get', query: { limit: 1 } });
    expect(own.data).toHaveLength(1);
    await other.stop();
  });
});

test('who may write and not read is told what there is to tell', async () => {
  const provider = createRa(options({ apiKey: 'hand-key' }));
  const id = uuid(500);
  expect(await provider.create('notes', { data: { id, text: 'a' } })).toEqual({ data: { id } });
  const changed = { id, data: { text: 'b' }, previousData: { id } };
  expect(await provider.update('notes', changed)).toEqual({ data: { id, text: 'b' } });
  expect((await api.get(`/v1/notes/${id}`, { 'x-api-key': 'boss-key' })).body).toEqual({
    id,
    text: 'b',
  });
  await createRa(options()).delete('notes', { id });
});

test('a batch is created whole or not at all, and it is said which record is wrong', async () => {
  const variables = [{ text: 'a' }, { text: 'too long' }];
  const created = createRefine(options()).createMany({ resource: 'notes', variables });
  await expect(created).rejects.toMatchObject({
    statusCode: 422,
    errors: { '[1].text': 'must have at most 5 characters' },
  });
});

test.each(['', '.', '..'])('the id %j names no record, and no other path', async (id) => {
  await expect(createRa(options()).delete('notes', { id })).rejects.toThrow(TypeError);
  expect(sent).toEqual([]);
});

test.each(['a/b', 'a?b', '%2e%2e', 'ü #'])('the id %j stays one part of the path', async (id) => {
  await expect(createRa(options()).getOne('notes', { id })).rejects.toMatchObject({
    code: 'RESOURCE_NOT_FOUND',
  });
});

test('nothing that has changed is nothing sent', async () => {
  const provider = createRa(options());
  const { data: previousData } = await provider.getOne('notes', { id: uuid(5) });
  const same = { id: uuid(5), previousData, data: { ...previousData, more: undefined } };
  expect(await provider.update('notes', same)).toEqual({ data: previousData });
  expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

describe('the entity tag', () => {
  const id = uuid(7);
  const matches = (): readonly (string | null)[] =>
    sent.filter(({ method }) => method !== 'GET').map(({ headers }) => headers.get('if-match'));

  test('goes with a change of the record that was read', async () => {
    const provider = createRa(options());
    const { data } = await provider.getOne('notes', { id });
    const copy: unknown = structuredClone(data);
    await provider.update('notes', { id, data: { text: 'A' }, previousData: copy });
    await provider.delete('notes', { id, previousData: { id, text: 'A' } });
    expect(matches()).toEqual([expect.stringMatching(/^"/u), expect.stringMatching(/^"/u)]);
    await provider.create('notes', { data: { id, text: '7' } });
  });

  test.each<readonly [string, object, object | undefined]>([
    ['of which a list has shown something else', {}, { id, text: 'of a list' }],
    ['when it is said not to', {}, undefined],
  ])('does not go with a change of a record %s', async (name, meta, previous) => {
    const provider = createRa(options());
    const { data } = await provider.getOne('notes', { id, meta });
    const own = name.startsWith('when') ? { meta: { ifMatch: false } } : {};
    const change = { id, data: { text: name.slice(-3) }, previousData: previous ?? data, ...own };
    await provider.update('notes', change);
    expect(matches()).toEqual([null]);
  });

  test.each<readonly [string, (provider: ReturnType<typeof createRa>) => Promise<unknown>]>([
    [
      'came in a list',
      async (provider) => (await provider.getMany('notes', { ids: [id] })).data[0],
    ],
    [
      'came with a choice of fields',
      async (provider) =>
        (await provider.getOne('notes', { id, meta: { fields: ['text'] } })).data as unknown,
    ],
  ])('is asked for when a record %s, which must be unchanged', async (name, read) => {
    const text = name.slice(-5);
    const provider = createRa(options());
    const seen = await read(provider);
    await provider.update('notes', { id, data: { text }, previousData: seen as never });
    expect(matches()).toEqual([expect.stringMatching(/^"/u)]);
    // Another change of what was seen then comes too late.
    const previousData = seen as { id: string };
    const late = { id, data: { text: 'late' }, previousData };
    await expect(provider.update('notes', late)).rejects.toMatchObject({
      status: 412,
      code: 'PRECONDITION_FAILED',
    });
    await expect(provider.delete('notes', { id, previousData })).rejects.toMatchObject({
      status: 412,
    });
    expect((await provider.getOne('notes', { id })).data).toMatchObject({ text });
  });

  test('may be given', async () => {
    const change = { id, data: { text: 'x' }, previousData: {}, meta: { ifMatch: '"old"' } };
    await expect(createRa(options()).update('notes', change)).rejects.toMatchObject({
      status: 412,
    });
  });
});

describe('answers that are not of the API', () => {
  const page = (status: number, headers: Record<string, string>, body: string) =>
    listening(createServer((_, response) => response.writeHead(status, headers).end(body)));
  const html = { 'content-type': 'text/html' };

  test.each<readonly [string, number, Record<string, string>, string, object]>([
    [
      'an error page',
      502,
      html,
      '<h1>Bad gateway</h1>',
      { status: 502, statusCode: 502, code: undefined },
    ],
    [
      'an error without a body',
      500,
      {},
      '',
      { message: 'The server answered 500, but not as the API does' },
    ],
    ['an error that is null', 500, {}, 'null', { status: 500 }],
    ['a page of something else', 200, html, '<h1>Hello</h1>', { status: 200 }],
    ['an answer that is no list', 200, {}, '{"a":1}', { status: 200 }],
    ['nothing', 200, {}, '', { status: 200 }],
    [
      'problems that are none',
      422,
      {},
      '{"message":"no","errors":[null,{"field":1}]}',
      { message: 'no', errors: undefined },
    ],
    [
      'a field of a dangerous name',
      422,
      {},
      '{"message":"no","errors":[{"field":"__proto__.x","message":"bad"}]}',
      { errors: { '__proto__.x': 'bad' } },
    ],
    [
      'two problems of a field',
      422,
      {},
      '{"errors":[{"field":"a","message":"b"},{"field":"a","message":"c"},{"field":"a.b","message":"d"}]}',
      { errors: { a: 'b; c', 'a.b': 'd' } },
    ],
    [
      'a problem with its rule',
      400,
      {},
      '{"validationErrors":[{"field":"a","error":"b","rule":"minLength","params":{"min":3}},{"field":"c","error":"d"}]}',
      {
        problems: [
          { field: 'a', message: 'b', rule: 'minLength', params: { min: 3 } },
          { field: 'c', message: 'd' },
        ],
      },
    ],
  ])('%s', async (_, status, headers, body, expected) => {
    const { url, stop } = await page(status, headers, body);
    const error: unknown = await createRa({ baseUrl: url })
      .getList('notes', reading)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject(expected);
    expect(({} as { x?: string }).x).toBeUndefined();
    await stop();
  });

  test('a list whose headers do not arrive', async () => {
    const { url, stop } = await page(200, { 'content-type': 'application/json' }, '[]');
    await expect(createRa({ baseUrl: url }).getList('notes', reading)).rejects.toThrow(
      'Access-Control-Expose-Headers',
    );
    await stop();
  });

  test('no answer', async () => {
    const { url, stop } = await page(200, {}, '[]');
    await stop();
    const failed = createRefine({ baseUrl: url }).getOne({ resource: 'notes', id: 1 });
    await expect(failed).rejects.toThrow(TypeError);
  });
});

test('an error says what both libraries look for', () => {
  expect(new PlinthError(418, { message: 'Tea', code: 'TEAPOT' })).toMatchObject({
    name: 'PlinthError',
    message: 'Tea',
    status: 418,
    statusCode: 418,
    code: 'TEAPOT',
  });
});

/** A server that answers as it was told to. */
async function listening(server: Server): Promise<{ url: string; stop: () => Promise<void> }> {
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

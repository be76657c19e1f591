import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PlinthError, SpecificationError, type AnyApi } from '../../src/index.ts';
import { testServer, type Sandbox, type TestServer, type Visitor } from '../../src/test.ts';
import { bearer, makeToken } from '../support/tokens.ts';

const secret = 'a secret of more than 32 bytes, for tests';
const specification = `
code: ./api.ts
auth: { jwt: { secret: "${secret}", rolesClaim: realm.roles } }
rateLimit: { max: 20, window: 1h }
access:
  read: public
  write: [clerk, { role: authenticated, where: "owner={user.sub}&team={user.team}" }]
resources:
  orders:
    generate: { count: 3 }
    timestamps: true
    fields:
      text: { type: string, required: true }
      owner: { type: string, default: "{user.sub}" }
      team: { type: string, default: "{user.team}" }
      number: { type: string, readOnly: true }
      due: { type: datetime, default: now }
  audits:
    generate: { count: 2 }
    access: { read: authenticated, write: clerk }
    fields: { text: { type: string, required: true } }
  offers:
    generate: { count: 0 }
    access: { read: { role: public, where: "until_gt={now}" }, write: none }
    fields: { until: { type: datetime, required: true } }
`;

const code = `import { appendFileSync } from 'node:fs';
const log = (text) => appendFileSync(new URL('log.txt', import.meta.url), text + '\\n');
export default {
  start() { log('start'); },
  stop() { log('stop'); },
  resources: {
    orders: {
      beforeCreate(order, { user, fail }) {
        if (order.text === 'no') throw fail(409, 'Not this one');
        order.number = 'O-' + order.text + '-' + (user?.sub ?? 'nobody');
      },
      async afterCommit({ operation, after }, { db, now }) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await db.asOwner.audits.create({ text: operation + ' ' + after?.text + ' ' + now.getFullYear() });
      },
    },
  },
  endpoints: { 'GET /me': { access: 'public', handler: ({ user, mode }) => ({ user, mode }) } },
};`;

let folder: string;
let api: TestServer<AnyApi>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-code-'));
  writeFileSync(join(folder, 'api.ts'), code);
  writeFileSync(join(folder, 'plinth.yaml'), specification);
  api = await testServer({ folder, file: 'plinth.yaml', environment: {} });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

type Resource = NonNullable<Sandbox<AnyApi>['db'][string]>;
/** The methods of a resource, which is there. */
const of = ({ db }: Pick<Visitor<AnyApi>, 'db'>, name: string): Resource => db[name] as Resource;

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const json = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();
const sending = (body: object, headers: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test('a sandbox that is closed is kept by nobody', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const close = async (): Promise<WeakRef<object>> => {
    const sandbox = api.sandbox({ records: {} });
    await sandbox.fetch('/v1/orders');
    await sandbox.close();
    return new WeakRef(sandbox);
  };
  const closed = await close();
  const isKept = (): boolean => {
    collect();
    return closed.deref() !== undefined;
  };
  await expect.poll(isKept, { timeout: 5_000 }).toBe(false);
});

test('each sandbox has SQL of its own, and a caller none', async () => {
  await using one = api.sandbox({ records: { orders: [{ text: 'a' }] } });
  await using other = api.sandbox({ records: {} });
  expect(await one.db.sql`update orders set text = ${'b'} returning text`).toEqual([{ text: 'b' }]);
  expect(await one.db.sql`select count(*) as n from orders`).toEqual([{ n: 1 }]);
  expect(await other.db.sql`select count(*) as n from orders`).toEqual([{ n: 0 }]);
  expect('sql' in one.as({ roles: ['clerk'] }).db).toBe(false);
});

test('the same options give the same server, others another', async () => {
  const same = { file: './plinth.yaml', folder, environment: {} };
  await using other = await testServer({ ...same, generate: false });
  expect(await testServer({ folder, file: 'plinth.yaml', environment: {} })).toBe(api);
  expect(other).not.toBe(api);
  await using box = other.sandbox();
  expect(await of(box, 'orders').list()).toMatchObject({ data: [] });
});

test('each sandbox has the generated records for itself, however many there are', async () => {
  const boxes = Array.from({ length: 55 }, () => api.sandbox());
  const [one, two] = boxes as [Sandbox<AnyApi>, Sandbox<AnyApi>];
  try {
    await of(one, 'orders').create({ text: 'mine' });
    await of(two, 'orders').delete(1);
    const totals = await Promise.all(
      boxes.map(async (box) => (await of(box, 'orders').list()).data.length),
    );
    expect(totals).toEqual([4, 2, ...Array.from({ length: 53 }, () => 3)]);
    const texts = await Promise.all(
      boxes.slice(2).map((box) => json(box.fetch('/v1/orders?fields=id,text'))),
    );
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1);
  } finally {
    await Promise.all(boxes.map((box) => box.close()));
  }
});

test('given records replace the generated ones, without hooks', async () => {
  await using box = api.sandbox({
    records: { orders: [{ id: 7, text: 'given', due: new Date('2026-01-02T03:04:05Z') }] },
  });
  expect(await json(box.fetch('/v1/orders'))).toMatchObject([
    { id: 7, text: 'given', number: null, due: '2026-01-02T03:04:05.000Z' },
  ]);
  expect(await of(box, 'audits').list()).toMatchObject({ data: [] });
  expect(await of(box, 'orders').create({ text: 'next' })).toMatchObject({ id: 8 });
  await using none = api.sandbox({ records: {} });
  expect(await json(none.fetch('/v1/orders'))).toEqual([]);
});

test.each([
  ['a value', { orders: [{ text: 'a' }, { text: 1 }] }, /^orders\[1\]: .*text/mu],
  ['a missing field', { audits: [{}] }, /^audits\[0\]: .*text/mu],
  ['a resource', { orders: [], order: [] }, /^order: .*order/mu],
  ['what is no list', { orders: { text: 'a' } as never }, /^records\.orders is not a list/mu],
])('%s that does not fit is told with its place', async (_, records, message) => {
  await using box = api.sandbox({ records });
  const error = await failure(box.fetch('/v1/orders'));
  expect(error).toMatchObject({ message: expect.stringMatching(message) as string });
  // It is no lasting harm: the same is tried again.
  expect(await failure(of(box, 'orders').list())).toMatchObject({
    message: (error as Error).message,
  });
});

test('a clock that stands holds for defaults, stamps, rules, filters, own code and expiry', async () => {
  const records = {
    orders: [{ text: 'old', due: '2030-01-01T00:00:00Z' }, { text: 'default' }],
    offers: [{ until: '2030-06-01T00:00:00Z' }, { until: '2031-06-01T00:00:00Z' }],
  };
  await using box = api.sandbox({ records, now: '2031-01-01T00:00:00Z' });
  const orders = of(box, 'orders');
  const time = '2031-01-01T00:00:00.000Z';
  expect(await orders.create({ text: 'new' })).toMatchObject({ due: time, createdAt: time });
  expect(
    (await orders.list({ where: { due_gte: 'now' } })).data.map(({ text }) => text as unknown),
  ).toEqual(['default', 'new']);
  expect(await json(box.fetch('/v1/offers'))).toMatchObject([
    { until: '2031-06-01T00:00:00.000Z' },
  ]);
  await box.settled();
  expect(await of(box, 'audits').list()).toMatchObject({ data: [{ text: 'create new 2031' }] });
  const token = (until: string): Record<string, string> =>
    bearer(makeToken({ sub: 'ada', exp: Date.parse(until) / 1_000 }, { key: secret }));
  const audits = async (until: string, at: Sandbox<AnyApi>): Promise<number> =>
    (await at.fetch('/v1/audits', { headers: token(until) })).status;
  expect(await audits('2030-12-31T23:59:00Z', box)).toBe(401);
  expect(await audits('2031-01-01T00:01:00Z', box)).toBe(200);
  await using past = api.sandbox({ now: new Date('2020-01-01T00:00:00Z') });
  expect(await audits('2020-01-01T00:01:00Z', past)).toBe(200);
  expect(() => api.sandbox({ now: 'soon' })).toThrow('now is no date: soon');
});

test('callers have the rights of their token, whatever credential they send', async () => {
  await using box = api.sandbox({ records: {} });
  const ada = box.as({ sub: 'ada', claims: { team: 'a' } });
  const clerk = box.as({ sub: 'cid', roles: ['clerk', 'public'] });
  expect((await box.fetch('/v1/orders', sending({ text: 'a' }))).status).toBe(401);
  const own = await of(ada, 'orders').create({ text: 'a' });
  expect(own).toMatchObject({ owner: 'ada', team: 'a', number: 'O-a-ada' });
  const headers = { authorization: 'Bearer nonsense' };
  expect((await box.fetch('/v1/audits', { headers })).status).toBe(401);
  expect((await ada.fetch('/v1/audits', { headers })).status).toBe(200);
  const other = await of(clerk, 'orders').create({ text: 'b', owner: 'bob', team: 'a' });
  const refused = await failure(of(ada, 'orders').update(other, { text: 'c' }));
  expect(refused).toBeInstanceOf(PlinthError);
  expect(refused).toMatchObject({ body: { status: 403 } });
  expect((await ada.fetch('/v1/audits', sending({ text: 'a' }))).status).toBe(403);
  expect((await clerk.fetch('/v1/audits', sending({ text: 'a' }))).status).toBe(201);
  const user = { sub: 'cid', roles: ['clerk'], claims: { 'realm.roles': ['clerk', 'public'] } };
  expect(await json(clerk.fetch('/v1/me'))).toMatchObject({ user, mode: 'dev' });
  expect(await json(box.fetch('/v1/me'))).toEqual({ mode: 'dev' });
});

test('own code runs, and what it leaves behind is waited for', async () => {
  await using box = api.sandbox({ records: {} });
  const { number } = await of(box, 'orders').create({ text: 'a' });
  expect(number).toBe('O-a-owner');
  expect(await failure(of(box, 'orders').create({ text: 'no' }))).toMatchObject({
    body: { status: 409, message: 'Not this one' },
  });
  await box.settled();
  expect((await of(box, 'audits').list()).data).toMatchObject([
    { text: expect.stringMatching(/^create a /u) as string },
  ]);
});

test('reset goes back to the start, once every afterCommit is done', async () => {
  await using box = api.sandbox();
  const { db } = box;
  const before = await json(box.fetch('/v1/orders'));
  await db['orders']?.create({ text: 'a' });
  await db['orders']?.delete(1);
  await box.reset();
  expect(await json(box.fetch('/v1/orders'))).toEqual(before);
  expect((await db['audits']?.list())?.data).toHaveLength(2);
});

test('quotas are those of a sandbox, for each of its callers', async () => {
  const statuses = async (
    box: Sandbox<AnyApi>,
    who: Pick<Sandbox<AnyApi>, 'fetch'>,
  ): Promise<object> => {
    const all: number[] = [];
    for (let count = 0; count < 21; count += 1) all.push((await who.fetch('/v1/orders/1')).status);
    await of(box, 'orders').get(1);
    return [all.filter((status) => status === 200).length, all.at(-1)];
  };
  await using one = api.sandbox();
  await using two = api.sandbox();
  expect(await statuses(one, one)).toEqual([20, 429]);
  expect(await statuses(one, one.as({ sub: 'ada' }))).toEqual([20, 429]);
  expect(await statuses(two, two.as({ sub: 'ada' }))).toEqual([20, 429]);
});

test('a request may be a Request, as a mock server gets it', async () => {
  await using box = api.sandbox();
  const request = new Request('https://api.example.com/v1/orders?limit=1');
  const answer = await box.fetch(request);
  expect(answer.headers.get('link')).toContain('/v1/orders?');
  expect(await answer.json()).toHaveLength(1);
  expect((await box.fetch(new URL('http://localhost/_ready'))).status).toBe(200);
  expect((await box.fetch(request, { method: 'DELETE' })).status).toBe(401);
});

test('what is closed says so, and closes once', async () => {
  const box = api.sandbox();
  const { db } = box;
  await of(box, 'orders').list();
  await Promise.all([box.close(), box.close()]);
  await expect(box.fetch('/v1/orders')).rejects.toThrow('The sandbox is closed.');
  await expect(db['orders']?.list()).rejects.toThrow('The sandbox is closed.');
  await api.sandbox().close();
});

let ofTest: Sandbox<AnyApi> | undefined;
afterEach(async () => {
  const box = ofTest;
  ofTest = undefined;
  if (box !== undefined) expect(await failure(box.fetch('/v1/orders'))).toBeUndefined();
});

test('a sandbox closes with the test of its context', async (context) => {
  const box = api.sandbox({ context });
  await of(box, 'orders').list();
  ofTest = box;
  context.onTestFinished(async () => {
    // Vitest calls the last one first.
    expect(await failure(box.fetch('/v1/orders'))).toBeUndefined();
  });
  const closings: (() => Promise<void>)[] = [];
  const other = api.sandbox({ context: { after: (work) => void closings.push(work) } });
  await of(other, 'orders').list();
  await closings[0]?.();
  await expect(other.fetch('/v1/orders')).rejects.toThrow('is closed');
  expect(() => api.sandbox({ context: {} as never })).toThrow(
    'context is not the context of a test',
  );
});

test('a file that cannot be served is told, and tried again when it is mended', async () => {
  const own = mkdtempSync(join(tmpdir(), 'plinth-code-'));
  const options = { folder: own, file: 'plinth.yaml' };
  const file = join(own, 'plinth.yaml');
  try {
    await expect(testServer(options)).rejects.toThrow('cannot be read');
    writeFileSync(file, 'resuorces: {}');
    await expect(testServer(options)).rejects.toBeInstanceOf(SpecificationError);
    writeFileSync(
      file,
      'code: ./api.ts\nresources: { notes: { fields: { text: { type: string } } } }',
    );
    const log = (): string => readFileSync(join(own, 'log.txt'), 'utf8');
    writeFileSync(join(own, 'api.ts'), code.replaceAll('orders', 'orders2'));
    await expect(testServer(options)).rejects.toThrow('orders2');
    writeFileSync(join(own, 'api.ts'), code.replace(/resources: \{.*\n {2}\},\n/su, ''));
    const server = await testServer(options);
    await using box = server.sandbox();
    expect(await json(box.fetch('/v1/me'))).toEqual({ mode: 'dev' });
    expect(log()).toBe('start\n');
    await server.close();
    expect(log()).toBe('start\nstop\n');
    expect(() => server.sandbox()).toThrow('The test server is closed.');
    await expect(box.fetch('/v1/me')).rejects.toThrow('The sandbox is closed.');
    expect(await testServer(options)).not.toBe(server);
    await (await testServer(options)).close();
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

test('a sandbox that closes takes nothing from one whose records are generated', async () => {
  const generating =
    'resources: { orders: { generate: { count: 3000 }, fields: { text: { type: string } } } }';
  const own = await testServer({ specification: generating, environment: {} });
  const closing = own.sandbox({ records: {} });
  expect((await closing.fetch('/v1/orders')).status).toBe(200);
  const answer = own.sandbox().fetch('/v1/orders?limit=1');
  const [{ status }] = await Promise.all([answer, closing.close()]);
  expect(status).toBe(200);
  await own.close();
});

test('no file is left once the last sandbox is closed', async () => {
  const own = mkdtempSync(join(tmpdir(), 'plinth-code-'));
  vi.stubEnv('TMPDIR', own);
  try {
    await using other = await testServer({ folder, file: 'plinth.yaml', memory: 2 ** 30 });
    const boxes = [other.sandbox(), other.sandbox({ records: { orders: [{ text: 'a' }] } })];
    for (const box of boxes) await of(box, 'orders').list();
    expect(readdirSync(own)).toHaveLength(1);
    for (const box of boxes) await box.close();
    expect(readdirSync(own)).toEqual([]);
    const again = other.sandbox();
    await of(again, 'orders').list();
    expect(readdirSync(own)).toHaveLength(1);
    await other.close();
    expect(readdirSync(own)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(own, { recursive: true, force: true });
  }
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ResourceCode } from '../../src/extensions/code.ts';
import type { CodeNote } from '../../src/observability/events.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { isHold, readerOf } from '../support/own-code.ts';

const specification = `
code: ./api.ts
server: { requestTimeout: 2s }
resources:
  counters:
    fields:
      name: { type: string }
      value: { type: integer, default: 0 }
      visits: { type: integer, default: 0, readOnly: true }
`;

/** The hooks of the present test. */
let current: ResourceCode = {};
/** What the log has of own code. */
const notes: CodeNote[] = [];
/** What it has of functions that hold the event loop, as the tests themselves may do meanwhile. */
const holds: string[] = [];
const readers = [
  readerOf((line) => {
    if (isHold(line)) holds.push(line.message);
    else notes.push(line);
  }),
];

let both: Both;
beforeAll(async () => {
  const counters: ResourceCode = {
    beforeCreate: (...given) => current.beforeCreate?.(...given),
    beforeUpdate: (...given) => current.beforeUpdate?.(...given),
    afterCommit: (...given) => current.afterCommit?.(...given),
  };
  const options = { code: { resources: { counters } }, readers };
  both = await serveBoth(specification, {}, undefined, options);
});
afterEach(async () => {
  current = {};
  await both.send('DELETE', '/v1/counters?id_gt=0');
  await both.settled();
  notes.length = 0;
});
afterAll(() => both.stop());

function serve(code: { readonly resources: { readonly counters: ResourceCode } }): Both {
  current = code.resources.counters;
  return both;
}

async function made(api: Both): Promise<string> {
  const { body } = await api.send('POST', '/v1/counters', { name: 'a' });
  return `/v1/counters/${(body as { id: number }).id}`;
}

const internal = { status: 500, code: 'INTERNAL_ERROR' };

test.each<
  readonly [
    name: string,
    beforeCreate: NonNullable<ResourceCode['beforeCreate']>,
    answer: object,
    logged: string | undefined,
  ]
>([
  [
    'throws',
    () => {
      throw new TypeError('no key');
    },
    internal,
    'no key',
  ],
  ['rejects with no error', () => Promise.reject('bad'), internal, 'bad'],
  [
    'never ends',
    () => new Promise(() => undefined),
    { status: 504, code: 'HANDLER_TIMEOUT' },
    undefined,
  ],
  ['sets the id', (record) => void (record['id'] = 7), internal, 'must not set the id'],
  ['sets what is no field', (record) => void (record['nam'] = 7), internal, 'did you mean name?'],
  ['fails outside of 4xx', (_, { fail }) => fail(500, 'x'), internal, 'from 400 to 499'],
  [
    'fails with fields',
    (_, { fail }) => fail(422, { field: 'name', message: 'is taken', rule: 'unique' }),
    { status: 422, code: 'INVALID_VALUE', errors: [{ field: 'name', message: 'is taken' }] },
    undefined,
  ],
  [
    'fails with several fields and a code',
    (_, { fail }) =>
      fail(
        409,
        [
          { field: 'name', message: 'is taken', rule: 'unique' },
          { field: 'value', message: 'is odd', rule: 'even', params: { by: 1 } },
        ],
        { code: 'BOTH' },
      ),
    {
      status: 409,
      error: 'Conflict',
      code: 'BOTH',
      validationErrors: [
        { field: 'name', error: 'is taken', rule: 'unique', params: {} },
        { field: 'value', error: 'is odd', rule: 'custom', params: { name: 'even', by: 1 } },
      ],
    },
    undefined,
  ],
  [
    'fails with 400 and a field',
    (_, { fail }) => fail(400, { field: 'name', message: 'is missing' }),
    { code: 'VALIDATION_FAILED', validationErrors: [{ field: 'name', error: 'is missing' }] },
    undefined,
  ],
  ['fails with a status of no error', (_, { fail }) => fail(399, 'x'), internal, 'from 400 to 499'],
  [
    'fails with a status that no code has',
    (_, { fail }) => fail(418, 'No tea'),
    { status: 418, code: 'REFUSED', message: 'No tea' },
    undefined,
  ],
  [
    'fails without throwing what fail gives',
    (record, { fail }) => {
      fail(409, 'no');
      record['name'] = 'written all the same';
    },
    { status: 409, message: 'no' },
    undefined,
  ],
  [
    'fails with a status alone',
    (_, { fail }) => fail(403),
    { status: 403, code: 'FORBIDDEN' },
    undefined,
  ],
  [
    'calls itself in a circle',
    async (_, { db }) => {
      await db['counters']?.create({ name: 'again' });
    },
    { status: 500, code: 'HOOK_DEPTH' },
    'beforeCreate of counters → beforeCreate of counters',
  ],
  [
    'passes on what a caller may not do',
    async (_, { db }) => {
      await db['counters']?.get(99);
    },
    { status: 404, code: 'RESOURCE_NOT_FOUND' },
    undefined,
  ],
  [
    'passes on what fails for the owner',
    async (_, { db }) => {
      await db.asOwner['counters']?.get(99);
    },
    internal,
    'There is no record',
  ],
])(
  'a hook that %s is answered, and the server lives',
  async (_name, beforeCreate, answer, logged) => {
    const api = serve({ resources: { counters: { beforeCreate } } });
    const refused = await api.send('POST', '/v1/counters', { name: 'a' });
    expect(refused.body).toMatchObject(answer);
    const failures = api.failures.splice(0).map(String);
    if (logged === undefined) expect(failures).toEqual([]);
    else expect(failures.join('\n')).toContain(logged);
    expect((await api.get('/v1/counters')).body).toEqual([]);
  },
);

test('five levels of hooks run, and no sixth', async () => {
  const api = serve({
    resources: {
      counters: {
        async beforeCreate({ name }, { db }) {
          const left = Number(name) - 1;
          if (left > 0) await db['counters']?.create({ name: String(left) });
        },
      },
    },
  });
  expect((await api.send('POST', '/v1/counters', { name: '5' })).status).toBe(201);
  expect((await api.get('/v1/counters')).body).toHaveLength(5);
  expect((await api.send('POST', '/v1/counters', { name: '6' })).body.code).toBe('HOOK_DEPTH');
  expect(api.failures.splice(0).map(String)[0]).toContain('6 levels deep');
});

test('the hooks of a request have its time together, and the signal tells when it is up', async () => {
  const aborted: unknown[] = [];
  const api = serve({
    resources: {
      counters: {
        async beforeCreate(_, { signal }) {
          signal.addEventListener('abort', () => aborted.push(signal.reason));
          // Less than the time of a request, of which two are more.
          await delay(1_200);
        },
      },
    },
  });
  const late = await api.send('POST', '/v1/counters', [{ name: 'a' }, { name: 'b' }]);
  expect(late.body).toMatchObject({ status: 504, code: 'HANDLER_TIMEOUT' });
  expect(aborted.map(String)).toContain('Error: The request is over: its deadline has passed');
  expect(notes.map(({ message }) => message)).toContain(
    'beforeCreate of counters did not end within the deadline of its request',
  );
  expect((await api.get('/v1/counters')).body).toEqual([]);
});

test('an afterCommit has the time of a request, and the log says that it was late', async () => {
  const api = serve({
    resources: { counters: { afterCommit: () => new Promise(() => undefined) } },
  });
  expect((await api.send('POST', '/v1/counters', { name: 'a' })).status).toBe(201);
  await api.settled();
  const said = notes.filter(({ level }) => level === 'error').map(({ message }) => message);
  expect(said).toEqual([
    expect.stringContaining('afterCommit of counters failed'),
    expect.stringContaining('afterCommit of counters failed'),
  ]);
});

const hold = (): void => {
  for (const end = performance.now() + 400; performance.now() < end;);
};

test.each<readonly [string, NonNullable<ResourceCode['beforeCreate']>, RegExp]>([
  ['at once', hold, /^beforeCreate of counters held the event loop for \d+ ms$/u],
  [
    'after it has waited',
    async () => {
      await delay(1);
      hold();
    },
    /^The event loop was held for \d+ ms while beforeCreate of counters ran$/u,
  ],
  [
    'between two waits',
    async () => {
      await delay(1);
      hold();
      await delay(200);
    },
    /^The event loop was held for \d+ ms while beforeCreate of counters ran$/u,
  ],
])('the log names a function that holds the event loop %s', async (_name, beforeCreate, told) => {
  const api = serve({ resources: { counters: { beforeCreate } } });
  for (const side of api.sides) {
    holds.length = 0;
    expect((await side.send('POST', '/v1/counters', { name: 'a' })).status).toBe(201);
    expect(holds).toContainEqual(expect.stringMatching(told));
  }
});

test('lines of own code have the id of the request', async () => {
  const api = serve({
    resources: {
      counters: {
        beforeCreate({ name }, { log, request }) {
          log.debug('looked', { name });
          log.info('seen');
          log.warn(request.id);
          log.error('bad');
        },
      },
    },
  });
  for (const side of api.sides) {
    notes.length = 0;
    const { headers } = await side.send('POST', '/v1/counters', { name: 'a' });
    const requestId = headers.get('x-request-id');
    expect(notes).toMatchObject([
      { level: 'debug', message: 'looked', details: { name: 'a' }, requestId },
      { level: 'info', message: 'seen', requestId },
      { level: 'warn', message: requestId, requestId },
      { level: 'error', message: 'bad', requestId },
    ]);
  }
});

test('in dev, _verbose has the stack of what a hook throws, and _trace its step', async () => {
  const code = {
    resources: {
      counters: {
        beforeCreate() {
          throw new TypeError('no key');
        },
      },
    },
  };
  const dev = await serveBoth(specification, {}, undefined, { code, mode: 'dev' });
  try {
    for (const side of dev.sides) {
      const path = '/v1/counters?_verbose=true&_trace=true';
      const { status, body } = await side.send('POST', path, { name: 'a' });
      expect([status, body.message]).toEqual([500, expect.not.stringContaining('no key')]);
      expect(body._verbose.error.stack).toMatch(/TypeError: no key\n {4}at .*failing\.test\.ts/su);
      const stages = (body._trace as { readonly stage: string }[]).map(({ stage }) => stage);
      expect(stages).toContain('beforeCreate_counters');
      expect(String(side.failures.splice(0)[0])).toContain('no key');
      const { text } = await side.get('/_metrics');
      expect(text).toMatch(/plinth_own_code_calls_total\{[^}]*beforeCreate of counters[^}]*\} 1/u);
      expect(text).toMatch(/plinth_own_code_seconds_total\{[^}]*beforeCreate of counters[^}]*\} /u);
    }
  } finally {
    await dev.stop();
  }
});

test('PATCHes of one record at once lose none', async () => {
  const api = serve({
    resources: {
      counters: {
        async beforeUpdate(change, { before }) {
          await new Promise((resolve) => setImmediate(resolve));
          change['visits'] = (before['visits'] as number) + 1;
        },
      },
    },
  });
  const path = await made(api);
  for (const side of api.sides) {
    const statuses = new Map<number, number>();
    const patches = Array.from({ length: 1_000 }, async (_, index) => {
      const { status } = await fetch(`${side.url}${path}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value: index }),
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await Promise.all(patches);
    const done = statuses.get(200) ?? 0;
    // A request that waited too long for its turn says so, and has counted nothing.
    expect((await side.get(path)).body).toMatchObject({ visits: done });
    expect(done).toBeGreaterThan(0);
  }
});

test('a record that changes while its hook runs is seen again', async () => {
  let runs = 0;
  const api = serve({
    resources: {
      counters: {
        async beforeUpdate(change, { before, db }) {
          runs += 1;
          // What another process would do meanwhile.
          if (before['value'] === 0 && change['name'] !== undefined)
            await db['counters']?.update(before['id'], { value: 1 });
          if (change['name'] !== undefined) change['visits'] = before['value'];
        },
      },
    },
  });
  const path = await made(api);
  const patched = await api.send('PATCH', path, { name: 'b' });
  expect(patched.body).toMatchObject({ name: 'b', value: 1, visits: 1 });
  expect(runs).toBe(6);
});

test('a record that never stays as it is ends with CONFLICT', async () => {
  const api = serve({
    resources: {
      counters: {
        async beforeUpdate(change, { before, db }) {
          if (change['name'] !== undefined)
            await db['counters']?.update(before['id'], { value: (before['value'] as number) + 1 });
        },
      },
    },
  });
  const path = await made(api);
  const refused = await api.send('PATCH', path, { name: 'b' });
  expect(refused.body).toMatchObject({ status: 409, code: 'CONFLICT' });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await api.get(path)).body).toMatchObject({ name: 'a', value: 5 });
});

test('an afterCommit that throws is logged, and does not change the answer', async () => {
  const api = serve({
    resources: {
      counters: {
        afterCommit() {
          throw new Error('mail server down');
        },
      },
    },
  });
  expect((await api.send('POST', '/v1/counters', { name: 'a' })).status).toBe(201);
  await expect.poll(() => api.failures.length).toBe(2);
  expect(api.failures.splice(0).map(String)[0]).toContain('mail server down');
});

test('what was done under an Idempotency-Key is not judged again', async () => {
  let runs = 0;
  const api = serve({
    resources: {
      counters: {
        beforeCreate(_, { fail }) {
          runs += 1;
          if (runs > 2) fail(409, 'sold out');
        },
      },
    },
  });
  const key = { 'idempotency-key': 'one' };
  const first = await api.send('POST', '/v1/counters', { name: 'a' }, key);
  const second = await api.send('POST', '/v1/counters', { name: 'a' }, key);
  expect(second.text).toBe(first.text);
  expect((await api.send('POST', '/v1/counters', { name: 'b' })).status).toBe(409);
});

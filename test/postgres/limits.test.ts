import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import type { Request } from './requests.ts';

let both: Both;

beforeAll(async () => {
  both = await serveBoth(`
access: public
resources:
  things:
    fields:
      code: { type: string, unique: true }
      label: { type: text, index: true }
      first: { type: string }
      second: { type: string }
      free: { type: text }
      size: { type: integer }
      weight: { type: number }
      price: { type: decimal, precision: 18, scale: 4 }
      day: { type: date }
      at: { type: datetime }
      more: { type: json }
      list: { type: array, items: { type: number } }
    indexes: [[first, second]]
  texts:
    fields:
      id: { type: id, format: string }
      parentId: { type: string, reference: texts.id }
`);
  await ask({ method: 'POST', path: '/v1/things', body: { first: noise(1_500) } });
});

afterAll(async () => {
  await both?.stop();
});

/** What each of the two answers: here they may differ. */
async function ask(request: Request): Promise<{ sqlite: Answer; postgres: Answer }> {
  const { method = 'GET', path, body, headers } = request;
  const [sqlite, postgres] = await Promise.all(
    both.sides.map((side) => side.send(method, path, body, headers)),
  );
  if (sqlite === undefined || postgres === undefined) throw new Error('There are two sides');
  return { sqlite, postgres };
}

/** Text that no compression makes much shorter, the same in every run. */
function noise(length: number): string {
  let state = 12_345;
  let text = '';
  for (let index = 0; index < length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += String.fromCodePoint(33 + (Math.floor(state / 256) % 90));
  }
  return text;
}

/** Values that PostgreSQL cannot have in an index → the fields that are named. */
const long: readonly (readonly [string, Request, ...string[]])[] = [
  ['unique', { method: 'POST', path: '/v1/things', body: { code: noise(4_000) } }, 'code'],
  ['an index', { method: 'POST', path: '/v1/things', body: { label: noise(4_000) } }, 'label'],
  [
    'several at once',
    { method: 'POST', path: '/v1/things', body: { label: noise(4_000), code: noise(5_000) } },
    'code',
    'label',
  ],
  [
    'an index of several',
    { method: 'POST', path: '/v1/things', body: { first: noise(1_700), second: noise(1_800) } },
    'second',
  ],
  [
    'with what the record has',
    { method: 'PATCH', path: '/v1/things/1', body: { second: noise(1_800) } },
    'second',
  ],
  ['PUT', { method: 'PUT', path: '/v1/things/1', body: { code: noise(4_000) } }, 'code'],
  [
    'one of many',
    { method: 'POST', path: '/v1/things', body: [{ code: 'a' }, { code: noise(4_000) }] },
    '[1].code',
  ],
  ['an id', { method: 'POST', path: '/v1/texts', body: { id: noise(4_000) } }, 'id'],
  [
    'a key, which points nowhere too',
    { method: 'POST', path: '/v1/texts', body: { id: 'a', parentId: noise(4_000) } },
    'parentId',
  ],
];

test.each(long.map(([name, request, ...fields]) => ({ name, request, fields })))(
  'a value that is too long for its index: $name',
  async ({ request, fields }) => {
    const { postgres } = await ask(request);
    expect(postgres.status).toBe(422);
    const { code, errors } = postgres.body as {
      code: string;
      errors: { field: string; message: string }[];
    };
    expect(code).toBe('INVALID_VALUE');
    expect(errors.map(({ field }) => field)).toEqual(fields);
    expect(both.failures).toEqual([]);
  },
);

test('what is compressed fits', async () => {
  const request = { method: 'POST', path: '/v1/things', body: { label: 'x'.repeat(20_000) } };
  expect((await ask(request)).postgres.status).toBe(201);
});

const post = (body: string): Request => ({ method: 'POST', path: '/v1/things', body });
const extremes: readonly string[] = [
  '9007199254740993',
  '9223372036854775808',
  `1${'0'.repeat(400)}`,
];
const days: readonly string[] = ['0000-01-01', '0001-01-01', '9999-12-31', '10000-01-01'];

describe.each<readonly [string, readonly Request[]]>([
  [
    'numbers',
    extremes.flatMap((value) => [
      ...['size', 'weight', 'price', 'more', 'list'].map((field) =>
        post(`{"${field}":${field === 'list' ? `[${value}]` : value}}`),
      ),
      ...['size', 'size_gt', 'weight_lt', 'price_lte', 'more.x_gt', 'list_contains', 'id'].map(
        (name) => ({ path: `/v1/things?${name}=${value}&fields=id&limit=1` }),
      ),
      ...['GET', 'DELETE'].map((method) => ({ method, path: `/v1/things/${value}` })),
      ...['offset', 'page', 'limit'].map((name) => ({ path: `/v1/things?${name}=${value}` })),
    ]),
  ],
  [
    'days',
    days.flatMap((day) => [
      { path: `/v1/things?day_gt=${day}&fields=day` },
      { path: `/v1/things?at_in=${day},2026-01-01&fields=at` },
      ...[day, `${day}T00:00:00%2B14:00`].map((at) => ({
        path: `/v1/things?at_lt=${at}&fields=at`,
      })),
    ]),
  ],
  [
    'texts',
    ['%00', '%ED%A0%80', '%EF%BF%BE', '%5C', 'aK'.repeat(3_000)].flatMap((text) => [
      ...['code', 'code_ilike', 'code_like', 'code_in', 'code_gte', 'more.x'].map((name) => ({
        path: `/v1/things?${name}=${text}&fields=id`,
      })),
      { path: `/v1/texts/${text}` },
      { method: 'DELETE', path: `/v1/texts/${text}` },
    ]),
  ],
])('%s at the edge are no fault of the server', (_, requests) => {
  test.each(requests.map((request) => [JSON.stringify(request).slice(0, 90), request] as const))(
    '%s',
    async (_title, request) => {
      const { sqlite, postgres } = await ask(request);
      expect(postgres.status).toBeLessThan(500);
      expect(postgres.status).toBe(sqlite.status);
      expect(both.failures).toEqual([]);
    },
  );
});

test('where nothing is said a statement has 10 s', async () => {
  const asked = { sql: 'SHOW statement_timeout', parameters: [] };
  expect(await both.postgres.all(asked, { bound: [] })).toEqual([['10s']]);
});

test('no statement is compiled, which a server with LLVM does by itself', async () => {
  const asked = { sql: 'SHOW jit', parameters: [] };
  expect(await both.postgres.all(asked, { bound: [] })).toEqual([['off']]);
});

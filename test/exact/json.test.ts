import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRows } from '../support/tables.ts';

const specification = `
resources:
  events:
    fields:
      name: { type: string }
      payload: { type: json }
      open: { type: object }
      half: { type: object, properties: { code: { type: string } }, additionalProperties: true }
      list: { type: array }
      rows: { type: array, items: { type: json } }
`;

/** Beside the numbers that JavaScript reads them as. */
const snowflake = '1533947986218845197';
const neighbour = '1533947986218845200';
const huge = '123456789012345678901234567890';
const fine = '0.12345678901234567890123';

const records = [
  `{"name":"a","payload":{"id":${snowflake},"b":{"c":[${huge}]}},"open":{"id":${snowflake}},"half":{"code":"x","id":${snowflake}},"list":[${snowflake},1],"rows":[{"id":${snowflake}}]}`,
  `{"name":"b","payload":{"id":${neighbour}},"open":{"id":${huge}},"list":[${huge}]}`,
  `{"name":"c","payload":{"id":${huge}},"open":{"id":-${huge}},"list":[${fine}]}`,
  `{"name":"d","payload":{"id":"${snowflake}"},"open":{"id":"${huge}"},"list":["${snowflake}"]}`,
  `{"name":"e","payload":{"id":${fine}},"open":{"id":1.5},"list":[0.1234567890123456789]}`,
  `{"name":"f","payload":{"id":1e300},"open":{"id":123456789012345678901234567891},"list":[1.0,2.50,1e21]}`,
  `{"name":"g","payload":${snowflake},"list":[]}`,
];

let api: Both;
const source = (): Both => api;
const post = (text: string) => api.send('POST', '/v1/events', text);

beforeAll(async () => {
  api = await serveBoth(specification);
  for (const text of records) {
    const { status, text: answer } = await post(text);
    expect(status, answer).toBe(201);
  }
});
afterAll(() => api.stop());

describe('what is read', () => {
  test.each([
    [1, 'payload', `{"b":{"c":[${huge}]},"id":${snowflake}}`],
    [1, 'open', `{"id":${snowflake}}`],
    [1, 'half', `{"code":"x","id":${snowflake}}`],
    [1, 'list', `[${snowflake},1]`],
    [1, 'rows', `[{"id":${snowflake}}]`],
    [2, 'payload', `{"id":${neighbour}}`],
    [2, 'open', `{"id":${huge}}`],
    [3, 'list', `[${fine}]`],
    [6, 'payload', '{"id":1e+300}'],
    [6, 'list', '[1,2.5,1e+21]'],
    [7, 'payload', snowflake],
  ])('record %i has all digits of %s', async (id, field, expected) => {
    const { text } = await api.get(`/v1/events/${id}?fields=${field}`);
    expect(text).toBe(`{"id":${id},"${field}":${expected}}`);
  });

  test.each([
    ['a part by path', '/v1/events/1?fields=payload.id', `{"id":1,"payload":{"id":${snowflake}}}`],
    [
      'without a part',
      '/v1/events/1?exclude=payload.b,name,open,half,list,rows',
      `{"id":1,"payload":{"id":${snowflake}}}`,
    ],
  ])('%s', async (_, path, expected) => {
    expect((await api.get(path)).text).toBe(expected);
  });

  test.each([
    ['text/csv', `a,"{""b"":{""c"":[${huge}]},""id"":${snowflake}}"`],
    [
      'application/x-ndjson',
      `{"id":1,"name":"a","payload":{"b":{"c":[${huge}]},"id":${snowflake}}}`,
    ],
  ])('as %s', async (accept, line) => {
    const { text } = await api.raw('/v1/events?fields=name,payload', { headers: { accept } });
    expect(text).toContain(line);
  });
});

describe('filters', () => {
  expectRows(source, '/v1/events', [
    ['equality tells neighbours apart', `payload.id=${snowflake}`, [1, 4]],
    ['and the double beside it', `payload.id=${neighbour}`, [2]],
    ['beyond 64 bits', `payload.id=${huge}`, [3]],
    ['a fraction', `payload.id=${fine}`, [5]],
    ['a number near it', 'payload.id=0.12345678901234568', []],
    ['zeros around it', `payload.id=00${snowflake}.000`, [1]],
    ['neq', `payload.id_neq=${snowflake}&payload.id_exists=true`, [2, 3, 5, 6]],
    ['in', `payload.id_in=${huge},${neighbour}`, [2, 3]],
    ['nin', `payload.id_nin=${huge},${neighbour}&payload.id_exists=true`, [1, 4, 5, 6]],
    ['gt', `open.id_gt=${huge}`, [6]],
    ['gte', `open.id_gte=${huge}`, [2, 4, 6]],
    ['lt', `open.id_lt=${huge}`, [1, 3, 5]],
    ['lte of a short number', 'open.id_lte=1.5', [3, 5]],
    ['gt between neighbours', `payload.id_gt=${snowflake}&payload.id_lt=1533947986218845201`, [2]],
    ['items', `list_contains=${snowflake}`, [1, 4]],
    ['items beyond 64 bits', `list_contains=${huge}`, [2]],
    ['fractions in items', `list_contains=${fine}`, [3]],
    ['the double of one', 'list_contains=0.12345678901234568', []],
    ['all items', `list_containsAll=${snowflake},1`, [1]],
    ['any item', `list_containsAny=${huge},2.5`, [2, 6]],
    ['a short number', 'list_contains=1', [1, 6]],
    ['with an exponent when it was sent', 'list_contains=1000000000000000000000', [6]],
  ]);
});

describe('writes', () => {
  test('a patch, a merge and a replacement keep digits', async () => {
    const { body } = await post('{"name":"w","payload":{"a":1}}');
    const path = `/v1/events/${body.id}`;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const merged = await api.send('PATCH', path, `{"payload":{"b":${snowflake}}}`, merge);
    expect(merged.text).toContain(`"payload":{"a":1,"b":${snowflake}}`);
    const again = await api.send('PATCH', path, '{"payload":{"a":null}}', merge);
    expect(again.text).toContain(`"payload":{"b":${snowflake}}`);
    const put = await api.send('PUT', path, again.text);
    expect(put.text).toBe(again.text);
    const { headers } = await api.get(path);
    const tag = { 'if-match': headers.get('etag') ?? '' };
    const patched = await api.send('PATCH', path, `{"list":[${huge},${huge}1]}`, tag);
    expect(patched.text).toContain(`"list":[${huge},${huge}1]`);
    await api.send('DELETE', path);
  });

  test.each([
    ['{"payload":1e400}', 'payload: is too large for a number'],
    ['{"payload":{"a":[-1e400]}}', 'payload.a[0]: is too large for a number'],
    [`{"payload":{"a":0.${'0'.repeat(400)}1}}`, 'payload.a: must have at most 400 digits'],
    ['{"payload":{"a":1e-9999}}', 'payload.a: must have at most 400 digits'],
    ['{"payload":{"a":"\\u0000"}}', 'payload.a: must not hold a NUL character'],
    ['{"payload":{"a\\u0000":1}}', 'payload.a\u0000: must not hold a NUL character'],
    ['{"open":{"a":1e400}}', 'open.a: is too large for a number'],
    ['{"list":[1e400]}', 'list[0]: is too large for a number'],
  ])('%s is refused', async (text, problem) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    const { errors } = body as { errors: { field: string; message: string }[] };
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([problem]);
  });
});

test('what another program has written is read and found with its digits', async () => {
  const text = `{ "b": 1.50, "id":${snowflake}, "exp": 12345678901234567890e5, "zeros": 1.50000000000000000000 }`;
  api.sqlite.schemaConnection.prepare('INSERT INTO events (id, payload) VALUES (100, ?)').run(text);
  const sql = `INSERT INTO events (id, payload) OVERRIDING SYSTEM VALUE VALUES (100, '${text}')`;
  await api.postgres.writeOne({ sql, parameters: [] }, { bound: [] });
  const { text: read } = await api.get('/v1/events/100?fields=payload');
  expect(read).toBe(
    `{"id":100,"payload":{"b":1.5,"id":${snowflake},"exp":1234567890123456789000000,"zeros":1.5}}`,
  );
  for (const filter of [
    `payload.id=${snowflake}`,
    'payload.zeros=1.5',
    'payload.zeros_gte=1.5',
    'payload.exp=1234567890123456789000000',
  ])
    expect((await api.get(`/v1/events?${filter}&id=100`)).body, filter).toHaveLength(1);
});

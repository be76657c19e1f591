import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
limits: { urlLength: 2000 }
server: { bodyLimit: 10kB }
resources:
  notes: { fields: { big: { type: json, nullable: true } } }
  codes: { fields: { id: { type: id, format: string } } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
});
afterAll(() => both?.stop());

const batch = (body: unknown, side = both): Promise<Answer> =>
  side.send('POST', '/v1/_batch', body);
const outcome = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.code,
  body.operation,
];
const all = async (): Promise<string> =>
  (await both.get('/v1/notes?limit=500')).text + (await both.get('/v1/codes?limit=500')).text;

const note = (big: unknown, as?: string): object => ({
  method: 'POST',
  path: '/notes',
  body: { big },
  headers: { Prefer: as === undefined ? 'return=minimal' : 'count=none' },
  as,
});

describe('references of a batch', () => {
  const long = 'x'.repeat(4_000);
  test('bring as much as a body may have', async () => {
    const answer = await batch([note(long, 'a'), note(['{a.big}', '{a.big}'])]);
    expect(answer.status, answer.text).toBe(200);
  });

  test.each([
    ['in one body', [note(Array.from({ length: 500 }, () => '{a.big}'))], 1],
    ['in many', Array.from({ length: 50 }, () => note('{a.big}')), 3],
    ['that double', [note(['{a.big}', '{a.big}'], 'b'), note(['{b.big}', '{b.big}'], 'c')], 2],
  ])('do not bring more %s', async (_, operations, at) => {
    const before = await all();
    const answer = await batch([note(long, 'a'), ...operations]);
    expect(outcome(answer)).toEqual([413, 'BODY_TOO_LARGE', at]);
    expect(await all()).toBe(before);
  });

  test.each([
    ['an object', '{"n":1}'],
    ['a list', '[1]'],
    ['a null', 'null'],
  ])('do not put %s in a path', async (_, big) => {
    const answer = await batch([
      note(JSON.parse(`{"value":${big}}`), 'a'),
      { method: 'DELETE', path: '/notes/{a.big.value}' },
    ]);
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      'path: {a.big.value}: is neither a text nor a number',
    ]);
  });

  test('put a number into a path with all its digits', async () => {
    const answer = await both.send(
      'POST',
      '/v1/_batch',
      `[{"method":"POST","path":"/notes","body":{"big":12345678901234567890.5},"as":"a"},
        {"method":"PUT","path":"/codes/{a.big}","body":{},"headers":{"If-None-Match":"*"}}]`,
      { 'content-type': 'application/json' },
    );
    expect(answer.body[1]?.body, answer.text).toEqual({ id: '12345678901234567890.5' });
  });
});

test('a path of a batch is as long as a URL may be', async () => {
  const answer = await batch([{ method: 'DELETE', path: `/codes/${'a'.repeat(2_000)}` }]);
  expect(outcome(answer)).toEqual([414, 'URI_TOO_LONG', 0]);
});

test('a batch has the deadline of a transaction', async () => {
  const hasty = await serveBoth(
    `${specification}\ndatabase: { url: "sqlite:test.db", statementTimeout: 1ms }`,
    {},
    () => new Date('2026-03-01T12:00:00Z'),
  );
  try {
    const one = { method: 'POST', path: '/codes', body: {} };
    const operations = Array.from({ length: 200 }, () => one);
    // Which operation is running then is another on each database.
    for (const side of hasty.sides)
      for (const headers of [{}, { 'idempotency-key': 'late' }]) {
        const { status, body } = await side.send('POST', '/v1/_batch', operations, headers);
        expect([status, body.code]).toEqual([504, 'QUERY_TIMEOUT']);
        expect(body.operation).toBeGreaterThanOrEqual(0);
        expect(body.operation).toBeLessThan(operations.length);
      }
    expect((await hasty.get('/v1/codes')).body).toEqual([]);
  } finally {
    await hasty.stop();
  }
});

test('a batch whose records cannot be shown writes nothing', async () => {
  const small = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'), {
    answerLength: 500,
  });
  try {
    const large = { method: 'POST', path: '/notes', body: [{ big: 'x'.repeat(1_000) }] };
    const answer = await batch([{ method: 'POST', path: '/codes', body: {} }, large], small);
    expect(outcome(answer)).toEqual([400, 'LIMIT_EXCEEDED', 1]);
    expect((await small.get('/v1/codes')).body).toEqual([]);
  } finally {
    await small.stop();
  }
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerOfToken, scopeOf } from '../../src/auth/callers.ts';
import { parseExactly } from '../../src/model/exact-number.ts';
import type { Caller, Claims } from '../../src/model/access.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, callerIn, withTokens } from '../support/callers.ts';

const one = '9007199254740993';
const other = '9007199254740992';

let both: Both;
beforeAll(async () => {
  const rules = (field: string): string =>
    `{ read: [{ role: reader, where: "${field}={user.tenant}" }], create: authenticated }`;
  both = await serveBoth(`${withTokens}
resources:
  notes:
    access: ${rules('tenant')}
    fields: { tenant: { type: decimal, precision: 18, scale: 0 } }
  marks:
    access: ${rules('tenant')}
    fields: { tenant: { type: number } }
  papers:
    access: ${rules('j.tenant')}
    fields: { j: { type: json } }
  texts:
    access: ${rules('tenant')}
    fields: { tenant: { type: string } }`);
  const admin = caller({ sub: 'admin' });
  for (const [path, records] of [
    ['notes', [one, other, '7'].map((tenant) => ({ tenant }))],
    ['marks', [2 ** 53, 0.1, 7].map((tenant) => ({ tenant }))],
    ['papers', [2 ** 53 - 1, 0.1, 7].map((tenant) => ({ j: { tenant } }))],
    ['texts', [one, other, '7'].map((tenant) => ({ tenant }))],
  ] as const)
    expect((await both.send('POST', `/v1/${path}`, records, admin)).status).toBe(201);
});
afterAll(() => both?.stop());

describe('a numeric claim is the number that the token has', () => {
  test.each<[path: string, claim: string, ids: readonly number[]]>([
    ['notes', one, [1]],
    ['notes', other, [2]],
    ['notes', `[${one}]`, [1]],
    ['notes', `{"a":${one}}`, []],
    ['notes', '9007199254740994', []],
    ['notes', '7.0', [3]],
    ['notes', '70e-1', [3]],
    ['notes', '7.0000000000000000000000001', []],
    ['notes', '1e400', []],
    ['notes', '1e99999', []],
    ['notes', `"${one}"`, [1]],
    // A double stands for several numbers; its own is the one that it is written as.
    ['marks', other, [1]],
    ['marks', one, []],
    ['marks', `"${one}"`, []],
    ['marks', '0.1', [2]],
    ['marks', '0.10000000000000000000', [2]],
    ['marks', '0.1000000000000000055511151231257827', []],
    ['marks', '7.0000000000000000', [3]],
    ['marks', '1e400', []],
    ['papers', '9007199254740991', [1]],
    ['papers', '9007199254740991.2', []],
    ['papers', '1.0e-1', [2]],
    ['papers', '0.1000000000000000055511151231257827', []],
    // A number is no text, however many digits it has.
    ['texts', one, []],
    ['texts', `"${one}"`, [1]],
  ])('%s with %s: %j', async (path, claim, ids) => {
    const headers = callerIn(`"roles":["reader"],"tenant":${claim}`);
    const { status, body, text } = await both.get(`/v1/${path}`, headers);
    expect(status, text).toBe(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
    expect(both.failures).toEqual([]);
  });
});

test('callers whose subjects differ beyond a double keep their own idempotency keys', async () => {
  const create = (sub: string, tenant: string): Promise<{ status: number; text: string }> =>
    both.send(
      'POST',
      '/v1/texts',
      { tenant },
      {
        ...callerIn(`"sub":${sub}`),
        'idempotency-key': 'shared',
      },
    );
  const answers = [await create(one, 'a'), await create(other, 'b'), await create(one, 'a')];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(2);
});

describe('what tells callers apart', () => {
  const callerOf = (claims: string): Caller =>
    callerOfToken(parseExactly(claims) as Claims, 'roles');
  test.each<[one: string, other: string, isSame: boolean]>([
    [`{"sub":${one}}`, `{"sub":${other}}`, false],
    [`{"sub":${one}}`, `{"sub":${one}}`, true],
    [`{"sub":${one}.0}`, `{"sub":${one}}`, true],
    ['{"sub":1e21}', '{"sub":1000000000000000000000}', true],
    ['{"sub":1e400}', '{"sub":1e401}', false],
    ['{"sub":1e99999}', '{"sub":1e99998}', false],
    // Without a subject all claims do.
    [`{"tenant":${one}}`, `{"tenant":${other}}`, false],
    [`{"tenant":{"id":${one}}}`, `{"tenant":{"id":${other}}}`, false],
    [`{"tenant":${one},"iat":1}`, `{"iat":2,"tenant":${one}}`, true],
    [`{"tenant":${one}}`, `{"tenant":"${one}"}`, false],
  ])('%s and %s: %s', (first, second, isSame) => {
    const [a, b] = [callerOf(first), callerOf(second)];
    expect(a.id === b.id && scopeOf(a) === scopeOf(b)).toBe(isSame);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const fields = `
      price: { type: decimal, precision: 10, scale: 2 }
      large: { type: decimal, precision: 18, scale: 4 }
      real: { type: number }
      whole: { type: integer }
      flag: { type: boolean }
      day: { type: date }
      clock: { type: time }
      at: { type: datetime }
      token: { type: uuid }
      text: { type: string }
      kind: { type: enum, values: [draft, live] }
      greeting: { type: string, default: hello }
      odd: { type: string, column: 'odd ''"é' }
      spec: { type: object, properties: { n: { type: number }, at: { type: datetime }, inner: { type: object, properties: { s: { type: string } } } } }
      free: { type: json }
      words: { type: array, items: { type: string } }
      days: { type: array, items: { type: date } }`;

/** A rule, a body that satisfies it, and one that does not. */
const rules: readonly (readonly [where: string, inside: object, outside: object])[] = [
  ['price=1.5', { price: '1.50' }, { price: '1.51' }],
  ['price_gt=9.99', { price: 10 }, { price: '9.99' }],
  ['price_lte=0.005', { price: '0.00' }, { price: '0.01' }],
  ['large=99999999999999.9999', { large: '99999999999999.9999' }, { large: '99999999999999.9998' }],
  [
    'large_lt=-99999999999999.9998',
    { large: '-99999999999999.9999' },
    { large: '-99999999999999.9998' },
  ],
  ['real=0.1', { real: 0.1 }, { real: 0.10000000000000002 }],
  ['real_gte=0', { real: -0 }, { real: -5e-324 }],
  ['whole=9007199254740991', { whole: 9007199254740991 }, { whole: 9007199254740990 }],
  ['whole_nin=1,2', { whole: 3 }, { whole: 2 }],
  ['flag=true', { flag: true }, { flag: false }],
  ['flag_exists=false', { flag: null }, { flag: false }],
  ['day=2026-03-01', { day: '2026-03-01' }, { day: '2026-03-02' }],
  ['clock_gte=09:00:00', { clock: '09:00:00' }, { clock: '08:59:59' }],
  [
    'at_lte=2026-01-01T00:00:00Z',
    { at: '2026-01-01T01:00:00+01:00' },
    { at: '2026-01-01T00:00:00.001Z' },
  ],
  [
    'token=0198c0de-0000-7000-8000-00000000000a',
    { token: '0198C0DE-0000-7000-8000-00000000000A' },
    { token: '0198c0de-0000-7000-8000-00000000000b' },
  ],
  ['text_gt=Z', { text: 'a' }, { text: 'B' }],
  ['text_like=É', { text: 'xÉy' }, { text: 'xéy' }],
  ['text_ilike=É', { text: 'xéy' }, { text: 'xey' }],
  ['text_in="a,b",c', { text: 'a,b' }, { text: 'a' }],
  ['text="\\', { text: '"\\' }, { text: '"' }],
  ['text=\u{1F600} {"v0":1}', { text: '\u{1F600} {"v0":1}' }, { text: '\u{1F600}' }],
  ['odd=x', { odd: 'x' }, { odd: 'y' }],
  ['kind_neq=draft', { kind: null }, { kind: 'draft' }],
  ['greeting=hello', {}, { greeting: 'HELLO' }],
  ['spec.n_gt=1.5', { spec: { n: 2 } }, { spec: { n: 1.5 } }],
  ['spec.inner.s=x', { spec: { inner: { s: 'x' } } }, { spec: { inner: {} } }],
  ['free.a.b=7', { free: { a: { b: 7 } } }, { free: { a: { b: 8 } } }],
  ['free_exists=true', { free: [1] }, { free: null }],
  ['words_containsAll=a,b', { words: ['b', 'c', 'a'] }, { words: ['a'] }],
  ['days_contains=2026-03-01', { days: ['2026-03-01'] }, { days: ['2026-03-02'] }],
  ['_or=flag:true,whole_gt:5', { flag: false, whole: 6 }, { flag: false, whole: 5 }],
  ['price=1&flag=true', { price: '1.00', flag: true }, { price: '1.00', flag: false }],
  // The time of the request, which is what the clock of this service says.
  ['at={now}', { at: '2026-06-15T12:30:45.678Z' }, { at: '2026-06-15T12:30:45.677Z' }],
  ['at_gt={now}', { at: '2026-06-15T14:30:45.679+02:00' }, { at: '2026-06-15T12:30:45.678Z' }],
  ['day={now}', { day: '2026-06-15' }, { day: '2026-06-14' }],
  ['day_nin=2026-01-01,{now}', { day: '2026-06-14' }, { day: '2026-06-15' }],
  ['clock_lte={now}', { clock: '12:30:45' }, { clock: '12:30:46' }],
  [
    'spec.at_lt={now}',
    { spec: { at: '2026-06-15T12:30:45Z' } },
    { spec: { at: '2026-06-16T00:00:00Z' } },
  ],
  ['days_contains={now}', { days: ['2026-01-01', '2026-06-15'] }, { days: ['2026-01-01'] }],
  ['_or=at_lt:{now},text:{user.sub}', { text: 'me' }, { text: 'you' }],
  ['createdAt_gte={now}', {}, { text: 'never' }],
];

const alternatives = rules
  .map(([where], index) => `        - { role: r${index}, where: ${JSON.stringify(where)} }`)
  .join('\n');

const specification = `
${withTokens}
resources:
  forms:
    timestamps: true
    access:
      read:
        - admin
${alternatives}
      create:
        - admin
${alternatives}
      write:
        - admin
${alternatives}
    fields:${fields}
`;

const admin = caller({ sub: 'root', roles: ['admin'] });
const merge = { 'content-type': 'application/merge-patch+json' };

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-06-15T12:30:45.678Z'));
});
afterAll(() => both?.stop());

/** What no create can be outside of. */
const always = new Set(['createdAt_gte={now}']);

describe('what is about to be written compares as what is stored', () => {
  test.each(rules.map(([where, inside, outside], index) => ({ where, inside, outside, index })))(
    '$where',
    async ({ where, inside, outside, index }) => {
      const own = caller({ sub: 'me', roles: [`r${index}`] });
      const made = await both.send('POST', '/v1/forms', inside, own);
      expect(made.status, made.text).toBe(201);
      const path = `/v1/forms/${(made.body as { id: number }).id}`;
      const many = await both.send('POST', '/v1/forms', [inside, inside], own);
      expect(many.status, many.text).toBe(201);
      const kept = await both.send('PATCH', path, inside, own);
      expect(kept.status, kept.text).toBe(200);
      expect((await both.send('PUT', path, made.body, own)).status).toBe(200);
      if (always.has(where)) return;
      expect((await both.send('POST', '/v1/forms', outside, own)).status).toBe(403);
      expect((await both.send('POST', '/v1/forms', [inside, outside], own)).status).toBe(403);
      expect((await both.send('PATCH', path, outside, own)).status).toBe(403);
      expect((await both.send('PUT', path, { ...made.body, ...outside }, own)).status).toBe(403);
      // What the rules of reads see of a stored one is the same.
      const stored = await both.send('POST', '/v1/forms', outside, admin);
      expect((await both.get(`/v1/forms/${(stored.body as { id: number }).id}`, own)).status).toBe(
        404,
      );
    },
  );

  test('what a merge patch results in', async () => {
    const index = rules.findIndex(([where]) => where === 'spec.inner.s=x');
    const own = caller({ sub: 'me', roles: [`r${index}`] });
    const made = await both.send('POST', '/v1/forms', { spec: { n: 1, inner: { s: 'x' } } }, own);
    const path = `/v1/forms/${(made.body as { id: number }).id}`;
    const patch = (spec: object): Promise<{ status: number }> =>
      both.send('PATCH', path, { spec }, { ...own, ...merge });
    expect((await patch({ n: 2 })).status).toBe(200);
    expect((await patch({ inner: { s: 'y' } })).status).toBe(403);
    expect((await patch({ inner: null })).status).toBe(403);
  });
});

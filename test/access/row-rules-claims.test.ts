import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../src/model/access.ts';
import { claimsKey } from '../../src/query/access/claims.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { validModel } from '../model/model.ts';

const records = [
  {
    n: 1,
    d: '1.50',
    x: 0.5,
    b: true,
    s: 'a',
    o: '',
    e: 'low',
    w: ['p', 'q'],
    t: '2026-03-01T00:00:00Z',
    j: { k: 1 },
  },
  {
    n: 2,
    d: '2.50',
    x: 1.5,
    b: false,
    s: 'b',
    o: 'xyz',
    e: 'high',
    w: ['q'],
    t: '2026-03-02T00:00:00Z',
    j: { k: '1' },
  },
  {
    n: 7,
    d: '7.00',
    x: 7,
    b: true,
    s: '7',
    e: 'low',
    w: [],
    t: '2026-03-03T00:00:00Z',
    j: { k: true },
  },
  { n: null, d: null, x: null, b: null, s: null, e: null, w: null, t: null, j: null },
];
const uuid = '0198c0de-0000-7000-8000-00d8419adc05';

/** A rule, the claims of the caller, and the records that it leaves. */
type Row = readonly [
  where: string,
  claims: Readonly<Record<string, unknown>>,
  ids: readonly number[],
];

const textOperators = 'like ilike nlike nilike startsWith endsWith ieq gte gt lt lte'.split(' ');

const rows: readonly Row[] = [
  // One value, of the field's type.
  ['n={user.c}', { c: 7 }, [3]],
  ['n={user.c}', { c: '7' }, [3]],
  ['n={user.c}', { c: '07x' }, []],
  ['n={user.c}', { c: 7.5 }, []],
  ['n={user.c}', { c: true }, []],
  ['n={user.c}', { c: null }, []],
  ['n={user.c}', { c: { a: 7 } }, []],
  ['n={user.c}', { c: { toString: 7, valueOf: 7 } }, []],
  ['n={user.c}', { c: [7, { toString: 7 }] }, [3]],
  ['n={user.c}', {}, []],
  ['n={user.c}', { C: 7 }, []],
  ['n={user.c}', { c: '7 OR 1=1' }, []],
  ['n={user.c}', { c: 1e300 }, []],
  ['d={user.c}', { c: '2.5' }, [2]],
  ['d={user.c}', { c: 2.5 }, [2]],
  ['x={user.c}', { c: 1.5 }, [2]],
  // As the token has it, a number may be written with an exponent.
  ['x_lt={user.c}', { c: 1e21 }, [1, 2, 3]],
  ['x_gt={user.c}', { c: [1e-7] }, [1, 2, 3]],
  ['d_gt={user.c}', { c: 1e-7 }, [1, 2, 3]],
  ['j.k_gt={user.c}', { c: 1e-7 }, [1, 2]],
  ['b={user.c}', { c: true }, [1, 3]],
  ['b={user.c}', { c: 'true' }, [1, 3]],
  ['b={user.c}', { c: 1 }, []],
  ['s={user.c}', { c: 'a' }, [1]],
  ['s={user.c}', { c: '7' }, [3]],
  // A number is no text.
  ['s={user.c}', { c: 7 }, []],
  ['s={user.c}', { c: "a' OR '1'='1" }, []],
  ['s={user.c}', { c: 'a,b' }, []],
  ['s={user.c}', { c: '\0' }, []],
  ['s={user.c}', { c: '{user.c}' }, []],
  ['e={user.c}', { c: 'low' }, [1, 3]],
  ['e={user.c}', { c: 'no such' }, []],
  ['t={user.c}', { c: '2026-03-02' }, [2]],
  ['t_gt={user.c}', { c: '2026-03-02T01:00:00+01:00' }, [3]],
  ['j.k={user.c}', { c: 1 }, [1, 2]],
  ['j.k={user.c}', { c: true }, [3]],
  ['u={user.c}', { c: uuid.toUpperCase() }, []],
  ['id={user.c}', { c: '2' }, [2]],
  ['n_lt={user.c}', { c: 7 }, [1, 2]],
  ['s_like={user.c}', { c: '%' }, []],
  ['s_ilike={user.c}', { c: 'A' }, [1]],
  ['s_like={user.c}', { c: 'a'.repeat(2_000) }, []],
  // An empty text says who its owner is only where it is compared for equality.
  ['o={user.c}', { c: '' }, [1]],
  ['o={user.c}', { c: ['', 'xyz'] }, [1, 2]],
  ['o_in={user.c}', { c: '' }, [1]],
  ['o_in={user.c},q', { c: ['xyz', ''] }, [1, 2]],
  ['o_neq={user.c}', { c: '' }, []],
  ['o_nin={user.c}', { c: '' }, []],
  ['o_nin={user.c}', { c: ['', 'xyz'] }, [1, 3, 4]],
  ...textOperators.flatMap((operator): Row[] => [
    [`o_${operator}={user.c}`, { c: '' }, []],
    [`o_${operator}={user.c}`, { c: [''] }, []],
  ]),
  ['o_like={user.c}', { c: ['', 'xyz'] }, [2]],
  ['o_gte={user.c}', { c: ['', 'xyz'] }, [2]],
  ['w_contains={user.c}', { c: '' }, []],
  ['w_containsAny={user.c}', { c: ['', 'p'] }, [1]],
  ['j.k={user.c}', { c: '' }, []],
  ['j.k_gte={user.c}', { c: '' }, []],
  // A list means any of it; what does not fit is dropped, and an empty list matches nothing.
  ['n={user.c}', { c: [1, '7', 'x', null, [2], { a: 2 }] }, [1, 3]],
  ['n={user.c}', { c: [] }, []],
  ['n={user.c}', { c: ['x'] }, []],
  ['n_in={user.c}', { c: [1, 2] }, [1, 2]],
  ['n_in={user.c}', { c: 2 }, [2]],
  ['n_in=7,{user.c}', { c: [1] }, [1, 3]],
  ['n_in=7,{user.c}', { c: [] }, []],
  ['n_in=7,{user.c}', {}, []],
  ['n_in={user.c},{user.o}', { c: [1], o: 2 }, [1, 2]],
  ['s_in="{user.c}",b', { c: 'a' }, [1, 2]],
  ['s={user.c}', { c: ['a', 'b,c', '"'] }, [1]],
  ['n_gt={user.c}', { c: [7, 1] }, [2, 3]],
  ['n_lte={user.c}', { c: [1, 2] }, [1, 2]],
  ['d_gt={user.c}', { c: ['9', '1.75'] }, [2, 3]],
  ['t_lt={user.c}', { c: ['2026-03-02', '2026-03-03'] }, [1, 2]],
  ['s_gte={user.c}', { c: ['b', 'c'] }, [2]],
  ['s_like={user.c}', { c: ['x', 'a'] }, [1]],
  ['s_ilike={user.c}', { c: ['A', 'B'] }, [1, 2]],
  ['s_startsWith={user.c}', { c: ['x', 'a'] }, [1]],
  ['s_endsWith={user.c}', { c: ['x', 'a'] }, [1]],
  ['s_ieq={user.c}', { c: ['A', 'B'] }, [1, 2]],
  // Of a list a negated text operator keeps what contains none.
  ['s_nlike={user.c}', { c: 'a' }, [2, 3, 4]],
  ['s_nlike={user.c}', { c: ['a', 'b'] }, [3, 4]],
  ['s_nilike={user.c}', { c: ['A', 'B'] }, [3, 4]],
  ['s_nlike={user.c}', {}, []],
  ['j.k_nlike={user.c}', { c: ['1', '2'] }, [1, 3, 4]],
  ['w_contains={user.c}', { c: 'p' }, [1]],
  ['w_contains={user.c}', { c: ['p', 'q'] }, [1, 2]],
  ['w_containsAny={user.c}', { c: ['p'] }, [1]],
  ['w_containsAll={user.c}', { c: ['p', 'q'] }, [1]],
  ['w_containsAll={user.c}', { c: [] }, []],
  ['w_containsAll={user.c}', {}, []],
  ['j.k={user.c}', { c: [1, true] }, [1, 2, 3]],
  ['j.k_gt={user.c}', { c: [0, '0'] }, [1, 2]],
  ['j.k_like={user.c}', { c: ['1', '2'] }, [2]],
  // What negates does not open the rows to who lacks the claim.
  ['n_neq={user.c}', { c: 7 }, [1, 2, 4]],
  ['n_neq={user.c}', { c: 'x' }, []],
  ['n_neq={user.c}', {}, []],
  ['n_neq={user.c}', { c: [1, 7] }, [2, 4]],
  ['n_neq={user.c}', { c: [] }, []],
  ['n_nin={user.c}', { c: [1] }, [2, 3, 4]],
  ['n_nin={user.c}', { c: ['x'] }, []],
  ['n_nin=1,{user.c}', {}, []],
  // A claim that is missing closes the whole rule.
  ['_or=b:true,n:{user.c}', { c: 2 }, [1, 2, 3]],
  ['_or=b:true,n:{user.c}', {}, []],
  ['b=true&n_neq={user.c}', { c: 1 }, [3]],
  ['_not=b:true,n:{user.c}', { c: 2 }, [4]],
  ['_not=b:true,n:{user.c}', { c: [2, 3] }, [4]],
  ['_not=n:{user.c}', { c: 2 }, [1, 3, 4]],
  ['_not=n:{user.c}', {}, []],
  ['_not=n:{user.c}', { c: 'x' }, []],
  ['_or=b:false,and(b:true,not(n:{user.c}))', { c: 1 }, [2, 3]],
  ['_or=b:false,and(b:true,not(n:{user.c}))', {}, []],
  // Paths of names, and names with dots.
  ['n={user.a.b}', { a: { b: 7 } }, [3]],
  ['n={user.a.b}', { 'a.b': 2, a: { b: 7 } }, [2]],
  ['n={user.a.b}', { a: [7] }, []],
  ['n={user.https://x.test/n}', { 'https://x.test/n': 2 }, [2]],
  ['s={user.constructor.name}', {}, []],
  ['s={user.__proto__}', {}, []],
  ['n={user.length}', {}, []],
];

const rules = [...new Set(rows.map(([where]) => where))];
const specification = `${withTokens}
resources:
${rules
  .map(
    (where, index) => `  r${index}:
    access: { read: [{ role: reader, where: ${JSON.stringify(where)} }, admin], write: admin }
    fields:
      n: { type: integer }
      d: { type: decimal }
      x: { type: number }
      b: { type: boolean }
      s: { type: string }
      u: { type: uuid }
      o: { type: string }
      e: { type: enum, values: [low, high] }
      w: { type: array, items: { type: string } }
      t: { type: datetime }
      j: { type: json }`,
  )
  .join('\n')}
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
  const admin = caller({ roles: ['admin'] });
  for (const index of rules.keys()) {
    const { status, text } = await both.send('POST', `/v1/r${index}`, records, admin);
    expect(status, text).toBe(201);
  }
});
afterAll(() => both?.stop());

test('a number is no id that is a text', async () => {
  const people = await serveBoth(`${withTokens}
resources:
  people:
    access: { read: [{ where: "id={user.c}" }, { where: "boss.id_in={user.c}" }, admin], write: admin }
    fields:
      id: { type: id, format: string }
      bossId: { type: string, reference: people.id }
      boss: { type: relation, relation: belongsTo, resource: people }`);
  const admin = caller({ roles: ['admin'] });
  await people.send('POST', '/v1/people', [{ id: '7' }, { id: 'a', bossId: '7' }], admin);
  for (const [c, ids] of [
    ['7', ['7', 'a']],
    [7, []],
    [[7, 'a'], ['a']],
  ] as const) {
    const { body } = await people.get('/v1/people', caller({ c }));
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  }
  await people.stop();
});

test('behind a morphTo a claim matches only what is on targets whose field it fits', async () => {
  const desk = await serveBoth(`${withTokens}
resources:
  users:
    access: admin
    fields: { owner: { type: integer } }
  teams:
    access: admin
    fields: { owner: { type: uuid } }
  notes:
    access: { read: [{ role: other, where: "on.owner_neq={user.c}" }, { role: own, where: "on.owner={user.c}" }], write: admin }
    fields:
      onType: { type: string }
      onId: { type: integer }
      on: { type: relation, relation: morphTo, resources: [users, teams], typeField: onType, idField: onId }`);
  const admin = caller({ roles: ['admin'] });
  const more = uuid.replace('5', '6');
  for (const [path, sent] of [
    ['users', [{ owner: 7 }, { owner: 8 }]],
    ['teams', [{ owner: uuid }, { owner: more }]],
    ['notes', ['users', 'teams'].flatMap((onType) => [1, 2].map((onId) => ({ onType, onId })))],
  ] as const)
    expect((await desk.send('POST', `/v1/${path}`, sent, admin)).status).toBe(201);
  for (const [role, c, ids] of [
    ['other', 7, [2]],
    ['other', [7], [2]],
    ['other', uuid, [4]],
    ['other', [7, uuid], [2, 4]],
    ['other', 'x', []],
    ['own', 7, [1]],
    ['own', more, [4]],
    ['own', [8, uuid], [2, 3]],
  ] as const) {
    const { body } = await desk.get('/v1/notes', caller({ c, roles: [role] }));
    expect([role, c, (body as { id: number }[]).map(({ id }) => id)]).toEqual([role, c, ids]);
  }
  await desk.stop();
});

describe('a claim is a value of the type of the field', () => {
  test.each(rows)('%s with %j: %j', async (where, claims, ids) => {
    const headers = caller({ ...claims, roles: ['reader'] });
    const path = `/v1/r${rules.indexOf(where)}`;
    const { status, body, text } = await both.get(path, headers);
    expect(status, text).toBe(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
    const { headers: counted } = await both.get(`${path}?limit=1`, headers);
    expect(counted.get('x-total-count')).toBe(String(ids.length));
    expect(both.failures).toEqual([]);
  });
});

test('callers whose claims fit alike are planned for together', () => {
  const api = validModel(specification);
  const shape = (claims: Readonly<Record<string, unknown>>, role = 'reader'): string =>
    claimsKey(api, {
      authenticated: true,
      roles: new Set([role]),
      claims: claims as Claims,
    });
  expect(shape({ c: 7 })).toBe(shape({ c: 8, sub: 'x' }));
  // A list of nothing closes what a claim that is missing does.
  expect(shape({ c: [] })).toBe(shape({}));
  expect(new Set([{}, { c: 7 }, { c: 'x' }, { c: [7] }].map((one) => shape(one))).size).toBe(4);
  // To whom no rule with a claim speaks, claims say nothing.
  expect(shape({ c: [7] }, 'admin')).toBe('');
  // However many rules are closed, it stands in the shape of every request.
  expect(shape({}).length).toBeLessThanOrEqual(64);
});

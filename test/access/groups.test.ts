import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const shop = `
${withTokens}
access: { read: public, write: admin }
resources:
  customers:
    access: { read: [{ role: reader, where: "owner={user.sub}" }, { role: admin }] }
    fields:
      name: { type: string }
      owner: { type: string }
      joinedAt: { type: datetime }
      bornOn: { type: date }
      score: { type: integer, access: { read: admin } }
      terms:
        type: object
        properties: { rate: { type: decimal, precision: 12, scale: 2 }, endsAt: { type: datetime } }
      orders: { type: relation, relation: hasMany, resource: orders }
      lastBig: { type: datetime, computed: { max: orders.at, where: "total_gte=5" } }
  orders:
    fields:
      total: { type: integer }
      at: { type: datetime }
      customerId: { type: integer, reference: customers.id }
      customer: { type: relation, relation: belongsTo, resource: customers }
`;

let api: Both;
const admin = caller({ roles: ['admin'] });
const reader = caller({ sub: 'u', roles: ['reader'] });
beforeAll(async () => {
  api = await serveBoth(shop);
  const make = async (path: string, body: unknown): Promise<void> => {
    expect((await api.send('POST', path, body, admin)).status).toBe(201);
  };
  const terms = { rate: '1.25', endsAt: '2026-11-30T22:00:00Z' };
  await make('/v1/customers', [
    {
      name: 'a',
      owner: 'u',
      joinedAt: '2026-05-01T09:30:00Z',
      bornOn: '2000-02-29',
      score: 1,
      terms,
    },
    {
      name: 'b',
      owner: 'w',
      joinedAt: '2025-05-01T09:30:00Z',
      bornOn: '2001-12-31',
      score: 2,
      terms,
    },
  ]);
  await make('/v1/orders', [
    { total: 3, at: '2026-01-01T00:00:00Z', customerId: 1 },
    { total: 5, at: '2026-08-01T00:00:00Z', customerId: 1 },
    { total: 9, at: '2026-10-01T00:00:00Z', customerId: 2 },
  ]);
});
afterAll(() => api.stop());

const byKey = (body: unknown): unknown =>
  (body as { group: object; count: number }[]).map(({ group, count }) => [
    ...Object.values(group),
    count,
  ]);

describe('a related record that is hidden is null', () => {
  test.each([
    ['customer.name', 'a'],
    ['customer.joinedAt:year', '2026'],
    ['customer.joinedAt:quarter', '2026-Q2'],
    ['customer.joinedAt:month', '2026-05'],
    ['customer.joinedAt:week', '2026-W18'],
    ['customer.joinedAt:day', '2026-05-01'],
    ['customer.joinedAt:hour', '2026-05-01T09'],
    ['customer.joinedAt:weekday', 5],
    ['customer.bornOn:quarter', '2000-Q1'],
    ['customer.terms.endsAt:quarter', '2026-Q4'],
    ['customer.terms.endsAt:hour', '2026-11-30T22'],
    ['customer.lastBig:quarter', '2026-Q3'],
    ['customer.lastBig:hour', '2026-08-01T00'],
  ])('as the key %s', async (key, value) => {
    const { status, body, text } = await api.get(`/v1/orders?group=${key}`, reader);
    expect(status, text).toBe(200);
    expect(byKey(body)).toEqual([
      [null, 1],
      [value, 2],
    ]);
  });

  test.each([
    ['sum:customer.terms.rate', { sum: { 'customer.terms.rate': '2.50' } }],
    ['avg:customer.terms.rate', { avg: { 'customer.terms.rate': '1.25000000' } }],
    ['min:customer.joinedAt', { min: { 'customer.joinedAt': '2026-05-01T09:30:00.000Z' } }],
    ['countDistinct:customer.id', { countDistinct: { 'customer.id': 1 } }],
  ])('in %s', async (aggregate, values) => {
    const { status, body, text } = await api.get(`/v1/orders?aggregate=${aggregate}`, reader);
    expect(status, text).toBe(200);
    expect(body).toEqual([{ group: {}, ...values }]);
  });

  test('in several parts at once, with conditions on them', async () => {
    const query =
      'group=lastBig:quarter,lastBig:hour&aggregate=count&having=max.lastBig_gt:2026-01-01&sort=-lastBig:quarter';
    const { body } = await api.get(`/v1/customers?${query}`, reader);
    expect(byKey(body)).toEqual([['2026-Q3', '2026-08-01T00', 1]]);
  });
});

test.each([
  ['group', 'group=customer.score', 400],
  ['aggregate', 'aggregate=sum:customer.score', 400],
  ['having', 'group=total&having=max.customer.score_gt:1', 400],
  ['sort', 'group=total&sort=max.customer.score', 400],
])('a field that is hidden is unknown in %s', async (_, query, status) => {
  const answer = await api.get(`/v1/orders?${query}`, reader);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain('there is no field customer.score');
  expect((await api.get(`/v1/orders?${query}`, admin)).status).toBe(200);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { readCode } from '../../src/extensions/load.ts';
import { build, buildValid } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `${withTokens}
access: public
resources:
  customers:
    access: { read: [{ role: public, where: 'isHidden=false' }, { role: admin }], write: public }
    fields:
      name: { type: string, required: true }
      isHidden: { type: boolean, default: false }
  orders:
    fields:
      number: { type: string, required: true }
      city: { type: string, nullable: true }
      margin: { type: integer, default: 3, access: { read: admin } }
      customerId: { type: integer, reference: customers.id }
      customer: { type: relation, relation: belongsTo, resource: customers }
      label: { type: string, computed: true }
      rank: { type: integer, computed: true }
      secret: { type: integer, computed: true }
      shown: { type: string, computed: true, access: { read: public } }
      when: { type: datetime, computed: true }
      odd: { type: integer, computed: true }
      parts: { type: array, items: { type: string }, computed: true }
`;

/** How many records each call of `values` got. */
const pages: number[] = [];

const code: Code = {
  resources: {
    orders: {
      computed: {
        label: {
          needs: ['number', 'city', 'customer.name'],
          value: (order) => {
            if (order['number'] === 'broken') throw new Error('no label');
            return `${order['number']} ${order['city'] ?? '-'} ${order['customer']?.name ?? 'nobody'}`;
          },
        },
        rank: {
          needs: ['number'],
          values: async (orders) => {
            pages.push(orders.length);
            return orders.map((order) => String(order['number']).length);
          },
        },
        secret: { needs: ['margin'], value: (order) => order['margin'] as unknown },
        shown: {
          needs: ['margin', 'customer.name'],
          value: (order) => `${order['margin']} ${order['customer']?.name}`,
        },
        when: { needs: [], value: () => new Date(0) },
        odd: { needs: ['number'], value: ({ number }) => (number === 'A' ? 'no number' : 7) },
        parts: {
          needs: ['number', 'city'],
          value: (order) => [order['number'], order['city'] ?? '-'] as unknown,
        },
      },
    },
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, code, {
    customers: [{ name: 'Ann' }, { name: 'Bob' }],
    orders: [
      { number: 'A', city: 'Bern', customerId: 1 },
      { number: 'BB', customerId: 2 },
      { number: 'broken' },
    ],
  });
  expect((await own.send('PATCH', '/v1/customers/2', { isHidden: true })).status).toBeLessThan(300);
});
afterAll(() => own.stop());

const first = {
  id: 1,
  number: 'A',
  city: 'Bern',
  customerId: 1,
  label: 'A Bern Ann',
  rank: 1,
  shown: '3 Ann',
  when: '1970-01-01T00:00:00.000Z',
  odd: null,
  parts: ['A', 'Bern'],
};

describe('values of own code are shown', () => {
  test('in a list, a page at a time', async () => {
    pages.length = 0;
    const { body } = await own.get('/v1/orders');
    expect(body[0]).toEqual(first);
    expect(body.map(({ label }: { label: unknown }) => label)).toEqual([
      'A Bern Ann',
      // A row rule hides the customer.
      'BB - nobody',
      // What throws is null.
      null,
    ]);
    // The author has said who may see it, so that rule does not hold.
    expect(body[1].shown).toBe('3 Bob');
    expect(pages).toEqual([3, 3]);
  });

  test('in a single read, with a tag that a write takes', async () => {
    const { body, headers } = await own.get('/v1/orders/1');
    expect(body).toEqual(first);
    const etag = headers.get('etag') ?? '';
    expect((await own.get('/v1/orders/1', { 'if-none-match': etag })).status).toBe(304);
    const changed = await own.send(
      'PATCH',
      '/v1/orders/1',
      { city: 'Basel' },
      { 'if-match': etag },
    );
    expect([changed.status, changed.body.label]).toEqual([200, 'A Basel Ann']);
    const again = await own.send('PATCH', '/v1/orders/1', { city: 'Bern' }, { 'if-match': etag });
    expect(again.status).toBe(412);
    await own.send('PATCH', '/v1/orders/1', { city: 'Bern' });
  });

  test('in expansions', async () => {
    const api = await serveOwn(
      specification.replace(
        '      isHidden: { type: boolean, default: false }\n',
        '      isHidden: { type: boolean, default: false }\n      orders: { type: relation, relation: hasMany, resource: orders }\n',
      ),
      code,
      { customers: [{ name: 'Ann' }], orders: [{ number: 'A', customerId: 1 }] },
    );
    const { body } = await api.get('/v1/customers?expand=orders.customer');
    expect(body[0].orders[0]).toMatchObject({ label: 'A - Ann', rank: 1, customer: { id: 1 } });
    await api.stop();
  });

  test('in answers of writes and batches', async () => {
    const made = await own.send('POST', '/v1/orders', { number: 'CCC', city: 'Chur' });
    expect(made.body).toMatchObject({ label: 'CCC Chur nobody', rank: 3 });
    const put = await own.send('PUT', `/v1/orders/${String(made.body.id)}`, {
      ...made.body,
      number: 'DDDD',
    });
    expect(put.body).toMatchObject({ label: 'DDDD Chur nobody', rank: 4 });
    const { body } = await own.send('POST', '/v1/_batch', [
      { method: 'PATCH', path: `/orders/${String(made.body.id)}`, body: { city: null } },
      { method: 'DELETE', path: `/orders/${String(made.body.id)}` },
    ]);
    expect(body[0].body).toMatchObject({ label: 'DDDD - nobody' });
  });

  test('in CSV and NDJSON', async () => {
    const csv = await own.get('/v1/orders?id_lte=3&fields=number,label,rank', {
      accept: 'text/csv',
    });
    expect(csv.text).toBe(
      'id,number,label,rank\r\n1,A,A Bern Ann,1\r\n2,BB,BB - nobody,2\r\n3,broken,,6\r\n',
    );
    const lines = await own.get('/v1/orders?fields=label', { accept: 'application/x-ndjson' });
    expect(lines.text.split('\n')[0]).toBe('{"id":1,"label":"A Bern Ann"}');
  });

  test('only if asked for', async () => {
    pages.length = 0;
    expect((await own.get('/v1/orders/1?fields=number')).body).toEqual({ id: 1, number: 'A' });
    expect((await own.get('/v1/orders/1?fields=rank')).body).toEqual({ id: 1, rank: 1 });
    expect((await own.get('/v1/orders/1?exclude=r*,l*')).body).not.toHaveProperty('rank');
    expect(pages).toEqual([1, 1]);
  });

  test('to those who see what they are made of', async () => {
    expect((await own.get('/v1/orders/1')).body).not.toHaveProperty('secret');
    const admin = await own.get('/v1/orders/2', caller({ sub: 'a', roles: ['admin'] }));
    expect(admin.body).toMatchObject({ secret: 3, label: 'BB - Bob' });
  });
});

test.each([
  ['/v1/orders?label=A', 'label'],
  ['/v1/orders?rank_gt=1', 'rank_gt'],
  ['/v1/orders?sort=rank', 'sort'],
  ['/v1/orders?group=label', 'group'],
  ['/v1/orders?aggregate=sum:rank', 'aggregate'],
  ['/v1/orders?_or=rank:1,number:A', 'rank'],
])('nothing is asked by them: %s', async (path, field) => {
  const { status, body } = await own.get(path);
  expect(status).toBe(400);
  expect(body.validationErrors).toEqual([
    expect.objectContaining({
      field,
      error: expect.stringMatching(/is computed by own code after records are read/u) as string,
    }),
  ]);
});

test('a write does not set them', async () => {
  const refused = await own.send('POST', '/v1/orders', { number: 'E', label: 'x' });
  expect(refused.status).toBe(400);
  const passed = await own.send('PATCH', '/v1/orders/1', { label: 'x' });
  expect([passed.status, passed.body.label]).toEqual([200, 'A Bern Ann']);
});

describe('check', () => {
  const api = buildValid(`code: ./api.ts\n${specification}`);

  async function problemsOf(computed: object): Promise<readonly string[]> {
    const problems: string[] = [];
    const report = (path: readonly string[], message: string): void => {
      problems.push(`${path.slice(3).join('.')}: ${message}`);
    };
    const all = { ...code.resources?.['orders']?.computed, ...computed };
    await readCode({ resources: { orders: { computed: all } } }, api, 'api.ts', report, report);
    return problems;
  }

  const value = (): number => 1;

  test.each([
    [{ labl: { needs: [], value } }, /labl: there is no field labl; did you mean label\?/u],
    [{ city: { needs: [], value } }, /city: .*give it `computed: true` in the file/u],
    [{ label: undefined }, /label: must be an object/u],
    [{ label: { value } }, /label\.needs: must be a list/u],
    [{ label: { needs: [] } }, /label: takes one of `value` and `values`/u],
    [{ label: { needs: [], value, values: value } }, /label: takes one of/u],
    [{ label: { needs: [], value: 7 } }, /label\.value: must be a function/u],
    [
      { label: { needs: ['citi'], value } },
      /label\.needs: there is no field citi; did you mean city/u,
    ],
    [{ label: { needs: ['customer'], value } }, /customer is a relation; name a field of it/u],
    [{ label: { needs: ['rank'], value } }, /rank is computed itself/u],
    [{ label: { needs: ['customer.nam'], value } }, /customer\.nam: there is no field nam/u],
    [{ label: { needs: [], value, need: [] } }, /label\.need: there is no member need/u],
  ])('refuses %j', async (computed, message) => {
    expect((await problemsOf(computed)).join('\n')).toMatch(message);
  });

  test('wants a function for each field, and a module', async () => {
    const problems: string[] = [];
    const report = (path: readonly string[], message: string): void => {
      problems.push(`${path.join('.')}: ${message}`);
    };
    await readCode({}, api, 'api.ts', report, report);
    expect(problems).toHaveLength(7);
    expect(problems[0]).toMatch(
      /^resources\.orders\.fields\.label\.computed: no function computes/u,
    );
    expect(build(specification).problems.map(({ message }) => message)).toContain(
      'a function of own code computes it: add `code: ./api.ts` to the file',
    );
  });
});

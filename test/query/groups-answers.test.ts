import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { refusalOf } from '../support/tables.ts';
import { records, shop } from './shop.ts';

let api: Both;
beforeAll(async () => {
  api = await serveBoth(`${shop}\nlimits: { groups: 5 }\ndebug: true`, records);
});
afterAll(() => api.stop());

describe('answers', () => {
  test('as CSV', async () => {
    const { text, headers } = await api.get(
      '/v1/orders?group=status,placedAt:month&aggregate=count,sum:total&status=open',
      { accept: 'text/csv' },
    );
    expect(text).toBe('status,placedAt:month,count,sum.total\r\nopen,2026-03,2,19.91\r\n');
    expect(headers.get('x-total-count')).toBe('1');
  });

  test('as NDJSON, without a page that is longer than the records of a list', async () => {
    const headers = { accept: 'application/x-ndjson' };
    const { text } = await api.raw('/v1/orders?group=status&limit=5000', { headers });
    expect(text).toBe(
      '{"group":{"status":null},"count":1}\n{"group":{"status":"open"},"count":2}\n{"group":{"status":"paid"},"count":3}\n',
    );
  });

  test('HEAD has the headers of GET', async () => {
    const path = '/v1/orders?group=status&limit=2';
    const [head, get] = [await api.send('HEAD', path), await api.get(path)];
    expect(head.text).toBe('');
    for (const name of ['x-total-count', 'etag', 'link'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect((await api.get(path, { 'if-none-match': get.headers.get('etag') ?? '' })).status).toBe(
      304,
    );
  });

  test('without a total where Prefer says so', async () => {
    const { headers } = await api.get('/v1/orders?group=status&limit=2', { prefer: 'count=none' });
    expect(headers.get('x-total-count')).toBeNull();
    expect(headers.get('link')).toContain('rel="next"');
    expect(headers.get('preference-applied')).toBe('count=none');
  });

  test('limit=0 gives the number of groups alone', async () => {
    const { status, body, headers } = await api.get('/v1/orders?group=status&limit=0');
    expect([status, body, headers.get('x-total-count')]).toEqual([200, [], '3']);
    expect((await api.get('/v1/orders?group=id&limit=0')).status).toBe(400);
  });

  test('more groups than limits.groups are refused, whatever having leaves', async () => {
    for (const query of [
      'group=id',
      'group=id&having=id:1',
      'group=id&limit=1',
      'group=id&page=9',
    ]) {
      const answer = await api.get(`/v1/orders?${query}`);
      expect([answer.status, (answer.body as { message: string }).message]).toEqual([
        400,
        'The records have more than 5 groups (limits.groups): filter them, or group by fewer keys',
      ]);
    }
    expect((await api.get('/v1/orders?group=id&id_neq=1')).status).toBe(200);
  });

  test('OpenAPI says that a sum may be a string', async () => {
    const { body } = await api.get('/v1/_openapi.json');
    const text = JSON.stringify(body);
    expect(text).toContain('A decimal, and an integer beyond 2^53, is a string.');
    expect(text).toContain('{"type":["string","number","null"]}');
  });

  test('a sum beyond all doubles is refused, not an error of the server', async () => {
    const made = await api.send('POST', '/v1/orders', [
      { note: 'large', weight: 1.7e308 },
      { note: 'large', weight: 1.7e308 },
    ]);
    expect(made.status).toBe(201);
    for (const one of ['sum', 'avg'])
      expect(
        refusalOf(await api.get(`/v1/orders?aggregate=${one}:weight&note=large`)),
      ).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });

  test('_debug shows one statement, and the index that a filter lacks', async () => {
    const [sqlite] = api.sides;
    if (sqlite === undefined) throw new TypeError('SQLite is served first');
    const answer = await sqlite.get('/v1/orders?group=status&note=a&_debug=plan');
    const { data, _debug } = answer.body as {
      data: unknown;
      _debug: { database: { queries: { sql: string; index?: string }[] } };
    };
    expect(data).toEqual([
      { group: { status: 'open' }, count: 1 },
      { group: { status: 'paid' }, count: 1 },
    ]);
    expect(_debug.database.queries).toHaveLength(1);
    expect(_debug.database.queries[0]?.index).toBe('orders.note: index: true');
  });
});

const private_ = `
${withTokens}
access: { read: public, write: none }
resources:
  teams:
    access: { read: [{ role: public, where: "isOpen=true" }, { role: admin }] }
    fields:
      name: { type: string }
      isOpen: { type: boolean }
  payments:
    access: { read: [{ role: public, where: "isShown=true" }, { role: admin }] }
    fields:
      amount: { type: decimal }
      isShown: { type: boolean }
      margin: { type: decimal, access: { read: admin } }
      team: { type: relation, relation: belongsTo, resource: teams }
`;

test('groups records of tables with names of one letter', async () => {
  const named = await serveBoth(
    `
resources:
  a:
    fields:
      g: { type: relation, relation: belongsTo, resource: g }
  g:
    fields:
      t: { type: string }
      as: { type: relation, relation: hasMany, resource: a, foreignKey: gId }
`,
    { g: [{ t: 'x' }, { t: 'y' }], a: [{ gId: 1 }, { gId: 1 }, { gId: 2 }] },
  );
  try {
    const { body, text } = await named.get('/v1/a?group=g.t&having=count_gt:1&sort=-count');
    expect(body, text).toEqual([{ group: { 'g.t': 'x' }, count: 2 }]);
    const { body: others } = await named.get('/v1/g?group=t&as_exists=true&limit=1');
    expect(others).toEqual([{ group: { t: 'x' }, count: 1 }]);
  } finally {
    await named.stop();
  }
});

describe('under access rules', () => {
  let ruled: Both;
  beforeAll(async () => {
    ruled = await serveBoth(private_);
    const insert = async (sql: string): Promise<void> => {
      await ruled.postgres.write((transaction) =>
        transaction.run({ sql, parameters: [] }, { bound: [] }),
      );
      await ruled.sqlite.write((transaction) =>
        transaction.run({ sql, parameters: [] }, { bound: [] }),
      );
    };
    await insert(`INSERT INTO teams (name, "isOpen") VALUES ('a', true), ('b', false)`);
    for (const [amount, isShown, margin, team] of [
      [100, true, 10, 1],
      [250, true, 20, 2],
      [999, false, 30, 1],
    ])
      for (const side of [ruled.sqlite, ruled.postgres]) {
        const scale = side === ruled.sqlite ? 1 : 100;
        await side.write((transaction) =>
          transaction.run(
            {
              sql: `INSERT INTO payments (amount, "isShown", margin, "teamId") VALUES (${Number(amount) / scale}, ${isShown}, ${Number(margin) / scale}, ${team})`,
              parameters: [],
            },
            { bound: [] },
          ),
        );
      }
  });
  afterAll(() => ruled.stop());
  const admin = caller({ roles: ['admin'] });

  test.each([
    [
      'rows that the caller may not see are in no group',
      'aggregate=count,sum:amount',
      [{ group: {}, count: 2, sum: { amount: '3.50' } }],
      [{ group: {}, count: 3, sum: { amount: '13.49' } }],
    ],
    [
      'a hidden related record counts as null',
      'group=team.name&aggregate=count',
      [
        { group: { 'team.name': null }, count: 1 },
        { group: { 'team.name': 'a' }, count: 1 },
      ],
      [
        { group: { 'team.name': 'a' }, count: 2 },
        { group: { 'team.name': 'b' }, count: 1 },
      ],
    ],
    [
      'and is left out of functions',
      'aggregate=countDistinct:team.name,max:team.name',
      [{ group: {}, countDistinct: { 'team.name': 1 }, max: { 'team.name': 'a' } }],
      [{ group: {}, countDistinct: { 'team.name': 2 }, max: { 'team.name': 'b' } }],
    ],
  ])('%s', async (_, query, shown, whole) => {
    expect((await ruled.get(`/v1/payments?${query}`)).body).toEqual(shown);
    expect((await ruled.get(`/v1/payments?${query}`, admin)).body).toEqual(whole);
  });

  test.each([
    'group=margin',
    'aggregate=sum:margin',
    'aggregate=count&having=sum.margin_gt:1',
    'aggregate=count&sort=sum.margin',
  ])('a field that the caller may not read does not exist: %s', async (query) => {
    const hidden = await ruled.get(`/v1/payments?${query}`);
    expect(hidden.status).toBe(400);
    const unknown = await ruled.get(`/v1/payments?${query.replace('margin', 'mergin')}`);
    const textOf = ({ text }: { text: string }): string =>
      text.replaceAll('margin', 'mergin').replace(/"requestId":"[^"]*"/u, '');
    expect(textOf(hidden)).toBe(textOf(unknown));
    expect((await ruled.get(`/v1/payments?${query}`, admin)).status).toBe(200);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

let both: Both;

beforeAll(async () => {
  both = await serveBoth(
    'resources: { things: { fields: { n: { type: integer, required: true, index: true } } } }',
  );
  const records = Array.from({ length: 1000 }, (_, index) => ({ n: index % 50 }));
  for (let batch = 0; batch < 12; batch += 1)
    await both.ask({ method: 'POST', path: '/things', body: records });
  await both.postgres.all({ sql: 'ANALYZE things', parameters: [] }, { bound: [] });
}, 60_000);

afterAll(async () => {
  await both?.stop();
});

const ask = (path: string): ReturnType<Both['ask']> =>
  both.ask({ path, headers: { prefer: 'count=estimated' } });

test('a large total may be the guess of the planner, and is said to be', async () => {
  const { sqlite, postgres } = await ask('/things?limit=100&page=3');
  expect(sqlite.headers).not.toHaveProperty('preference-applied');
  expect(sqlite.headers['x-total-count']).toBe('12000');
  expect(postgres.headers['preference-applied']).toBe('count=estimated');
  const total = Number(postgres.headers['x-total-count']);
  expect(total).toBeGreaterThanOrEqual(10_000);
  expect(postgres.headers['x-total-pages']).toBe(String(Math.ceil(total / 100)));
  expect(postgres.headers['link']).toContain('page=4>; rel="next"');
  expect(postgres.body).toBe(sqlite.body);
  expect(both.failures).toEqual([]);
});

test.each(['/things?n=3', '/things?n=999', '/things?limit=5&offset=11998'])(
  '%s is counted, as where nothing was said',
  async (path) => {
    const { sqlite, postgres } = await ask(path);
    expect(sqlite).toEqual((await both.ask({ path })).sqlite);
    expect(postgres).toEqual(sqlite);
  },
);

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';

let both: Both;

beforeAll(async () => {
  both = await serveBoth(
    'resources: { things: { fields: { n: { type: integer, required: true, index: true } } } }',
  );
  const records = Array.from({ length: 1000 }, (_, index) => ({ n: index % 50 }));
  for (let batch = 0; batch < 12; batch += 1) await both.send('POST', '/things', records);
  await both.postgres.all({ sql: 'ANALYZE things', parameters: [] }, { bound: [] });
});

afterAll(async () => {
  await both?.stop();
});

const estimated = { prefer: 'count=estimated' };

test('a large total may be the guess of the planner, and is said to be', async () => {
  const [sqlite, postgres] = await Promise.all(
    both.sides.map((side) => side.get('/things?limit=100&page=3', estimated)),
  );
  const told = (answer: Answer | undefined, name: string): unknown => answer?.headers.get(name);
  expect(told(sqlite, 'preference-applied')).toBeNull();
  expect(told(sqlite, 'x-total-count')).toBe('12000');
  expect(told(postgres, 'preference-applied')).toBe('count=estimated');
  const total = Number(told(postgres, 'x-total-count'));
  expect(total).toBeGreaterThanOrEqual(10_000);
  expect(told(postgres, 'x-total-pages')).toBe(String(Math.ceil(total / 100)));
  expect(told(postgres, 'link')).toContain('page=4>; rel="next"');
  expect(postgres?.text).toBe(sqlite?.text);
  expect(both.failures).toEqual([]);
});

test.each(['/things?n=3', '/things?n=999', '/things?limit=5&offset=11998'])(
  '%s is counted, as where nothing was said',
  async (path) => {
    const [plain, asked] = [await both.get(path), await both.get(path, estimated)];
    const shown = ({ status, headers, text }: Answer): unknown => [
      status,
      text,
      ['x-total-count', 'link', 'preference-applied'].map((name) => headers.get(name)),
    ];
    expect(shown(asked)).toEqual(shown(plain));
  },
);

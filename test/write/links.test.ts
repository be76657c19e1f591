import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

const path = '/v1/items';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth('resources: { items: { fields: { n: { type: integer } } } }');
  await api.send(
    'POST',
    path,
    Array.from({ length: 30 }, (_, n) => ({ n })),
  );
});
afterAll(() => api.stop());

describe('what links and cursors keep of each other', () => {
  test('a list by pages has links by pages', async () => {
    const { headers } = await api.get(`${path}?limit=10&sort=-n`);
    expect(headers.get('link')).toBe(
      ['first', 'next', 'last']
        .map((rel, index) => `<${path}?limit=10&sort=-n&page=${[1, 2, 3][index]}>; rel="${rel}"`)
        .join(', '),
    );
    expect(headers.get('x-next-cursor')).toMatch(/^[\w-]+$/u);
  });

  test('count=none drops neither next nor the cursor', async () => {
    const { headers } = await api.get(`${path}?limit=10`, { prefer: 'count=none' });
    expect(headers.get('preference-applied')).toBe('count=none');
    expect(headers.get('link')).toContain('rel="next"');
    expect(headers.get('link')).not.toContain('rel="last"');
    expect(headers.get('x-next-cursor')).toMatch(/^[\w-]+$/u);
  });

  test('count=none at the end knows that nothing follows', async () => {
    const { headers } = await api.get(`${path}?limit=10&page=3`, { prefer: 'count=none' });
    expect([headers.get('x-next-cursor'), headers.get('link')]).toEqual([
      null,
      expect.not.stringContaining('rel="next"'),
    ]);
  });

  test('an address so long that four links would be more than clients take has the next one alone', async () => {
    const filter = `n_neq=${'1'.repeat(14)}&`.repeat(40);
    const few = await api.get(`${path}?${filter}limit=10&page=2`);
    expect(few.headers.get('link')?.match(/rel="\w+"/gu)).toHaveLength(4);
    const list = `n_nin=${'1,'.repeat(400)}1&`;
    const many = await api.get(`${path}?${filter}${list.repeat(4)}limit=10&page=2`);
    expect(many.status).toBe(200);
    expect(many.headers.get('link')?.match(/rel="\w+"/gu)).toEqual(['rel="next"']);
  });
});

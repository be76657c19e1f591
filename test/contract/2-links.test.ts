import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
limits: { maxLimit: 10 }
resources:
  items:
    fields:
      n: { type: integer }
      listId: { type: integer, reference: lists.id }
      list: { type: relation, relation: belongsTo, resource: lists }
  lists: { fields: { name: { type: string } } }
`;
const total = 30;
const path = '/v1/items';

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
  await both.send('POST', '/v1/lists', [{}, {}]);
  const item = (index: number): object => ({ n: index, listId: (index % 2) + 1 });
  await both.send(
    'POST',
    path,
    Array.from({ length: total }, (_, index) => item(index)),
  );
});
afterAll(() => both.stop());

describe('Prefer: count=estimated may tell a figure of the planner, and then says so', () => {
  const estimated = { prefer: 'count=estimated' };

  test.each([
    ['a first page', 'limit=10', total],
    ['a page in between', 'page=2&limit=10', total],
    ['an offset', 'offset=5&limit=10', total],
    ['a filter', 'n_gte=10&limit=10', total - 10],
    ['a filter through a relation', 'list.id=1&limit=5', total / 2],
    ['sorted', 'sort=-n&limit=3', total],
  ])('%s: %s', async (_, query, exact) => {
    for (const side of both.sides) {
      const plain = await side.get(`${path}?${query}`);
      const { status, headers, text } = await side.get(`${path}?${query}`, estimated);
      expect(status).toBe(200);
      expect(text).toBe(plain.text);
      expect(plain.headers.get('x-total-count')).toBe(String(exact));
      const applied = headers.get('preference-applied');
      const count = Number(headers.get('x-total-count'));
      expect(Number.isSafeInteger(count)).toBe(true);
      if (applied === null) expect(count).toBe(exact);
      else expect(applied).toBe('count=estimated');
      const pages = Math.ceil(count / Number(headers.get('x-limit')));
      expect(headers.get('x-total-pages')).toBe(String(pages));
      // What is there is no estimate: there is a next page, whatever the figure is.
      expect(headers.get('link')).toContain('rel="next"');
      expect(headers.get('x-next-cursor')).toBe(plain.headers.get('x-next-cursor'));
    }
  });

  test.each([
    ['a page that is not full', 'n_gte=25', 5],
    ['a last page', 'page=4&limit=8', total],
    ['nothing', 'n=-1', 0],
  ])('is not needed where the page tells: %s', async (_, query, exact) => {
    for (const side of both.sides) {
      const { headers } = await side.get(`${path}?${query}`, estimated);
      expect(headers.get('x-total-count')).toBe(String(exact));
    }
  });
});

describe('what links and cursors keep of each other', () => {
  test('a list by pages has links by pages', async () => {
    const { headers } = await both.get(`${path}?limit=10&sort=-n`);
    expect(headers.get('link')).toBe(
      ['first', 'next', 'last']
        .map((rel, index) => `<${path}?limit=10&sort=-n&page=${[1, 2, 3][index]}>; rel="${rel}"`)
        .join(', '),
    );
    expect(headers.get('x-next-cursor')).toMatch(/^[\w-]+$/u);
  });

  test('count=none drops neither next nor the cursor', async () => {
    const { headers } = await both.get(`${path}?limit=10`, { prefer: 'count=none' });
    expect(headers.get('preference-applied')).toBe('count=none');
    expect(headers.get('link')).toContain('rel="next"');
    expect(headers.get('link')).not.toContain('rel="last"');
    expect(headers.get('x-next-cursor')).toMatch(/^[\w-]+$/u);
  });

  test('count=none at the end knows that nothing follows', async () => {
    const { headers } = await both.get(`${path}?limit=10&page=3`, { prefer: 'count=none' });
    expect([headers.get('x-next-cursor'), headers.get('link')]).toEqual([
      null,
      expect.not.stringContaining('rel="next"'),
    ]);
  });
});

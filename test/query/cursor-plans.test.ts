import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import type { DebugBody } from '../observability/debug.ts';

// Of the sizes every eleventh is null: 92 of 1,010.
const both = await serveBoth(
  `
resources:
  parts:
    fields:
      size: { type: integer, index: true }
      maker: { type: string }
      weight: { type: integer }
      note: { type: string }
    indexes: [[maker, weight]]
  drafts:
    fields:
      rank: { type: integer, index: true }
      note: { type: string }
`,
  {},
  undefined,
  { mode: 'dev' },
);
for (const from of [0, 505])
  await both.send(
    'POST',
    '/v1/parts',
    Array.from({ length: 505 }, (_, at) => at + from).map((index) => ({
      size: index % 11 === 0 ? null : (index * 7) % 100,
      maker: `m${index % 5}`,
      weight: index % 3 === 0 ? null : index % 50,
    })),
  );
afterAll(() => both.stop());

/** What each database is going to do for the page after so many records. */
async function plansAfter(offset: number, sort: string): Promise<readonly string[]> {
  const before = await both.get(`/v1/parts?sort=${sort}&offset=${offset - 1}&limit=1`);
  const page = `/v1/parts?limit=5&cursor=${before.headers.get('x-next-cursor')}`;
  const next = await both.get(`/v1/parts?sort=${sort}&offset=${offset}&limit=5`);
  expect((await both.get(page)).body.data).toEqual(next.body);
  return Promise.all(
    both.sides.map(async (side) => {
      const { _debug } = (await side.get(`${page}&_debug=plan`)).body as DebugBody;
      return _debug.database.queries.map(({ plan }) => plan?.join('\n')).join('\n');
    }),
  );
}

describe('a page after a cursor is a seek in the index of its order', () => {
  test.each([
    ['id', [10, 990]],
    ['-id', [10, 990]],
    ['size', [10, 92, 93, 990]],
    ['-size', [10, 918, 919, 990]],
    ['size&nulls=last', [10, 918, 919, 990]],
    ['-size&nulls=first', [10, 92, 93, 990]],
    ['maker,weight', [10, 68, 500, 990]],
    ['-maker,-weight', [10, 134, 500, 990]],
    ['maker,weight&nulls=last', [10, 134, 500, 990]],
  ])('%s', async (sort, offsets) => {
    for (const offset of offsets) {
      const [sqlite = '', postgres = ''] = await plansAfter(offset, sort);
      expect(sqlite, `after ${offset}`).toMatch(/SEARCH t /u);
      expect(sqlite, `after ${offset}`).not.toMatch(/SCAN t\b|TEMP B-TREE/u);
      expect(postgres, `after ${offset}`).toMatch(/Index Cond/u);
      // It may sort the few that it expects.
      expect(postgres, `after ${offset}`).not.toMatch(/Seq Scan/u);
    }
  });
});

describe('PostgreSQL, where the nulls are the last records', async () => {
  const { postgres, sides } = both;
  const [, served = both] = sides;
  const run = (sql: string): Promise<unknown> =>
    postgres.all({ sql, parameters: [] }, { bound: [] });
  await run(
    "INSERT INTO drafts (rank, note) SELECT CASE WHEN n <= 27000 THEN n % 1000 END, 'note ' || n FROM generate_series(1, 30000) AS n",
  );
  await run('VACUUM ANALYZE drafts');

  /** The plan of the last statement of a page. */
  async function lastPlan(sort: string, offset: number): Promise<string | undefined> {
    const before = await served.get(`/v1/drafts?sort=${sort}&offset=${offset}&limit=1`);
    const cursor = before.headers.get('x-next-cursor');
    const page = await served.get(`/v1/drafts?limit=5&cursor=${cursor}&_debug=plan`);
    const { data, _debug } = page.body as DebugBody & { readonly data: { rank: unknown }[] };
    expect(data.at(-1)?.rank).toBeNull();
    return _debug.database.queries.at(-1)?.plan?.join('\n');
  }

  test.each(['rank&nulls=last', '-rank'])('an index finds them: %s', async (sort) => {
    for (const offset of [26_999, 28_000]) {
      const plan = await lastPlan(sort, offset);
      expect(plan).toMatch(/Index Scan.* using drafts_rank_index/u);
      expect(plan).not.toMatch(/Sort|Filter/u);
    }
  });
});

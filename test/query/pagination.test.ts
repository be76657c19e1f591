import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

const total = 45;
const specification =
  'resources: { items: { fields: { n: { type: integer }, name: { type: string } } } }';
const records = Array.from({ length: total }, (_, index) => ({
  n: index + 1,
  name: `a b ${index}`,
}));

let api: TestApi;
let small: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
  await api.send('POST', '/v1/items', records);
  small = await serveBoth(
    `
api: { basePath: /api }
server: { publicUrl: https://example.org/root/ }
limits: { maxLimit: 10 }
${specification}`,
  );
  await small.send('POST', '/api/v1/items', records);
});
afterAll(async () => {
  await api.stop();
  await small.stop();
});

const path = '/v1/items';
const countNone = { prefer: 'count=none' };

/** `rel` → what it links to. */
function linksOf(header: string | null): Record<string, string> {
  if (header === null) return {};
  return Object.fromEntries(
    header.split(', ').map((link) => {
      const [, target = '', relation = ''] = /^<([^<>"\s]*)>; rel="([a-z]+)"$/u.exec(link) ?? [];
      return [relation, target];
    }),
  );
}

interface Page {
  /** X-Page, X-Limit, X-Total-Count, X-Total-Pages. */
  readonly numbers: readonly (string | null)[];
  readonly links: Record<string, string>;
  readonly ids: readonly number[];
}

async function pageOf(query: string, headers: Record<string, string> = {}): Promise<Page> {
  const answer = await api.get(`${path}?${query}`, headers);
  expect(answer.status, answer.text).toBe(200);
  const links = Object.entries(linksOf(answer.headers.get('link')));
  return {
    numbers: ['x-page', 'x-limit', 'x-total-count', 'x-total-pages'].map((name) =>
      answer.headers.get(name),
    ),
    // Only what a link changes: its own parameters without those of the request that stay.
    links: Object.fromEntries(
      links.map(([relation, link]) => [relation, link.replace(`${path}?`, '')]),
    ),
    ids: (answer.body as { id: number }[]).map(({ id }) => id),
  };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

type Row = readonly [
  name: string,
  query: string,
  numbers: readonly (string | null)[],
  links: Record<string, string>,
  ids: readonly number[],
];

function expectPages(rows: readonly Row[], headers: Record<string, string> = {}): void {
  test.each(
    rows.map(([name, query, numbers, links, ids]) => ({ name, query, numbers, links, ids })),
  )('$name: $query', async ({ query, numbers, links, ids }) => {
    expect(await pageOf(query, headers)).toEqual({ numbers, links, ids });
  });
}

describe('page mode', () => {
  expectPages([
    [
      'the default',
      '',
      ['1', '20', '45', '3'],
      { first: 'page=1', next: 'page=2', last: 'page=3' },
      range(1, 20),
    ],
    [
      'in the middle',
      'page=2',
      ['2', '20', '45', '3'],
      { first: 'page=1', prev: 'page=1', next: 'page=3', last: 'page=3' },
      range(21, 40),
    ],
    [
      'the last',
      'page=3',
      ['3', '20', '45', '3'],
      { first: 'page=1', prev: 'page=2', last: 'page=3' },
      range(41, 45),
    ],
    [
      'just past the end',
      'page=4',
      ['4', '20', '45', '3'],
      { first: 'page=1', prev: 'page=3', last: 'page=3' },
      [],
    ],
    [
      'far past the end',
      'page=9007199254740991',
      ['9007199254740991', '20', '45', '3'],
      { first: 'page=1', prev: 'page=3', last: 'page=3' },
      [],
    ],
    [
      'limit alone',
      'limit=40',
      ['1', '40', '45', '2'],
      { first: 'limit=40&page=1', next: 'limit=40&page=2', last: 'limit=40&page=2' },
      range(1, 40),
    ],
    [
      'a full last page',
      'limit=15&page=3',
      ['3', '15', '45', '3'],
      { first: 'limit=15&page=1', prev: 'limit=15&page=2', last: 'limit=15&page=3' },
      range(31, 45),
    ],
    [
      'all on one page',
      'limit=45',
      ['1', '45', '45', '1'],
      { first: 'limit=45&page=1', last: 'limit=45&page=1' },
      range(1, 45),
    ],
    [
      'the maximum',
      'limit=1000',
      ['1', '1000', '45', '1'],
      { first: 'limit=1000&page=1', last: 'limit=1000&page=1' },
      range(1, 45),
    ],
    [
      'the maximum, far past the end',
      'limit=1000&page=9007199254740991',
      ['9007199254740991', '1000', '45', '1'],
      { first: 'limit=1000&page=1', prev: 'limit=1000&page=1', last: 'limit=1000&page=1' },
      [],
    ],
    [
      'zeros before a number',
      'page=03',
      ['3', '20', '45', '3'],
      { first: 'page=1', prev: 'page=2', last: 'page=3' },
      range(41, 45),
    ],
    ['nothing found', 'n=99', ['1', '20', '0', '0'], {}, []],
    ['nothing found, page 7', 'n=99&page=7', ['7', '20', '0', '0'], {}, []],
  ]);
});

describe('offset mode', () => {
  expectPages([
    [
      'from the start',
      'offset=0',
      ['1', '20', '45', '3'],
      { first: 'offset=0', next: 'offset=20', last: 'offset=40' },
      range(1, 20),
    ],
    [
      'in the middle',
      'offset=20&limit=10',
      ['3', '10', '45', '5'],
      {
        first: 'offset=0&limit=10',
        prev: 'offset=10&limit=10',
        next: 'offset=30&limit=10',
        last: 'offset=40&limit=10',
      },
      range(21, 30),
    ],
    [
      'between two pages',
      'offset=25&limit=10',
      ['3', '10', '45', '5'],
      {
        first: 'offset=0&limit=10',
        prev: 'offset=15&limit=10',
        next: 'offset=35&limit=10',
        last: 'offset=40&limit=10',
      },
      range(26, 35),
    ],
    [
      'less than a page in',
      'offset=5&limit=10',
      ['1', '10', '45', '5'],
      {
        first: 'offset=0&limit=10',
        prev: 'offset=0&limit=10',
        next: 'offset=15&limit=10',
        last: 'offset=40&limit=10',
      },
      range(6, 15),
    ],
    [
      'the last',
      'offset=40',
      ['3', '20', '45', '3'],
      { first: 'offset=0', prev: 'offset=20', last: 'offset=40' },
      range(41, 45),
    ],
    [
      'past the end',
      'offset=45',
      ['3', '20', '45', '3'],
      { first: 'offset=0', prev: 'offset=40', last: 'offset=40' },
      [],
    ],
    [
      '10^15',
      'offset=1000000000000000',
      ['50000000000001', '20', '45', '3'],
      { first: 'offset=0', prev: 'offset=40', last: 'offset=40' },
      [],
    ],
    [
      '2^53-1',
      'offset=9007199254740991&limit=1',
      ['9007199254740992', '1', '45', '45'],
      { first: 'offset=0&limit=1', prev: 'offset=44&limit=1', last: 'offset=44&limit=1' },
      [],
    ],
    ['nothing found', 'n=99&offset=0', ['1', '20', '0', '0'], {}, []],
  ]);
});

describe('Prefer: count=none', () => {
  expectPages(
    [
      [
        'the first page',
        '',
        ['1', '20', null, null],
        { first: 'page=1', next: 'page=2' },
        range(1, 20),
      ],
      [
        'in the middle',
        'page=2',
        ['2', '20', null, null],
        { first: 'page=1', prev: 'page=1', next: 'page=3' },
        range(21, 40),
      ],
      [
        'the last',
        'page=3',
        ['3', '20', null, null],
        { first: 'page=1', prev: 'page=2' },
        range(41, 45),
      ],
      [
        'a full last page has no next',
        'limit=15&page=3',
        ['3', '15', null, null],
        { first: 'limit=15&page=1', prev: 'limit=15&page=2' },
        range(31, 45),
      ],
      [
        'all on one page',
        'limit=45',
        ['1', '45', null, null],
        { first: 'limit=45&page=1' },
        range(1, 45),
      ],
      ['nothing found', 'n=99', ['1', '20', null, null], {}, []],
      [
        'offset mode',
        'offset=25&limit=10',
        ['3', '10', null, null],
        { first: 'offset=0&limit=10', prev: 'offset=15&limit=10', next: 'offset=35&limit=10' },
        range(26, 35),
      ],
      [
        'offset mode, a full last page',
        'offset=35&limit=10',
        ['4', '10', null, null],
        { first: 'offset=0&limit=10', prev: 'offset=25&limit=10' },
        range(36, 45),
      ],
      // Which page is the last is not known.
      ['past the end', 'page=7', ['7', '20', null, null], { first: 'page=1' }, []],
      ['offset past the end', 'offset=99', ['5', '20', null, null], { first: 'offset=0' }, []],
    ],
    countNone,
  );
  test.each([
    ['count=none', true],
    ['return=minimal, count=none', true],
    ['count="none"', true],
    ['count=none; foo=bar', true],
    ['Count=none', true],
    ['count=exact', false],
    ['count=nothing', false],
    ['respond-async, wait=10', false],
    ['', false],
  ])('Prefer: %s', async (prefer, applied) => {
    const { status, headers } = await api.get(path, { prefer });
    expect({
      status,
      applied: headers.get('preference-applied'),
      total: headers.get('x-total-count'),
    }).toEqual({
      status: 200,
      applied: applied ? 'count=none' : null,
      total: applied ? null : '45',
    });
  });
});

describe('links', () => {
  test.each([
    ['other parameters stay', 'n_gte=1&page=2&sort=-n&limit=5', 'n_gte=1&page=3&sort=-n&limit=5'],
    [
      'as they were encoded',
      'name_like=a%20b&fields=id%2Cn&nulls=last',
      'name_like=a%20b&fields=id%2Cn&nulls=last&page=2',
    ],
    ['a plus stays one', 'name_like=a+b', 'name_like=a+b&page=2'],
    [
      'repeated ones stay',
      'n_gte=1&n_gte=2&_or=n:1,n_gt:3',
      'n_gte=1&n_gte=2&_or=n:1,n_gt:3&page=2',
    ],
    ['an encoded page is replaced', 'p%61ge=1&limit=5', 'page=2&limit=5'],
    ['empty pieces go', '&&limit=5&', 'limit=5&page=2'],
    ['offset stays offset', 'limit=5&offset=5', 'limit=5&offset=10'],
  ])('%s: %s', async (_, query, next) => {
    const { headers, status, text } = await api.get(`${path}?${query}`);
    expect(status, text).toBe(200);
    expect(linksOf(headers.get('link'))['next']).toBe(`${path}?${next}`);
  });

  test('what a link may not hold is encoded', async () => {
    const { headers } = await api.raw(`${path}?name_neq=a"b<c>{d}|^\`\\&limit=5`);
    expect(linksOf(headers.link as string)['next']).toBe(
      `${path}?name_neq=a%22b%3Cc%3E%7Bd%7D%7C%5E%60%5C&limit=5&page=2`,
    );
  });

  test('they begin with the path of the request', async () => {
    const { headers } = await api.get('/items?limit=5');
    expect(linksOf(headers.get('link'))['next']).toBe('/items?limit=5&page=2');
  });

  test('they are absolute with server.publicUrl', async () => {
    const { headers } = await small.get('/api/v1/items');
    expect(linksOf(headers.get('link'))).toEqual({
      first: 'https://example.org/root/api/v1/items?page=1',
      next: 'https://example.org/root/api/v1/items?page=2',
      last: 'https://example.org/root/api/v1/items?page=5',
    });
  });

  test.each([
    ['next', 'limit=7', {}],
    ['next', 'offset=0&limit=7', {}],
    ['next', 'limit=9', countNone],
    ['prev', 'limit=7&page=7', {}],
    ['prev', 'limit=7&offset=45', {}],
  ])('following %s from %s visits every record once', async (relation, query, headers) => {
    const seen: number[] = [];
    let next: string | undefined = `${path}?${query}`;
    while (next !== undefined) {
      const answer = await api.get(next, headers);
      expect(answer.status).toBe(200);
      const ids = (answer.body as { id: number }[]).map(({ id }) => id);
      if (relation === 'next') seen.push(...ids);
      else seen.unshift(...ids);
      next = linksOf(answer.headers.get('link'))[relation];
    }
    expect(seen).toEqual(range(1, 45));
  });
});

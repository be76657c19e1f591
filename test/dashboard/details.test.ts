import { describe, expect, test } from 'vitest';
import { formatted } from '../../dashboard/src/code/format.ts';
import { asClientCall } from '../../dashboard/src/requests/copy/client-call.ts';
import { harOf } from '../../dashboard/src/requests/copy/har.ts';
import { differenceOf } from '../../dashboard/src/requests/detail/difference.ts';
import { queryPartsOf } from '../../dashboard/src/requests/detail/query.ts';
import { accountOf } from '../../dashboard/src/requests/detail/time.ts';
import type { Model } from '../../src/http/dashboard/wire-model.ts';
import type { RequestDetail } from '../../src/http/dashboard/wire.ts';
import { ask, rowsOf, serving, stopAfterEach } from './dashboard.ts';

stopAfterEach();

describe('the time of a request', () => {
  const step = (stage: string, begin: number, duration: number) => ({ stage, begin, duration });
  const sql = (stage: string, begin: number, duration: number) => ({
    sql: `SELECT ${begin}`,
    stage,
    begin,
    duration,
    rows: 1,
  });

  test('is accounted for: what no statement explains is a line of its own', () => {
    const { total, lines, shares } = accountOf({
      steps: [
        step('init', 0, 1),
        step('parse_query', 1, 80),
        step('fetch_books', 81, 8),
        step('send', 89, 1),
      ],
      parts: [{ kind: 'plan', stage: 'parse_query', begin: 1.5, duration: 79 }],
      statementList: [sql('fetch_books', 82, 5)],
    });
    expect(total).toBe(90);
    expect(lines.map(({ name, isInner, duration }) => [name, isInner, duration])).toEqual([
      ['init', false, 1],
      ['parse_query', false, 80],
      ['planning a new query', true, 79],
      ['the rest of the step', true, 1],
      ['fetch_books', false, 8],
      ['before the first statement', true, 1],
      ['SELECT 82', true, 5],
      ['making records of rows', true, 2],
      ['send', false, 1],
    ]);
    expect(shares).toEqual({ own: 84, database: 5, wait: 0, network: 0, send: 1 });
  });

  test('counts statements that run at once only once', () => {
    const { shares } = accountOf({
      steps: [step('fetch_books', 0, 10)],
      statementList: [sql('fetch_books', 0, 6), sql('fetch_books', 2, 6)],
    });
    expect(shares).toEqual({ own: 2, database: 8, wait: 0, network: 0, send: 0 });
  });

  test('tells waiting from working', () => {
    const { shares } = accountOf({
      steps: [step('init', 0, 5), step('network', 5, 100), step('write_books', 105, 10)],
      parts: [
        { kind: 'queue', stage: 'init', begin: 1, duration: 4 },
        { kind: 'begin', stage: 'write_books', begin: 105, duration: 7 },
      ],
      statementList: [sql('write_books', 112, 2)],
    });
    expect(shares).toEqual({ own: 2, database: 2, wait: 11, network: 100, send: 0 });
  });
});

test.each([
  [
    '{"a":1,"b":[true,null,{}],"c":[]}',
    '{\n  "a": 1,\n  "b": [\n    true,\n    null,\n    {}\n  ],\n  "c": []\n}',
  ],
  // The language of the page would round the first, and lose the escape of the second.
  [
    '[12345678901234567890.10,"\\u202e\\"]{"]',
    '[\n  12345678901234567890.10,\n  "\\u202e\\"]{"\n]',
  ],
  [' "a" ', '"a"'],
  ['{"a":', '{"a":'],
  ['', ''],
])('%s is formatted', (text, shown) => {
  expect(formatted(text)).toBe(shown);
});

test.each([
  ['a\nb\nc', 'a\nB\nc', ['same a', 'gone b', 'added B', 'same c']],
  ['a', 'a', ['skipped 1 equal line']],
  ['a\nb', 'b\nc', ['gone a', 'same b', 'added c']],
  [
    '1\n2\n3\n4\n5\n6',
    '1\n2\n3\n4\n5\n6\n7',
    ['skipped 4 equal lines', 'same 5', 'same 6', 'added 7'],
  ],
])('%j is compared with %j', (before, after, lines) => {
  expect(differenceOf(before, after).map(({ kind, text }) => `${kind} ${text}`)).toEqual(lines);
});

describe('a request', () => {
  const sent = async (
    path: string,
    method = 'GET',
    body?: unknown,
  ): Promise<{ readonly detail: RequestDetail; readonly model: Model }> => {
    const api = await serving();
    await api.send(method, path, body);
    const [row] = await rowsOf(api);
    const detail = (await ask(api, `requests/${row?.id}`)).body as RequestDetail;
    return { detail, model: (await ask(api, 'model')).body as Model };
  };

  test('shows its query as it was understood', async () => {
    const { detail, model } = await sent(
      '/v1/things?name_like=a&box.label=b&nothing=1&sort=-name&limit=2&expand=box&_trace=true&_or=name:a,name:b',
    );
    expect(
      queryPartsOf(detail, model).map(({ name, kind, path }) =>
        [name, kind, path].join(' ').trim(),
      ),
    ).toEqual([
      'name_like filter name',
      'box.label filter box.label',
      'nothing unknown',
      'sort sort',
      'limit page',
      'expand expand',
      '_trace debug',
      '_or filter _or',
    ]);
  });

  test.each([
    [
      'GET',
      '/v1/things?name_like=a&sort=-name,id&limit=2&box.label=x',
      undefined,
      'await api.things.list({\n  "where": {\n    "name_like": "a"\n  },\n  "sort": [\n    "-name",\n    "id"\n  ],\n  "limit": 2,\n  "query": {\n    "box.label": "x"\n  }\n});',
    ],
    ['GET', '/v1/things/7', undefined, 'await api.things.get(7);'],
    ['POST', '/v1/things', { name: 'a' }, 'await api.things.create({\n  "name": "a"\n});'],
    [
      'POST',
      '/v1/things',
      [{ name: 'a' }],
      'await api.things.createMany([\n  {\n    "name": "a"\n  }\n]);',
    ],
    ['PATCH', '/v1/boxes/1', { label: 'b' }, 'await api.boxes.update(1, {\n  "label": "b"\n});'],
    ['DELETE', '/v1/boxes/1', undefined, 'await api.boxes.delete(1);'],
    ['GET', '/_health', undefined, undefined],
    ['GET', '/v1/nowhere', undefined, undefined],
    ['OPTIONS', '/v1/things', undefined, undefined],
  ] as const)('%s %s is copied as a call of the typed client', async (method, path, body, call) => {
    const { detail, model } = await sent(path, method, body);
    const text = asClientCall(detail, model, 'http://127.0.0.1:4000');
    if (call === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(/^import \{ createClient \} from '.\/client.ts';\n\nconst api = /u);
    expect(text?.slice(text.indexOf('await'))).toBe(call);
  });

  test('is exported as a valid HTTP Archive', async () => {
    const { detail } = await sent('/v1/things?name=1&name=2', 'POST', { name: 'a' });
    const { log } = harOf([detail], 'Things', 'http://127.0.0.1:4000') as Har;
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'Plinth' } });
    const [entry] = log.entries;
    expect(entry).toMatchObject({
      startedDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      time: detail.duration,
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:4000/v1/things?name=1&name=2',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        queryString: [
          { name: 'name', value: '1' },
          { name: 'name', value: '2' },
        ],
        postData: { mimeType: 'application/json', params: [], text: '{"name":"a"}' },
        headersSize: -1,
        bodySize: 12,
      },
      response: {
        status: detail.status,
        statusText: detail.code,
        redirectURL: '',
        cookies: [],
        headersSize: -1,
        bodySize: detail.size,
        content: { size: detail.size, mimeType: 'application/json; charset=utf-8' },
      },
      cache: {},
    });
    // What the format asks of each time, and that they add up to the whole.
    const { blocked, send, wait, receive, ...unknown } = entry?.timings ?? {};
    expect(unknown).toEqual({ dns: -1, connect: -1, ssl: -1 });
    const sum = [blocked, send, wait, receive].reduce<number>((all, one = NaN) => all + one, 0);
    expect(sum).toBeCloseTo(detail.duration, 2);
    for (const { name, value } of entry?.request.headers ?? [])
      expect([typeof name, typeof value]).toEqual(['string', 'string']);
  });
});

interface Har {
  readonly log: {
    readonly version: string;
    readonly entries: readonly {
      readonly timings: Readonly<Record<string, number>>;
      readonly request: { readonly headers: readonly { name: unknown; value: unknown }[] };
    }[];
  };
}

import { describe, expect, test, vi } from 'vitest';
import { Dashboard, type DashboardOptions } from '../../src/http/dashboard/dashboard.ts';
import {
  newsTogether,
  readEventId,
  writeEventId,
  type DashboardNews,
  type NewsWanted,
} from '../../src/http/dashboard/news.ts';
import { Watcher } from '../../src/http/dashboard/watcher.ts';
import type { Hello, RequestRow } from '../../src/http/dashboard/wire.ts';
import type { Mode } from '../../src/http/edge/edge.ts';
import { redactionOf } from '../../src/http/debug/redaction.ts';
import { splitUrl } from '../../src/http/api/router.ts';
import { Activity, percentileOf, pointsOf, type Span } from '../../src/observability/activity.ts';
import { RequestTrace } from '../../src/observability/events.ts';
import { Recording } from '../../src/observability/recording.ts';
import { RecentRequests } from '../../src/observability/recent.ts';
import { buildValid } from '../support/api.ts';
import { things } from './dashboard.ts';

const end = {
  status: 200,
  code: undefined,
  duration: 1,
  requestHeaders: {},
  responseHeaders: {},
};

test('large bodies take a bounded number of bytes: the oldest are dropped, the requests stay', () => {
  const recent = new RecentRequests();
  const path = '/v1/things';
  let first: unknown;
  for (let number = 1; number <= 2_500; number += 1) {
    const start = { requestId: String(number), method: 'POST', url: path, path, search: '' };
    const trace = new RequestTrace(start, 0, new Recording(0, 0));
    trace.body = Buffer.alloc(number <= 1_200 ? 60_000 : 70_000);
    const body = 'x'.repeat(number <= 1_200 ? 60_000 : 70_000);
    if (number === 500) trace.failure = new Error('lost');
    recent.add(trace, { ...end, body }, true);
    if (number === 500) [first] = recent.after(499);
    if (number !== 1_200) continue;
    expect(recent.after(0)).toHaveLength(1_000);
    const withBodies = recent.after(0).filter(({ record }) => record?.responseBody !== undefined);
    // 32 MiB of 120,000 bytes each.
    expect(withBodies.length).toBeGreaterThan(200);
    expect(withBodies.length).toBeLessThan(290);
    expect(recent.find('1200')?.record).toMatchObject({ responseBody: body, isForgotten: false });
    expect(recent.find('300')?.record).toMatchObject({
      requestBody: undefined,
      responseBody: undefined,
      isForgotten: true,
    });
    expect(recent.find('1')).toBeUndefined();
  }
  // Of larger ones only the length is kept.
  expect(recent.after(0)).toHaveLength(1_000);
  expect(recent.find('2500')).toMatchObject({
    size: 70_000,
    record: { requestBody: undefined, responseBody: undefined, isForgotten: true },
  });
  // What is kept no more takes no memory either.
  expect(first).toMatchObject({ failure: undefined });
  expect(recent.after(2_499).map(({ number }) => number)).toEqual([2_500]);
});

test('requests with very many long statements are kept in fewer bytes than would be much', () => {
  const recent = new RecentRequests();
  const path = '/v1/things';
  const sql = 'x'.repeat(9_900);
  const statement = { sql, begin: 0, end: 1, step: undefined, rows: 1 };
  for (let number = 1; number <= 1_000; number += 1) {
    const start = { requestId: String(number), method: 'GET', url: path, path, search: '' };
    const recording = new Recording(0, 0);
    recording.statements.push(...Array.from({ length: 10 }, () => statement));
    recent.add(new RequestTrace(start, 0, recording), { ...end, body: undefined }, true);
  }
  // 32 MiB of 100,000 bytes each.
  expect(recent.after(0).length).toBeGreaterThan(250);
  expect(recent.after(0).length).toBeLessThan(340);
});

test('in start, 200 of many requests at once are recorded, and of those that go on 20 a second', () => {
  let now = 1_000_000;
  const api = buildValid(`dashboard: true\n${things}`);
  const dashboard = new Dashboard({
    token: 'a'.repeat(64),
    clock: () => now,
    now: () => new Date(now),
    databaseTime: () => 0,
    origin: 0,
    api: () => api,
    mode: 'start',
    network: { changes: [], change: () => undefined },
  });
  const recorded = (count: number): number => {
    const before = dashboard.recent.after(0).at(-1)?.number ?? 0;
    for (let sent = 0; sent < count; sent += 1) {
      const start = {
        requestId: String(sent),
        method: 'GET',
        url: '/v1/things',
        path: '/v1/things',
        search: '',
      };
      const recording = dashboard.wantsSteps ? new Recording(now, now) : undefined;
      dashboard.ended(new RequestTrace(start, now, recording), { ...end, body: '[]' });
    }
    return dashboard.recent.after(before).filter(({ record }) => record !== undefined).length;
  };
  expect(recorded(10)).toBe(0);
  dashboard.look();
  expect(recorded(300)).toBe(200);
  now += 500;
  expect(recorded(300)).toBe(10);
  now += 30_000;
  expect(recorded(300)).toBe(200);
  now += 60_000;
  expect(recorded(10)).toBe(0);
});

describe('the query of a request in the list', () => {
  const api = buildValid(things);
  const shown = (query: string, mode: Mode): string =>
    redactionOf({ ...api }, mode).queryText(`/v1/things?${query}`);

  test.each([
    ['name=a&limit=2', 'name=a&limit=2'],
    ['name=%C3%A9+b&&boxId', 'name=%C3%A9+b&boxId'],
    ['secret=hush', 'secret=[redacted]'],
    ['s%65cret_in=hush&name=a', 's%65cret_in=[redacted]&name=a'],
    ['box.things.secret=hush', 'box.things.secret=[redacted]'],
    ['x[secret]=hush', 'x[secret]=[redacted]'],
    ['_or=name:a,box.label:b', '_or=name:a,box.label:b'],
    ['_or=name:a,s%65cret:hush', '_or=[redacted]'],
    ['%zz%73ecret=hush&secret%zz=hush', '%zz%73ecret=[redacted]&secret%zz=[redacted]'],
    ['secret%3Ahush&secret_at=hush', 'secret[redacted]&secret_at=[redacted]'],
    ['x.secret.limit=2', 'x.secret.limit=[redacted]'],
    ['secret=hush%zz', 'secret=[redacted]'],
    // A name that no resource has may be meant for the secret one.
    ['name=a&secert=hush', 'name=[redacted]&secert=[redacted]'],
    ['__proto__=a&constructor=b', '__proto__=[redacted]&constructor=[redacted]'],
  ])('%s', (query, expected) => {
    expect(shown(query, 'dev')).toBe(expected);
    const names = expected.split('&').map((pair) => pair.split('=', 1)[0]);
    expect(shown(`${query}&name=c`, 'start')).toBe([...new Set([...names, 'name'])].join('&'));
  });
});

/** A dashboard of `dev`, which no server has. */
function makeDashboard(
  options: Pick<DashboardOptions, 'clock'> & Partial<DashboardOptions>,
): Dashboard {
  const api = buildValid(things);
  return new Dashboard({
    token: 'a'.repeat(64),
    now: () => new Date(),
    databaseTime: () => 0,
    origin: 0,
    api: () => api,
    mode: 'dev',
    network: { changes: [], change: () => undefined },
    ...options,
  });
}

/** Tells it of so many requests that have ended. */
function tellOf(dashboard: Dashboard, count: number, url: string): void {
  const { path } = splitUrl(url);
  for (let number = 1; number <= count; number += 1) {
    const start = { requestId: String(number), method: 'GET', url, path, search: '' };
    dashboard.ended(new RequestTrace(start, 0, undefined), { ...end, body: undefined });
  }
}

test('a page that is told of the longest requests lets others have their turn between them', async () => {
  const dashboard = makeDashboard({ clock: () => performance.now() });
  tellOf(dashboard, 1_000, `/v1/things?${'a&'.repeat(3_900)}secret=hush`);
  const hello = {} as Hello;
  let [turns, isOver] = [0, false];
  const look = (): void => {
    turns += 1;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  for await (const text of dashboard.watch({ hello, seen: {} }) ?? []) {
    if (!String(text).startsWith('event: requests')) continue;
    expect(String(text).match(/"secret=/gu)).toBeNull();
    expect(String(text).match(/&secret=\[redacted\]"/gu)).toHaveLength(1_000);
    break;
  }
  isOver = true;
  dashboard.close();
  // Others have their turn after each twenty of them, but the last.
  expect(turns).toBeGreaterThanOrEqual(49);
});

test('another process is told in time, a part of it if need be, and has the rest when it asks again', async () => {
  const answers = new Map<string, unknown>();
  let now = 0;
  const dashboard = makeDashboard({
    // As on a busy machine: each look at the clock is 50 ms later.
    clock: () => (now += 50),
    workers: {
      count: 2,
      id: 1,
      token: 'a'.repeat(64),
      respond: (kind, give) => void answers.set(kind, give),
      callOthers: async () => [],
    },
  });
  await dashboard.join();
  const tell = answers.get('news') as (wanted: NewsWanted) => Promise<DashboardNews>;
  tellOf(dashboard, 600, '/v1/things');
  const told: string[] = [];
  let [seen, times]: [DashboardNews['seen'], number] = [{}, 0];
  for (; told.length < 600 && times < 600; times += 1) {
    const begin = now;
    const news = await tell({ seen });
    expect(now - begin).toBeLessThan(1_000);
    told.push(...news.rows.map(({ id }) => id));
    ({ seen } = news);
  }
  expect(told).toEqual(Array.from({ length: 600 }, (_, index) => String(index + 1)));
  expect(times).toBeGreaterThan(1);
});

test('what several processes tell is put together', () => {
  const row = (number: number, at: number, duration: number): RequestRow =>
    ({ number, id: `${at}`, time: new Date(at).toISOString(), duration }) as RequestRow;
  const span = (number: number, durations: readonly number[]): Span => {
    const requests = durations.reduce((sum, count) => sum + count, 0);
    return { number, requests, clientErrors: 1, serverErrors: 0, databaseTime: 2, durations };
  };
  const none = Array.from({ length: 190 }, () => 0);
  const together = newsTogether([
    {
      seen: { 1: 2 },
      rows: [row(1, 1_000, 900), row(2, 1_500, 1)],
      spans: [span(7, [4, 0, ...none])],
    },
    {
      seen: { 2: 9 },
      rows: [row(9, 1_700, 5)],
      spans: [span(7, [0, 6, ...none]), span(8, [1, 0, ...none])],
    },
  ]);
  expect(together.rows.map(({ id }) => id)).toEqual(['1500', '1700', '1000']);
  expect(together.seen).toEqual({ 1: 2, 2: 9 });
  const points = pointsOf(together.spans, 42_000, 6);
  expect(
    points.map((point) => [point.number, point.requests, point.clientErrors, point.databaseTime]),
  ).toEqual([
    [6, 0, 0, 0],
    [7, 10, 2, 4],
    [8, 1, 1, 2],
  ]);
  // The last one runs since 2 s.
  expect(points.map(({ seconds }) => seconds)).toEqual([5, 5, 2]);
  // Six of ten are in the second class.
  expect(points[1]?.p50).toBeCloseTo(0.01 * 2 ** (1.5 / 8));
  expect(points[2]?.p50).toBeCloseTo(0.01 * 2 ** (0.5 / 8));
  const id = writeEventId('0123abcd', together.seen);
  expect(readEventId('0123abcd', id)).toEqual({ 1: 2, 2: 9 });
  expect(readEventId('0123abce', id)).toBeUndefined();
});

test('a stream looks less often where much has come, keeps few notices, and ends after five minutes', async () => {
  vi.useFakeTimers();
  try {
    const clock = (): number => performance.now();
    const begin = clock();
    const looks: number[] = [];
    const watcher = new Watcher();
    for (let sent = 0; sent < 150; sent += 1) watcher.network();
    const events = watcher.events({
      hello: {} as Hello,
      server: '0123abcd',
      seen: {},
      news: async ({ seen }) => {
        if (seen !== undefined) looks.push(Math.round(clock() - begin));
        return { seen: {}, rows: Array.from({ length: 100 }, () => ({}) as RequestRow), spans: [] };
      },
      points: () => [],
      clock,
      looks: () => undefined,
    });
    let [text, isOver] = ['', false];
    const read = async (): Promise<void> => {
      for await (const piece of events) text += piece;
      isOver = true;
    };
    void read();
    await vi.advanceTimersByTimeAsync(1_500);
    // The first tells of what there was anyway.
    expect(looks).toEqual([0, 250, 650, 1_050, 1_450]);
    expect(text.match(/event: network/gu)).toHaveLength(100);
    await vi.advanceTimersByTimeAsync(298_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(isOver).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [51, 1, 100],
  [49, 100, 100],
  [94, 1, 100],
  [96, 1, 1],
])(
  'where %i of 100 requests take 1 ms and the others 100, p50 is %i and p95 %i',
  (fast, p50, p95) => {
    const activity = new Activity();
    // From the slowest to the fastest: their order says nothing.
    for (let index = 99; index >= 0; index -= 1)
      activity.add(1_000, 200, index < fast ? 1 : 100, 0);
    const [point] = pointsOf(activity.since(1_000, 0), 1_000, 0).slice(-1);
    expect(Math.abs((point?.p50 ?? 0) / p50 - 1)).toBeLessThan(0.06);
    expect(Math.abs((point?.p95 ?? 0) / p95 - 1)).toBeLessThan(0.06);
  },
);

test('the latency of a while is that of all its requests, not of its last span', () => {
  const activity = new Activity();
  const spans = [
    [1_000, 90, 1],
    [6_000, 9, 100],
    [11_000, 1, 10],
  ] as const;
  for (const [now, count, duration] of spans)
    for (let sent = 0; sent < count; sent += 1) activity.add(now, 200, duration, 0);
  const points = pointsOf(activity.since(11_000, 0), 11_000, 0);
  expect(Math.abs((percentileOf(points, 0.5) ?? 0) / 1 - 1)).toBeLessThan(0.06);
  expect(Math.abs((percentileOf(points, 0.95) ?? 0) / 100 - 1)).toBeLessThan(0.06);
  expect(points.map(({ durations }) => durations.length)).toEqual([1, 1, 1]);
  expect(percentileOf([], 0.5)).toBeUndefined();
});

test('what was more than five minutes ago is forgotten', () => {
  const activity = new Activity();
  const [before, now] = [1_000, 1_000 + 61 * 5_000];
  activity.add(before, 500, 1, 0);
  activity.add(now, 200, 100, 0);
  const points = pointsOf(activity.since(now, 0), now, 0);
  expect(points).toHaveLength(60);
  expect(points.at(-1)).toMatchObject({ requests: 1, serverErrors: 0 });
  expect(points.at(-1)?.p50).toBeGreaterThan(90);
});

test('activity tells errors of clients from those of the server', () => {
  const activity = new Activity();
  for (const status of [200, 399, 400, 499, 500, 599]) activity.add(1_000, status, 1, 0);
  const [point] = pointsOf(activity.since(1_000, 0), 1_000, 0).slice(-1);
  expect(point).toMatchObject({ requests: 6, clientErrors: 2, serverErrors: 2 });
});

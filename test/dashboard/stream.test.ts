import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../../src/http/dashboard/wire.ts';
import { serveApi } from '../support/api.ts';
import { boss, keys, look, open, serving, things, watching, stopAfterEach } from './dashboard.ts';

stopAfterEach();

describe('the stream', () => {
  const numbers = (rows: readonly RequestRow[]): readonly number[] =>
    rows.map(({ number }) => number);

  test('says who looks on, then what there is, then what comes', async () => {
    const api = await serving(`${keys}\ndebug: { roles: [admin] }`);
    await api.get('/v1/things');
    const stream = await watching(api, boss);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(await stream.next('hello')).toEqual({
      token: expect.stringMatching(/^[\da-f]{64}$/u),
      mode: 'dev',
      caller: 'boss',
      isLinked: false,
      mayChange: true,
      processes: 1,
      hasSandboxes: false,
      isContinued: false,
      specification: null,
    });
    expect(numbers(await stream.next('requests'))).toEqual([1]);
    expect(await stream.next('activity')).toHaveLength(60);
    await api.get('/v1/boxes');
    await api.get('/v1/nothing');
    const rows = [...(await stream.next('requests'))];
    if (rows.length < 2) rows.push(...(await stream.next('requests')));
    expect(numbers(rows)).toEqual([2, 3]);
    const later = await stream.next('activity');
    // What is told once is not told again.
    expect(later.length).toBeLessThan(60);
    expect(later.at(-1)).toMatchObject({ number: expect.any(Number), seconds: expect.any(Number) });
  });

  test('goes on after the last event that was seen, of this server alone', async () => {
    const api = await serving();
    await api.get('/v1/things');
    const first = await watching(api);
    await first.next('requests');
    const id = first.lastId();
    expect(id).toMatch(/^[\da-f]{8}\.0-1$/u);
    first.close();
    await api.get('/v1/boxes');
    const next = async (lastId: string): Promise<readonly [boolean, readonly number[]]> => {
      const stream = await watching(api, { 'last-event-id': lastId });
      const { isContinued } = await stream.next('hello');
      return [isContinued, numbers(await stream.next('requests'))];
    };
    expect(await next(id)).toEqual([true, [2]]);
    expect(await next(`${id}9`)).toEqual([true, []]);
    for (const other of ['00000000.0-1', '1', `${id}x`, '__proto__', `${id.slice(0, 9)}0-`])
      expect(await next(other), other).toEqual([false, [1, 2]]);
  });

  test('tells of an edit that is not served, also to who comes later, and ends with a good one', async () => {
    const api = await serving();
    const stream = await watching(api);
    await stream.next('activity');
    const problems = [{ message: 'is no type', path: 'resources.a', line: 3, column: 5 }];
    const event = { file: 'plinth.yaml', problems };
    for (const { reloaded } of api.readers) reloaded?.(event);
    expect(await stream.next('specification')).toEqual(event);
    expect((await look(api)).specification).toEqual(event);
    for (const { reloaded } of api.readers) reloaded?.({ file: 'plinth.yaml', problems: [] });
    expect(await stream.next('specification')).toBeNull();
    expect(await stream.next('hello')).toBeUndefined();
    expect((await look(api)).specification).toBeNull();
  });

  test('tells other pages that the network was changed', async () => {
    const api = await serving();
    const stream = await watching(api);
    const { token } = await stream.next('hello');
    const body = { resource: null, settings: { errorRate: 1 } };
    await api.send('PUT', '/_dashboard/api/network', body, { 'x-dashboard-token': token });
    expect(await stream.next('network')).toBeNull();
  });

  test('is not a request under way: it counts none, and holds up neither a change nor the stop', async () => {
    const api = await serving();
    const stream = await watching(api);
    await stream.next('activity');
    await api.servedApi.inFlight.none();
    const metrics = (await api.get('/_metrics')).text;
    expect(metrics).toMatch(/in_flight\S* 1$/mu);
    const stopped = api.stop().then(() => 'stopped');
    open.splice(0);
    expect(await stream.next('hello')).toBeUndefined();
    expect(await stopped).toBe('stopped');
  });

  test('is for so many pages at once, and a page that goes makes room', async () => {
    const api = await serving();
    const all = await Promise.all(Array.from({ length: 16 }, () => watching(api)));
    for (const stream of all) await stream.next('activity');
    expect((await watching(api)).status).toBe(503);
    for (const stream of all) stream.close();
    await expect.poll(async () => (await watching(api)).status).toBe(200);
    // Of the others some may not have been missed yet.
    const head = async (): Promise<number> =>
      (await api.send('HEAD', '/_dashboard/api/events')).status;
    for (let sent = 0; sent < 20; sent += 1) await expect.poll(head).toBe(200);
    await expect.poll(async () => (await watching(api)).status).toBe(200);
  });

  test('of pages that take nothing are cut, and make room for others', async () => {
    const api = await serveApi(things, {}, undefined, { mode: 'dev', stallTimeout: 300 });
    open.push(api);
    const { hostname, port } = new URL(api.url);
    const sockets = Array.from({ length: 16 }, () => connect(Number(port), hostname));
    for (const socket of sockets) {
      socket.pause().on('error', () => undefined);
      socket.write('GET /_dashboard/api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    }
    await expect.poll(async () => (await watching(api)).status).toBe(503);
    const long = `/v1/things?name=${'x'.repeat(4_000)}`;
    const comes = async (): Promise<number> => {
      await Promise.all(Array.from({ length: 200 }, () => api.get(long)));
      return (await watching(api)).status;
    };
    await expect.poll(comes, { timeout: 200_000 }).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

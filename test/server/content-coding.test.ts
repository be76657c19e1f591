import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveSides, sideNames, type Sides } from './content.ts';

const specification = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
`;

let sides: Sides;
beforeAll(async () => {
  sides = await serveSides(specification);
  for (const name of sideNames)
    for (let index = 0; index < 40; index += 1)
      await sides[name].ask('/v1/posts', {
        method: 'POST',
        body: { title: `${'ü'.repeat(40)} ${index}` },
      });
});
afterAll(() => sides.stop());

const long = '/v1/posts?limit=40';
const short = '/v1/posts/1';

describe.each(sideNames)('%s', (name) => {
  const ask = (
    path: string,
    coding: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ) => sides[name].ask(path, { method, headers: { 'accept-encoding': coding, ...headers } });

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0.9', 'gzip'],
    ['gzip;q=0.2, br;q=0.3', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['gzip;q=0.5, *;q=0.1', 'gzip'],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity', undefined],
    ['', undefined],
    ['deflate', undefined],
    ['zstd, deflate', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['*;q=0', undefined],
    ['identity;q=0', undefined],
    ['gzip;q=x', undefined],
  ])('Accept-Encoding: %s: %s', async (wanted, coding) => {
    const plain = await sides[name].ask(long);
    for (const headers of [
      {},
      { accept: 'text/csv' },
      { accept: 'application/x-ndjson' },
    ] as Record<string, string>[]) {
      const whole = await sides[name].ask(long, { headers });
      const answer = await ask(long, wanted, headers);
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(answer.text).toBe(whole.text);
      if (coding !== undefined) expect(answer.bytes.length).toBeLessThan(whole.bytes.length / 4);
    }
    const { headers, bytes } = await ask(long, wanted);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers.etag).toBe(plain.headers.etag);
    expect(headers.vary).toBe(plain.headers.vary);
  });

  test.each([
    ['gzip, br', undefined],
    // It may not stay as it is, however short.
    ['gzip, identity;q=0', 'gzip'],
    ['br, *;q=0', 'br'],
    ['identity;q=0', undefined],
  ])('a short body, %s: %s', async (wanted, coding) => {
    const { headers, text, bytes } = await ask(short, wanted);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(JSON.parse(text)).toMatchObject({ id: 1 });
  });

  test.each([1024, 1025])('a body of %i bytes', async (length) => {
    const created = await sides[name].ask('/v1/posts', { method: 'POST', body: { title: '' } });
    const { id } = JSON.parse(created.text) as { id: number };
    // In bytes, of which each of these letters has two.
    const missing = length - Buffer.byteLength(created.text);
    const title = 'ü'.repeat(Math.floor(missing / 2)) + 'x'.repeat(missing % 2);
    await sides[name].ask(`/v1/posts/${id}`, { method: 'PATCH', body: { title } });
    const { headers, text } = await ask(`/v1/posts/${id}`, 'gzip');
    expect(Buffer.byteLength(text)).toBe(length);
    expect(headers['content-encoding']).toBe(length > 1024 ? 'gzip' : undefined);
    await sides[name].ask(`/v1/posts/${id}`, { method: 'DELETE' });
  });

  test('errors', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `unknown${index}=1`).join('&');
    const { status, headers, text } = await ask(`/v1/posts?${query}`, 'br', { accept: 'text/csv' });
    expect([status, headers['content-encoding']]).toEqual([400, 'br']);
    expect((JSON.parse(text) as { validationErrors: unknown[] }).validationErrors).toHaveLength(30);
  });

  test('304 and 204 have neither a body nor a coding', async () => {
    const { headers } = await ask(long, 'gzip');
    const same = await ask(long, 'gzip', { 'if-none-match': String(headers.etag) });
    const options = await ask('/v1/posts', 'gzip', {}, 'OPTIONS');
    for (const answer of [same, options]) {
      expect(answer.bytes.length).toBe(0);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers['content-length']).toBeUndefined();
    }
    expect([same.status, options.status]).toEqual([304, 204]);
    expect(same.headers).toMatchObject({ etag: headers.etag, vary: headers.vary });
  });

  test('HEAD has the length of what GET sends', async () => {
    const got = await ask(long, 'br');
    const head = await ask(long, 'br', {}, 'HEAD');
    expect(head.headers).toMatchObject({
      'content-encoding': 'br',
      'content-length': String(got.bytes.length),
      etag: got.headers.etag,
    });
  });

  test('the answer of a write', async () => {
    const { status, headers, text } = await sides[name].ask('/v1/posts', {
      method: 'POST',
      headers: { 'accept-encoding': 'gzip' },
      body: { title: 'ä'.repeat(2_000) },
    });
    expect([status, headers['content-encoding']]).toEqual([201, 'gzip']);
    expect(JSON.parse(text)).toMatchObject({ title: 'ä'.repeat(2_000) });
  });

  test('nothing unforeseen happened', () => {
    expect(sides[name].failures).toEqual([]);
  });
});

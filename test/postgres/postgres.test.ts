import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planMigration } from '../../src/migrations/postgres/schema.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { changes, reads, writes, type Request } from './requests.ts';
import { specification } from './specification.ts';

let both: Both;

beforeAll(async () => {
  both = await serveBoth(specification);
});

afterAll(async () => {
  await both?.stop();
});

const titled = (requests: readonly Request[]): (readonly [string, Request])[] =>
  requests.map((request) => {
    const body = request.body === undefined ? '' : ` ${JSON.stringify(request.body).slice(0, 80)}`;
    const path = decodeURIComponent(request.path).slice(0, 120);
    return [`${request.method ?? 'GET'} ${path}${body}`.replaceAll('%', '%%'), request];
  });

describe.each([
  ['records', writes],
  ['reads', reads],
  ['changes', changes],
])('PostgreSQL answers as SQLite does: %s', (_, requests) => {
  test.each(titled(requests))('%s', async (_title, request) => {
    const { method = 'GET', path, body, headers } = request;
    await both.send(method, path, body, headers);
    expect(both.failures).toEqual([]);
  });
});

test('the schema that was made is the one that is wanted', async () => {
  expect(await planMigration(both.postgres, both.servedApi.api)).toEqual([]);
});

/** Tests against an API in their own process: `plinth/test`. */
import { isDeepStrictEqual } from 'node:util';
import { resolve } from 'node:path';
import type { AnyApi, ApiTypes } from './extensions/code.ts';
import {
  openTestServer,
  type TestServer,
  type TestServerOptions,
} from './server/testing/test-server.ts';

interface Known {
  readonly options: TestServerOptions;
  readonly server: Promise<TestServer<AnyApi>>;
}

/** The servers of this process that are not closed. */
const known = new Set<Known>();

/**
 * The API of a file for the tests of this process: the same options give the same server, which lives as long as the process.
 * Each sandbox of it has records of its own. Rejects as `createServer` does.
 *
 * ```ts
 * const api = await testServer({ file: 'plinth.yaml' });
 *
 * test('an order has a number', async () => {
 *   await using box = api.sandbox({ records: { orders: [] } });
 *   const order = await box.as({ sub: 'ada' }).db.orders.create({ lines: [] });
 *   expect(order.number).toMatch(/^O-/);
 * });
 * ```
 *
 * `Api` is a type of the file that `plinth types` writes, for `db`.
 */
export function testServer<Api extends ApiTypes = AnyApi>(
  options: TestServerOptions = {},
): Promise<TestServer<Api>> {
  const own = { ...options, folder: resolve(options.folder ?? '.') };
  for (const one of known) if (isSame(one.options, own)) return one.server as never;
  const server = openTestServer<AnyApi>(own).then((opened) => {
    const close = async (): Promise<void> => {
      known.delete(entry);
      await opened.close();
    };
    return { ...opened, close, [Symbol.asyncDispose]: close };
  });
  const entry = { options: own, server };
  known.add(entry);
  // Once the error is mended, the next call tries again.
  server.catch(() => known.delete(entry));
  return server as never;
}

function isSame(
  { logger, ...options }: TestServerOptions,
  { logger: other, ...others }: TestServerOptions,
): boolean {
  return logger === other && isDeepStrictEqual(options, others);
}

export type { GivenCaller } from './auth/callers.ts';
export type { Sandbox, SandboxOptions, TestContext, Visitor } from './server/testing/sandbox.ts';
export type { TestServer, TestServerOptions };

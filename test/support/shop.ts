import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import type { ServerOptions } from '../../src/http/server/server.ts';
import { serveApi, type Records, type TestApi } from './api.ts';
import { usePages, type PageOptions } from './browser.ts';

const shop = `
name: Shop
description: All that a *corner* sells.
resources:
  makers:
    fields:
      name: { type: string, required: true, maxLength: 100 }
      products: { type: relation, relation: hasMany, resource: products }
  products:
    description: What is sold.
    fields:
      name: { type: string, required: true, minLength: 3, unique: true }
      about: { type: text }
      price: { type: decimal, scale: 2, required: true, minimum: 0 }
      state: { type: enum, values: [draft, sold], default: draft }
      makerId: { type: integer, reference: makers.id }
      maker: { type: relation, relation: belongsTo, resource: makers }
`;
/** What would run if it were taken for more than text. */
export const hostile = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';
const records: Records = {
  makers: [{ name: 'Anna' }, { name: hostile }],
  products: [
    { name: 'Chair', price: '20.00', makerId: 1 },
    { name: 'Table', price: '90.00', makerId: 1, state: 'sold' },
    { name: hostile, about: hostile, price: '5.00', makerId: 2 },
  ],
};

interface Shop {
  /** Serves the shop, with a head of the file before it; without one it has records. */
  readonly serving: (head?: string, options?: Partial<ServerOptions>) => Promise<TestApi>;
  /** Serves another file, without records. */
  readonly servingOther: (text: string) => Promise<TestApi>;
  /** Opens its dashboard at a hash. */
  readonly opening: (api: TestApi, hash: string, options?: PageOptions) => Promise<Page>;
  readonly openPage: (url: string, options?: PageOptions) => Promise<Page>;
  /** Stops the server that was started last. */
  readonly stopping: () => Promise<void>;
}

/** A shop for each test of a file, and pages of its dashboard. */
export function useShop(): Shop {
  const openPage = usePages();
  const running: TestApi[] = [];
  afterEach(async () => {
    for (const api of running.splice(0)) await api.stop();
  });
  const start = async (
    text: string,
    filled: Records,
    options: Partial<ServerOptions>,
  ): Promise<TestApi> => {
    const api = await serveApi(text, filled, undefined, { mode: 'dev', ...options });
    running.push(api);
    return api;
  };
  return {
    serving: (head = '', options = {}) =>
      start(`${head}\n${shop}`, head === '' ? records : {}, options),
    servingOther: (text) => start(text, {}, {}),
    opening: (api, hash, options) => openPage(`${api.url}/_dashboard${hash}`, options),
    openPage,
    stopping: async () => {
      await running.pop()?.stop();
    },
  };
}

export const hasRun = (page: Page): Promise<unknown> => page.evaluate('globalThis.ran');

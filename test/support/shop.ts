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
/** What is sold to customers of three countries: keys that hinder a delete, and links that carry something. */
const sales = `
name: Sales
access: public
resources:
  customers:
    fields:
      name: { type: string, required: true, maxLength: 40 }
      country: { type: string }
      invoices: { type: relation, relation: hasMany, resource: invoices }
      groups: { type: relation, relation: belongsToMany, resource: groups, through: members, withPivot: [rank] }
  invoices:
    fields:
      customerId: { type: integer, required: true, reference: customers.id, onDelete: restrict }
      total: { type: decimal, scale: 2, required: true }
      day: { type: date, required: true }
  groups:
    fields:
      name: { type: string, required: true }
  members:
    fields:
      customerId: { type: integer, required: true, reference: customers.id }
      groupId: { type: integer, required: true, reference: groups.id }
      rank: { type: integer, minimum: 0 }
`;
const customers = [
  ['Ada', 'Germany'],
  ['Bo', 'France'],
  ['Cy', 'Spain'],
  ['Di', 'France'],
  ['Ed', 'Germany'],
  ['Flo', 'Germany'],
].map(([name, country]) => ({ name, country }));
const invoices = [
  [1, '12.00', '2026-01-01'],
  [1, '3.00', '2026-03-01'],
  [2, '11.00', '2026-02-01'],
  [3, '50.00', '2026-02-02'],
  [4, '9.00', '2026-02-03'],
  [5, '20.00', '2026-02-04'],
  [6, '30.00', '2026-02-05'],
].map(([customerId, total, day]) => ({ customerId, total, day }));

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
  /** Serves six customers with invoices, some of them over 10, and as many more customers as a test needs. */
  readonly servingSales: (more?: number) => Promise<TestApi>;
  /** Opens its dashboard at a hash. */
  readonly opening: (api: TestApi, hash: string, options?: PageOptions) => Promise<Page>;
  readonly openPage: (url: string, options?: PageOptions) => Promise<Page>;
  /** Stops the server that was started last. */
  readonly stopping: () => Promise<void>;
}

/** A shop for each test of a file, and pages of its dashboard. */
export function useShop(): Shop {
  const running: TestApi[] = [];
  afterEach(async () => {
    for (const api of running.splice(0)) await api.stop();
  });
  // The last hook runs first: pages are closed while their server still answers.
  const openPage = usePages();
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
    servingSales: (more = 0) => {
      const others = Array.from({ length: more }, (_, at) => ({ name: `Customer ${at}` }));
      const groups = [{ name: 'regular' }, { name: 'large' }];
      return start(sales, { customers: [...customers, ...others], invoices, groups }, {});
    },
    opening: (api, hash, options) => openPage(`${api.url}/_dashboard${hash}`, options),
    openPage,
    stopping: async () => {
      await running.pop()?.stop();
    },
  };
}

export const hasRun = (page: Page): Promise<unknown> => page.evaluate('globalThis.ran');

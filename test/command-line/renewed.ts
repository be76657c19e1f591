import { expect } from 'vitest';
import type { Live } from '../support/live.ts';

/** A file of which `dev` generates the records. */
export const shop = `access: public
resources:
  products:
    generate: { count: 6 }
    fields:
      name: { type: string, required: true }
      price: { type: decimal, required: true }
      colour: { type: string, required: true }
`;
/** It with more fields, and a resource that one of them leads to. */
export const wider = `${shop}      stock: { type: integer, minimum: 0, required: true }
      sku: { type: string, required: true, unique: true, pattern: '^[A-Z]{4}$' }
      makerId: { type: integer, required: true, reference: makers.id }
      note: { type: string }
  makers:
    fields:
      name: { type: string, required: true }
`;

/** A record of it. */
export type Product = Readonly<Record<string, unknown>>;

/** All products, in order of id. */
export const productsOf = async ({ get }: Pick<Live, 'get'>): Promise<Product[]> =>
  (await (await get('/v1/products?sort=id')).json()) as Product[];

/** Writes a product of one's own. */
export async function write({ server }: Pick<Live, 'server'>): Promise<void> {
  const answer = await fetch(`${server.url}/v1/products`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"mine","price":"1","colour":"mine"}',
  });
  expect(answer.status).toBe(201);
}

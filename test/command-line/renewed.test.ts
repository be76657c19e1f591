import { expect, test } from 'vitest';
import { ndjson, servePlinth, until } from '../support/command.ts';
import { kept, live, reloaded } from '../support/live.ts';
import { productsOf, shop, wider, write, type Product } from './renewed.ts';

/**
 * Fields that are new in the file, in the records that `dev` has generated. See
 * docs/contract/7-data-debug-dashboard.md#generated-records-after-an-edit, rule 1.
 */
const namesOf = (products: readonly Product[]): unknown[] => products.map(({ name }) => name);

test('they get values while it is served', async () => {
  const served = await live(shop);
  const before = await productsOf(served);
  await write(served);
  await served.save(wider, reloaded);
  expect(served.note()).toContain(
    'makers has 25 records now.\nGenerated stock, sku, makerId, note for 6 records of products, and what may not be null for 1 written record.\n',
  );
  expect(served.note()).toContain('- add column products.stock (not null)\n');
  const products = await productsOf(served);
  expect(namesOf(products)).toEqual([...namesOf(before), 'mine']);
  for (const product of products)
    expect(product).toMatchObject({
      stock: expect.any(Number) as number,
      sku: expect.stringMatching(/^[A-Z]{4}$/u) as string,
      makerId: expect.any(Number) as number,
      note: product['name'] === 'mine' ? null : (expect.any(String) as string),
    });
  const refused = await served.get('/v1/products?sku_null=true');
  expect(await refused.json()).toEqual([]);
  // A field that may be null alone.
  await served.save(
    `${wider}      city: { type: string }\n`,
    'Generated city for 25 records of makers.',
  );
  await served.server.stop('SIGTERM');
});

test('they get values at the next start too', async () => {
  const first = await live(shop);
  await first.server.stop('SIGTERM');
  first.folder.write('plinth.yaml', wider);
  const server = await servePlinth(['dev'], { cwd: first.folder.path });
  expect(server.err()).toContain(
    'makers has 25 records now.\nGenerated stock, sku, makerId, note for 6 records of products.\n',
  );
  const products = (await (await fetch(`${server.url}/v1/products`)).json()) as Product[];
  expect(products.filter(({ stock }) => typeof stock === 'number')).toHaveLength(6);
  await server.stop('SIGTERM');
});

test.each([
  [
    'of a file',
    `data: data\n${shop}`,
    // As many as the file asks for, so that none is generated beside them.
    {
      'data/products.ndjson': ndjson(
        ...Array.from({ length: 6 }, () => ({ name: 'mine', price: '1', colour: 'red' })),
      ),
    },
    [],
  ],
  ['without generated data', shop, {}, ['--no-generate']],
])('records %s get none, and what may not be null is refused', async (_name, text, files, args) => {
  const served = await live(text, files, args);
  if (args.length > 0) await write(served);
  const widerText = text.replace(shop, () => wider);
  await served.save(widerText, kept);
  expect(served.note()).toContain('products.stock');
  const there = args.length > 0 ? '1 row' : '6 rows (id 1, 2, 3, …)';
  expect(served.note()).toContain(`not possible: ${there} would have no value`);
  expect(served.note()).toContain(
    'Or run "plinth dev plinth.yaml --reset" to start with new data.',
  );
  // What was served before still is, and takes records without the fields.
  expect(Object.keys((await productsOf(served))[0] ?? {})).toEqual([
    'id',
    'name',
    'price',
    'colour',
  ]);
  await write(served);
  await served.save(
    widerText.replaceAll(/(stock|sku|makerId)(.*), required: true/gu, '$1$2'),
    reloaded,
  );
  const products = await productsOf(served);
  expect(products).toHaveLength(args.length > 0 ? 2 : 7);
  for (const product of products)
    expect(product).toMatchObject({ stock: null, sku: null, note: null });
});

test('where values cannot be made for all records, what else was changed is put back', async () => {
  const served = await live(shop);
  const before = await productsOf(served);
  const other = shop
    .replace('name: { type', 'name: { column: label, type')
    .replace('colour: { type: string', 'colour: { type: integer');
  // There is no maker that a product could have.
  const key = '      makerId: { type: integer, required: true, reference: makers.id }\n';
  const makers = '  makers:\n    generate: { count: 0 }\n    fields: { name: { type: string } }\n';
  await served.save(`${other}${key}${makers}`, kept);
  expect(served.note()).toMatch(/products|makerId/u);
  expect(await productsOf(served)).toEqual(before);
  await write(served);
  await served.save(
    `${shop}      kind: { type: string, unique: true, required: true, enum: [a, b] }\n`,
    kept,
  );
  expect(served.note()).toContain('each has a value of its own, and kind has 2 values');
  expect(await productsOf(served)).toHaveLength(7);
});

test('what an edit gave others of is put back where it is refused', async () => {
  const served = await live(shop);
  // Most records are written: of them nobody makes up what they have to have.
  for (let index = 0; index < 7; index += 1) await write(served);
  const before = await productsOf(served);
  const dearer = shop.replace('price: { type: decimal', 'price: { type: decimal, minimum: 5000');
  const needed = '      stock: { type: integer, minimum: 0, required: true }\n';
  await served.save(`${dearer}${needed}`, kept);
  expect(served.note()).toContain('7 rows (id 7, 8, 9, …) would have no value');
  expect(await productsOf(served)).toEqual(before);
});

test('generated records follow what the file says of their values, and what was written stays', async () => {
  const served = await live(shop);
  const before = await productsOf(served);
  const patched = await fetch(`${served.server.url}/v1/products/2`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"colour":"mine"}',
  });
  expect(patched.status).toBe(200);
  const other = shop.replace(
    'colour: { type: string',
    'colour: { type: string, values: [blue, grey]',
  );
  await served.save(other, 'Generated colour for 5 records of products.');
  for (const [index, product] of (await productsOf(served)).entries())
    expect(product).toEqual({
      ...before[index],
      colour: index === 1 ? 'mine' : (expect.stringMatching(/^(?:blue|grey)$/u) as string),
    });
  await served.save(shop, reloaded);
  await until(async () => (await productsOf(served))[0]?.['colour'] === before[0]?.['colour']);
  // What cannot be made is told, and the values stay.
  await served.save(
    shop.replace(
      'colour: { type: string',
      () => "colour: { type: string, unique: true, pattern: '^[ab]$'",
    ),
    'is served, but its data cannot be generated.',
  );
  expect((await productsOf(served))[0]).toEqual(before[0]);
});

test('generated values of another type are made anew, and written ones are not lost', async () => {
  const served = await live(shop);
  const before = await productsOf(served);
  const numbers = shop.replace('colour: { type: string', 'colour: { type: integer');
  await served.save(numbers, reloaded);
  expect(served.note()).toContain('- change products.colour from ');
  expect(served.note()).toContain('Generated colour for 6 records of products.\n');
  for (const [index, product] of (await productsOf(served)).entries())
    expect(product).toEqual({ ...before[index], colour: expect.any(Number) as number });
  await served.save(shop, reloaded);
  expect(await productsOf(served)).toEqual(before);
  await write(served);
  await served.save(numbers, kept);
  expect(served.note()).toContain('(loses 1 value)');
  expect(await productsOf(served)).toMatchObject([...before, { colour: 'mine' }]);
  await served.server.stop('SIGTERM');
});

import { rmSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ndjson, plinth, servePlinth, until, type Serving } from '../support/command.ts';
import { kept, live, reloaded, type Live } from '../support/live.ts';
import { createDatabase } from '../support/postgres.ts';

/** Fields that are new in the file, in the records that `dev` has generated. Contract 3, Modes; 4, Generated data. */
const shop = `access: public
resources:
  products:
    generate: { count: 6 }
    fields:
      name: { type: string, required: true }
      price: { type: decimal, required: true }
      colour: { type: string, required: true }
`;
const wider = `${shop}      stock: { type: integer, minimum: 0, required: true }
      sku: { type: string, required: true, unique: true, pattern: '^[A-Z]{4}$' }
      makerId: { type: integer, required: true, reference: makers.id }
      note: { type: string }
  makers:
    fields:
      name: { type: string, required: true }
`;

type Product = Readonly<Record<string, unknown>>;

const productsOf = async ({ get }: Pick<Live, 'get'>): Promise<Product[]> =>
  (await (await get('/v1/products?sort=id')).json()) as Product[];

async function write({ server }: Pick<Live, 'server'>): Promise<void> {
  const answer = await fetch(`${server.url}/v1/products`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"mine","price":"1","colour":"mine"}',
  });
  expect(answer.status).toBe(201);
}

const namesOf = (products: readonly Product[]): unknown[] => products.map(({ name }) => name);

test.each(['SQLite', 'PostgreSQL'])('on %s they get values while it is served', async (name) => {
  const { url, drop } =
    name === 'SQLite' ? { url: undefined, drop: undefined } : await createDatabase();
  const served = await live(shop, {}, url === undefined ? [] : ['--database', url]);
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
  await drop?.();
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
    { 'data/products.ndjson': ndjson({ name: 'mine', price: '1', colour: 'red' }) },
    [],
  ],
  ['without generated data', shop, {}, ['--no-generate']],
])('records %s get none, and what may not be null is refused', async (_name, text, files, args) => {
  const served = await live(text, files, args);
  if (args.length > 0) await write(served);
  const widerText = text.replace(shop, () => wider);
  await served.save(widerText, kept);
  expect(served.note()).toContain('products.stock');
  expect(served.note()).toContain('not possible: 1 row would have no value');
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
  expect(await productsOf(served)).toMatchObject([{ stock: null }, { sku: null, note: null }]);
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
    'is served, but no data can be generated as it says.',
  );
  expect((await productsOf(served))[0]).toEqual(before[0]);
});

test.each(['SQLite', 'PostgreSQL'])(
  'on %s generated values of another type are made anew, and written ones are not lost',
  async (name) => {
    const { url, drop } =
      name === 'SQLite' ? { url: undefined, drop: undefined } : await createDatabase();
    const served = await live(shop, {}, url === undefined ? [] : ['--database', url]);
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
    expect(served.note()).toContain('(loses 7 values)');
    expect(await productsOf(served)).toMatchObject([...before, { colour: 'mine' }]);
    await served.server.stop('SIGTERM');
    await drop?.();
  },
);

const shown = async ({ url }: Pick<Serving, 'url'>, path: string): Promise<Product[]> =>
  (await (await fetch(`${url}/v1/${path}`)).json()) as Product[];

/** What a database that is made anew has. */
async function anew(text: string, path: string): Promise<Product[]> {
  const { server } = await live(text);
  return shown(server, path);
}

describe('what is edited while nobody serves it is followed at the next start', () => {
  const numbers = shop.replace('colour: { type: string', 'colour: { type: integer');
  const colours = shop.replace(
    'colour: { type: string',
    'colour: { type: string, values: [blue, grey]',
  );
  const renamed = colours.replace('colour: {', 'shade: { column: colour,');

  test.each([
    ['values', colours],
    ['another type', numbers],
    ['the locale', `generate: { locale: de }\n${shop}`],
    ['another name', renamed],
    ['what needs values', wider],
  ])('%s', async (_name, text) => {
    const first = await live(shop);
    await write(first);
    if (text !== numbers)
      await fetch(`${first.server.url}/v1/products/2`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: '{"colour":"mine"}',
      });
    else await fetch(`${first.server.url}/v1/products/7`, { method: 'DELETE' });
    await first.server.stop('SIGTERM');
    first.folder.write('plinth.yaml', text);
    const server = await servePlinth(['dev'], { cwd: first.folder.path });
    const [products, wanted] = [
      await shown(server, 'products?sort=id'),
      await anew(text, 'products?sort=id'),
    ];
    const generated = products.slice(0, 6);
    const mine = text === renamed ? { shade: 'mine' } : { colour: 'mine' };
    expect(generated).toEqual(
      wanted.map((one, index) => (index === 1 && text !== numbers ? { ...one, ...mine } : one)),
    );
    if (text !== numbers) expect(products[6]).toMatchObject({ name: 'mine', ...mine });
    await server.stop('SIGTERM');
  });

  test('by the seed that the records have, whatever seed the file names', async () => {
    const first = await live(shop);
    await first.server.stop('SIGTERM');
    await plinth(['generate', '--reset', '--seed', '7'], { cwd: first.folder.path });
    first.folder.write('plinth.yaml', wider);
    const server = await servePlinth(['dev'], { cwd: first.folder.path });
    expect(await shown(server, 'products?fields=name,stock&sort=id')).toEqual(
      await anew(`generate: { seed: 7 }\n${wider}`, 'products?fields=name,stock&sort=id'),
    );
    await server.stop('SIGTERM');
  });

  test('and what was broken off, or could not be made, is made up for', async () => {
    const first = await live(shop);
    await first.server.stop('SIGTERM');
    first.folder.write(
      'plinth.yaml',
      colours.replace('values: [blue, grey]', 'generator: no.such'),
    );
    const broken = await servePlinth(['dev'], { cwd: first.folder.path });
    await until(() => broken.err().includes('is served, but no data can be generated as it says.'));
    await broken.stop('SIGTERM');
    // As if it had been killed after the first record had got its value.
    const path = first.folder.at('.plinth/dev.db');
    const driver = new Driver(path);
    driver.exec(`UPDATE products SET colour = 'red' WHERE id = 1`);
    const [whole] = driver
      .prepare<[], string>('SELECT recipe FROM _plinth_generated')
      .pluck()
      .all();
    const part = whole?.replace('"colour":{', '"colour":{"values":["red"],') ?? '';
    driver.prepare('INSERT INTO _plinth_generated VALUES (9, ?)').run(part);
    driver.close();
    first.folder.write('plinth.yaml', colours);
    const server = await servePlinth(['dev'], { cwd: first.folder.path });
    expect(await shown(server, 'products?sort=id')).toEqual(
      await anew(colours, 'products?sort=id'),
    );
    await server.stop('SIGTERM');
  });

  test.each([
    ['is not there', 'DROP TABLE _plinth_generated'],
    ['is of another version', `UPDATE _plinth_generated SET recipe = '{"format":2}'`],
    ['cannot be read', `UPDATE _plinth_generated SET recipe = '{'`],
  ])('but not where what it was made by %s', async (_name, sql) => {
    const first = await live(shop);
    const before = await productsOf(first);
    await first.server.stop('SIGTERM');
    const driver = new Driver(first.folder.at('.plinth/dev.db'));
    driver.exec(sql);
    driver.close();
    first.folder.write('plinth.yaml', colours);
    const server = await servePlinth(['dev'], { cwd: first.folder.path });
    expect(await shown(server, 'products?sort=id')).toEqual(before);
    await server.stop('SIGTERM');
  });

  test('nor in a database that is not its own, where nothing is written down', async () => {
    const args = ['--database', 'sqlite:own.db'];
    const first = await live(shop, {}, args);
    const before = await productsOf(first);
    await first.server.stop('SIGTERM');
    first.folder.write('plinth.yaml', colours);
    const server = await servePlinth(['dev', ...args], { cwd: first.folder.path });
    expect(await shown(server, 'products?sort=id')).toEqual(before);
    await server.stop('SIGTERM');
    const driver = new Driver(first.folder.at('own.db'));
    expect(
      driver.prepare(`SELECT 1 FROM sqlite_schema WHERE name = '_plinth_generated'`).all(),
    ).toEqual([]);
    driver.close();
  });
});

test('values follow what could not be generated for a while, and the functions of a module', async () => {
  const module = (text: string): string => `export const colour = ({ row }) => '${text}' + row;\n`;
  const own = shop.replace(
    'colour: { type: string',
    'colour: { type: string, generator: ./own.js#colour',
  );
  const served = await live(own, { 'own.js': module('a') });
  const colours = async (): Promise<string> =>
    (await productsOf(served)).map(({ colour }) => colour).join();
  expect(await colours()).toBe('a1,a2,a3,a4,a5,a6');
  await served.save(own.replace('#colour', '#color'), 'no data can be generated as it says.');
  expect(await colours()).toBe('a1,a2,a3,a4,a5,a6');
  served.folder.write('own.js', module('b'));
  await served.save(own, 'Generated colour for 6 records of products.');
  expect(await colours()).toBe('b1,b2,b3,b4,b5,b6');
  await served.server.stop('SIGTERM');
  // The module that has made the values is gone.
  rmSync(served.folder.at('own.js'));
  served.folder.write(
    'plinth.yaml',
    own.replace('generator: ./own.js#colour', () => "template: 'c{{row}}'"),
  );
  const server = await servePlinth(['dev'], { cwd: served.folder.path });
  expect((await shown(server, 'products')).map(({ colour }) => colour)).toEqual([
    'c1',
    'c2',
    'c3',
    'c4',
    'c5',
    'c6',
  ]);
  await server.stop('SIGTERM');
});

test('records of a file stay as they are, however like generated ones they are', async () => {
  const flags = `data: data
access: public
resources:
  flags: { fields: { isOn: { type: boolean, required: true } } }
  notes: { generate: { count: 3 }, fields: { isOn: { type: boolean, required: true } } }
`;
  const records = Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    isOn: index % 2 === 0,
  }));
  const served = await live(flags, { 'data/flags.ndjson': ndjson(...records) });
  const edited = flags.replaceAll('required: true', 'required: true, values: [true]');
  await served.save(edited.replace('values: [true]', 'values: [false]'), reloaded);
  expect(await shown(served.server, 'flags?sort=id')).toEqual(records);
  await served.server.stop('SIGTERM');
  served.folder.write('plinth.yaml', edited);
  const server = await servePlinth(['dev'], { cwd: served.folder.path });
  expect(await shown(server, 'flags?sort=id')).toEqual(records);
  expect(await shown(server, 'notes?isOn=true')).toHaveLength(3);
  await server.stop('SIGTERM');
});

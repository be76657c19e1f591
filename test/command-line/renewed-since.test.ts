import { rmSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ndjson, plinth, servePlinth, until, type Serving } from '../support/command.ts';
import { live, reloaded } from '../support/live.ts';
import { productsOf, shop, wider, write, type Product } from './renewed.ts';

/**
 * Generated records of a file that has changed since they were made, whoever served it meanwhile. See
 * docs/contract/7-data-debug-dashboard.md#generated-records-after-an-edit, rule 2.
 */
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

  test('and what could not be made is made up for', async () => {
    const first = await live(shop);
    await first.server.stop('SIGTERM');
    first.folder.write(
      'plinth.yaml',
      colours.replace('values: [blue, grey]', 'generator: no.such'),
    );
    const broken = await servePlinth(['dev'], { cwd: first.folder.path });
    await until(() => broken.err().includes('is served, but its data cannot be generated.'));
    await broken.stop('SIGTERM');
    first.folder.write('plinth.yaml', colours);
    const server = await servePlinth(['dev'], { cwd: first.folder.path });
    expect(await shown(server, 'products?sort=id')).toEqual(
      await anew(colours, 'products?sort=id'),
    );
    await server.stop('SIGTERM');
  });

  test.each([
    ['is not there', 'DROP TABLE _plinth_generated'],
    ['is of another version', `UPDATE _plinth_generated SET recipe = '{"format":1}'`],
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
  await served.save(own.replace('#colour', '#color'), 'its data cannot be generated.');
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

test.each([
  ['other values', "colour: { type: string, values: ['blue', 'grey']"],
  ['another type', 'colour: { type: integer'],
])(
  'a field that the file did not name for a while may come back with %s',
  async (_name, colour) => {
    const served = await live(shop);
    await served.save(shop.replace(/ {6}colour.*\n/u, ''), reloaded);
    await served.server.stop('SIGTERM');
    const text = shop.replace('colour: { type: string', colour);
    served.folder.write('plinth.yaml', text);
    const server = await servePlinth(['dev'], { cwd: served.folder.path });
    expect(await shown(server, 'products?sort=id')).toEqual(await anew(text, 'products?sort=id'));
    await server.stop('SIGTERM');
  },
);

test('times and defaults that records were given keep them from following no edit', async () => {
  const served = await live(shop);
  const given = `${shop}      isOpen: { type: boolean, default: true }
      kind: { type: string, default: old }
    timestamps: true
`;
  await served.save(given, reloaded);
  const text = given.replace('colour: { type: string', 'colour: { type: string, values: [blue]');
  await served.save(text, 'Generated colour for 6 records of products.');
  expect((await productsOf(served)).map(({ colour }) => colour)).toEqual(
    Array.from({ length: 6 }, () => 'blue'),
  );
});

test('a migration to another type whose values never came is made up for', async () => {
  const free = shop.replace('colour: { type: string, required: true }', 'colour: { type: string }');
  const numbers = free.replace('colour: { type: string', 'colour: { type: integer');
  const served = await live(free);
  const onFile = <Value>(work: (driver: Driver.Database) => Value): Value => {
    const driver = new Driver(served.folder.at('.plinth/dev.db'));
    try {
      return work(driver);
    } finally {
      driver.close();
    }
  };
  const recipe = onFile((driver) =>
    driver.prepare<[], string>('SELECT recipe FROM _plinth_generated').pluck().get(),
  );
  await served.save(numbers, 'Generated colour for 6 records of products.');
  await served.server.stop('SIGTERM');
  onFile((driver) => {
    driver.exec('UPDATE products SET colour = NULL');
    driver.prepare('UPDATE _plinth_generated SET recipe = ?').run(recipe);
  });
  const server = await servePlinth(['dev'], { cwd: served.folder.path });
  expect(await shown(server, 'products?sort=id')).toEqual(await anew(numbers, 'products?sort=id'));
  await server.stop('SIGTERM');
});

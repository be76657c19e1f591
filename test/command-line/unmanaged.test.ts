import Driver from 'better-sqlite3';
import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

/** A shop with a junction, a key of several columns, a view and what the database fills. */
const tables = (id: string, real: string): string => `
CREATE TABLE products (id ${id}, name varchar(20) NOT NULL, price ${real} NOT NULL DEFAULT 1.5);
CREATE TABLE orders (id ${id}, customer text NOT NULL);
CREATE TABLE order_items (order_id integer NOT NULL REFERENCES orders (id), product_id integer NOT NULL REFERENCES products (id),
  amount integer NOT NULL DEFAULT 1, PRIMARY KEY (order_id, product_id));
INSERT INTO products (name) VALUES ('Tea'), ('Cup');
INSERT INTO orders (customer) VALUES ('Ann'), ('bob');
INSERT INTO order_items (order_id, product_id, amount) VALUES (1, 1, 2), (1, 2, 3), (2, 2, 1);`;

/** See docs/contract/8-existing-databases.md#managed-and-not. */
describe.each(['SQLite', 'PostgreSQL'])('an existing database on %s', (kind) => {
  const folder = makeFolder();
  let url = `sqlite:${folder.at('shop.db')}`;
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    if (kind === 'SQLite') {
      const file = new Driver(folder.at('shop.db'));
      file.exec(tables('INTEGER PRIMARY KEY', 'REAL'));
      file.close();
      return;
    }
    const made = await createDatabase();
    ({ url, drop } = made);
    const sql = driver(url, { max: 1, onnotice: () => undefined });
    await sql.unsafe(`${tables('serial PRIMARY KEY', 'real')}
      CREATE VIEW big_orders AS SELECT * FROM orders WHERE id > 0;`);
    await sql.end();
  });
  afterAll(() => drop?.());

  test('is served without a change, until it is asked for the keys of creates', async () => {
    const database = ['--database', url];
    await good(['introspect', url, '--out', 'plinth.yaml'], folder.path);
    await good(['check', 'plinth.yaml', ...database], folder.path);
    const { out } = await good(['migrate', 'plinth.yaml', ...database], folder.path);
    expect(out).toContain('is up to date.');
    const text = 'access: public\nrateLimit: false\n';
    const { readFileSync, writeFileSync } = await import('node:fs');
    writeFileSync(
      folder.at('plinth.yaml'),
      readFileSync(folder.at('plinth.yaml'), 'utf8').replace('resources:', `${text}resources:`),
    );
    const server = await servePlinth(['start', ...database], { cwd: folder.path });
    const ask = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<readonly [number, unknown]> => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return [response.status, answer === '' ? undefined : JSON.parse(answer)];
    };
    expect(await ask('GET', '/order-items/1,2')).toEqual([
      200,
      { id: '1,2', orderId: 1, productId: 2, amount: 3 },
    ]);
    expect(await ask('GET', '/orders/1?expand=products&fields=customer')).toEqual([
      200,
      {
        id: 1,
        customer: 'Ann',
        products: [
          { id: 1, name: 'Tea', price: 1.5, pivot: { amount: 2 } },
          { id: 2, name: 'Cup', price: 1.5, pivot: { amount: 3 } },
        ],
      },
    ]);
    const [status, made] = await ask('POST', '/products', { name: 'Pot' });
    expect([status, made]).toEqual([201, { id: 3, name: 'Pot', price: 1.5 }]);
    expect(await ask('POST', '/order-items', { orderId: 2, productId: 3 })).toEqual([
      201,
      { id: '2,3', orderId: 2, productId: 3, amount: 1 },
    ]);
    expect((await ask('PATCH', '/order-items/2,3', { amount: 5 }))[0]).toBe(200);
    expect((await ask('DELETE', '/order-items/2,3'))[0]).toBe(204);
    if (kind === 'PostgreSQL') {
      expect((await ask('GET', '/big-orders/2'))[0]).toBe(200);
      expect((await ask('POST', '/products', { name: 'x'.repeat(21) }))[0]).toBe(422);
    }
    const told = 'Requests with an Idempotency-Key are 501, since the database has no table';
    expect(server.err().split(told)).toHaveLength(2);
    const keyed = { 'idempotency-key': 'one' };
    expect((await ask('POST', '/orders', { customer: 'Cy' }, keyed))[0]).toBe(501);
    await good(['migrate', 'plinth.yaml', ...database, '--apply'], folder.path);
    const [first, second] = [
      await ask('POST', '/orders', { customer: 'Cy' }, keyed),
      await ask('POST', '/orders', { customer: 'Cy' }, keyed),
    ];
    expect([first[0], second]).toEqual([201, first]);
    await server.stop('SIGTERM');
  });
});

test('migrate ends with 1 at what a table of others lacks, and changes nothing', async () => {
  const folder = makeFolder({
    'plinth.yaml':
      'access: public\ndatabase: { managed: false }\nresources: { notes: { fields: { title: { type: string } } } }',
  });
  new Driver(folder.at('a.db')).exec('CREATE TABLE notes (id INTEGER PRIMARY KEY)').close();
  for (const flags of [[], ['--apply'], ['--apply', '--allow-data-loss']]) {
    const ended = await plinth(['migrate', '--database', 'sqlite:a.db', ...flags], {
      cwd: folder.path,
    });
    expect([ended.code, ended.out + ended.err]).toEqual([
      1,
      expect.stringContaining('notes has no column title'),
    ]);
  }
  const file = new Driver(folder.at('a.db'), { readonly: true });
  expect(file.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['notes']);
  file.close();
});

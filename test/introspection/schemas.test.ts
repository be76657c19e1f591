import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres, type Ask } from '../../src/databases/postgres/database.ts';
import { postgresForms } from '../../src/databases/postgres/stored-forms.ts';
import { specificationText } from '../../src/introspection/document.ts';
import { readPostgres } from '../../src/introspection/postgres/introspect.ts';
import { draftOf } from '../../src/introspection/resources.ts';
import { buildValid } from '../support/api.ts';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

// Several schemas, and many tables. See docs/contract/6-operation.md#introspect.
let test_: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  test_ = await createDatabase();
});
afterAll(() => test_?.drop());

async function run(sql: string): Promise<void> {
  const client = postgres(test_.url, { max: 1, onnotice: () => undefined });
  await client.unsafe(sql);
  await client.end();
}

interface Resource {
  readonly table?: string;
  readonly fields: Record<string, { readonly reference?: string; readonly resource?: string }>;
}

describe('--schema', () => {
  beforeAll(() =>
    run(`
    CREATE SCHEMA sales; CREATE SCHEMA "Odd Name"; CREATE SCHEMA hidden; CREATE SCHEMA bare;
    CREATE TABLE customers (id integer PRIMARY KEY, name text);
    CREATE TABLE orders (id integer PRIMARY KEY, note text);
    CREATE TABLE sales.orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers, mood text CHECK (mood IN ('a', 'b')));
    CREATE TABLE sales.lines (order_id integer REFERENCES sales.orders, no integer, PRIMARY KEY (order_id, no));
    CREATE VIEW sales.totals AS SELECT order_id, count(*) AS lines FROM sales.lines GROUP BY order_id;
    CREATE TABLE "Odd Name".things (id integer PRIMARY KEY, line_order integer, line_no integer, FOREIGN KEY (line_order, line_no) REFERENCES sales.lines);
    CREATE TABLE hidden.secrets (id integer PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE hidden.secrets_1 PARTITION OF hidden.secrets FOR VALUES FROM (1) TO (9);
    CREATE VIEW hidden.seen AS SELECT id FROM hidden.secrets;
    COMMENT ON TABLE sales.orders IS 'What was sold';
    INSERT INTO customers VALUES (1, 'ann');
    INSERT INTO sales.orders VALUES (7, 1, 'a');
    INSERT INTO sales.lines VALUES (7, 1);`),
  );

  test('reads what is named, and names what collides with its schema', async () => {
    const folder = makeFolder();
    const { out } = await good(
      [
        'introspect',
        test_.url,
        '--schema',
        'public,sales,Odd Name',
        '--out',
        'plinth.yaml',
        '--json',
      ],
      folder.path,
    );
    const { specification, left } = JSON.parse(out) as {
      specification: { resources: Record<string, Resource & { description?: string }> };
      left: readonly string[];
    };
    const { resources } = specification;
    expect(
      Object.fromEntries(Object.entries(resources).map(([name, { table }]) => [name, table])),
    ).toEqual({
      customers: undefined,
      orders: undefined,
      lines: 'sales.lines',
      'sales-orders': 'sales.orders',
      totals: 'sales.totals',
      things: 'Odd Name.things',
    });
    expect(resources['sales-orders']).toMatchObject({
      description: 'What was sold',
      fields: {
        customerId: { reference: 'customers.id' },
        mood: { type: 'enum', values: ['a', 'b'] },
        customer: { resource: 'customers' },
      },
    });
    expect(resources['things']?.fields['line']).toMatchObject({
      resource: 'lines',
      foreignKey: ['lineOrder', 'lineNo'],
    });
    expect(left).toEqual([
      'Schema hidden with 1 table and 1 view is left out: it is not named by --schema.',
    ]);
    await good(['check', '--database', test_.url], folder.path);
    const served = await servePlinth(['dev', '--no-generate', '--database', test_.url], {
      cwd: folder.path,
    });
    const ask = async (path: string): Promise<unknown> =>
      (await fetch(`${served.url}${path}`)).json();
    expect(
      await ask('/sales-orders/7?expand=customer,lines&fields=customer.name,lines.no'),
    ).toEqual({ id: 7, customer: { id: 1, name: 'ann' }, lines: [{ id: '7,1', no: 1 }] });
    const made = async (customerId: number): Promise<number> =>
      (
        await fetch(`${served.url}/sales-orders`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: 8, customerId }),
        })
      ).status;
    // The key leads to another schema, and holds.
    expect([await made(99), await made(1)]).toEqual([422, 201]);
    await served.stop('SIGTERM');
  });

  test.each([
    [['--schema', 'sales,nowhere'], 'The database has no schema nowhere. Change --schema.'],
    [['--schema', 'sales,'], '--schema names schemas, such as sales,public.'],
    [['--schema', 'sales', '--managed'], '--managed is for the schema in which the role'],
  ])('%j is refused', async (flags, message) => {
    const { err } = await plinth(['introspect', test_.url, ...flags], { cwd: makeFolder().path });
    expect(err).toContain(message);
  });

  // As in a database that keeps all tables in schemas of their own, and nothing in public.
  test.each([
    [[], "Read the schemas with tables by --schema 'Odd Name,hidden,public,sales', or begin"],
    [
      ['--schema', 'bare'],
      "Read the schemas with tables by --schema 'Odd Name,hidden,public,sales', or begin",
    ],
    [
      ['--managed'],
      'Set the search_path of the role to a schema with tables (Odd Name,hidden,public,sales), or begin',
    ],
  ])(
    'without a table in the schema that is read, %j names those that have tables',
    async (flags, message) => {
      const url = `${test_.url}?options=${encodeURIComponent('-c search_path=bare')}`;
      const { code, err } = await plinth(['introspect', url, ...flags], { cwd: makeFolder().path });
      expect(code).toBe(1);
      expect(err).toContain(`has no table that can be served. ${message}`);
      expect(err).toContain('Schema hidden with 1 table');
    },
  );
});

describe('many tables', () => {
  const count = 300;

  test('take a bounded number of statements', async () => {
    const columns = `id integer PRIMARY KEY, name varchar(50), is_paid char(1), created_at timestamptz, due date, "at" time, amount bigint, settled_on text, kind text`;
    await run(
      `CREATE SCHEMA many; SET search_path = many; ${Array.from({ length: count }, (_, index) => `CREATE TABLE t${index} (${columns}, other_id integer REFERENCES t${Math.max(0, index - 1)});`).join('\n')}`,
    );
    const url = `${test_.url}${test_.url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c search_path=many')}`;
    const database = await openPostgres(url, { poolSize: 1 });
    try {
      let asked = 0;
      const counting =
        (ask: Ask): Ask =>
        (...sql) => {
          asked += 1;
          return ask(...sql);
        };
      const found = await database.inspect((ask) => readPostgres(counting(ask)));
      // What all columns of a table ask first, then what some of them ask about forms.
      expect(asked).toBeLessThan(2 * count + 20);
      const draft = draftOf(found);
      expect(draft.resources).toHaveLength(count);
      const api = buildValid(specificationText(draft, [], undefined));
      asked = 0;
      await database.inspect((ask) => postgresForms(counting(ask), api));
      expect(asked).toBeLessThan(count + 20);
    } finally {
      await database.close();
    }
  });
});

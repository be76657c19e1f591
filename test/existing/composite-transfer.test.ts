import { readFileSync, writeFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, withTokens } from '../support/callers.ts';
import { makeFolder, plinth } from '../support/command.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

/** Records with composite keys in files, in another database and in the audit log. See docs/contract/8-existing-databases.md#keys. */
const specification = `
access: public
database: { managed: false }
resources:
  orders: { key: [shop, number], fields: { shop: { type: string }, number: { type: integer }, note: { type: string } } }
  lines:
    key: [shop, orderNo, line]
    fields:
      shop: { type: string }
      orderNo: { type: integer }
      line: { type: integer }
      amount: { type: decimal, precision: 12, scale: 2 }
      order: { type: relation, relation: belongsTo, resource: orders, foreignKey: [shop, orderNo] }
`;
const tables = (decimal: string): string => `
  CREATE TABLE orders (shop varchar(20) NOT NULL, number integer NOT NULL, note text, PRIMARY KEY (shop, number));
  CREATE TABLE lines (shop varchar(20) NOT NULL, "orderNo" integer NOT NULL, line integer NOT NULL, amount ${decimal},
    PRIMARY KEY (shop, "orderNo", line), FOREIGN KEY (shop, "orderNo") REFERENCES orders (shop, number));`;
const rows = `
  INSERT INTO orders VALUES ('a', 1, 'x'), ('a', 2, NULL), ('b,c/d%', 1, 'y');
  INSERT INTO lines VALUES ('a', 1, 1, '1.50'), ('a', 1, 2, '0.25'), ('b,c/d%', 1, 1, '-3.00');`;

const audited = `${withTokens}\naudit: { roles: [auditor] }\n${specification}`;

describe.each([
  ['SQLite', existingSqlite],
  ['PostgreSQL', existingPostgres],
])('the audit log on %s', (name, open) => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await open(audited, tables(name === 'SQLite' ? 'text' : 'numeric(12, 2)') + rows);
  });
  afterAll(() => existing?.stop());

  test('has the id that the record has', async () => {
    const send = async (method: string, path: string, body?: unknown): Promise<void> => {
      const answer = await existing.api.send(method, path, body);
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    };
    await send('POST', '/orders', { shop: 'n,1', number: 7, note: 'new' });
    await send('PATCH', '/orders/n%252C1,7', { note: 'changed' });
    await send('PATCH', '/lines?shop=a', { amount: '9.00' });
    await send('DELETE', '/lines/a,1,2');
    await send('POST', '/orders', {
      shop: 'z',
      number: 1,
    });
    const auditor = caller({ sub: 'eve', roles: ['auditor'] });
    const { body } = await existing.api.get(
      '/_audit?fields=resource,recordId,operation&sort=id&limit=20',
      auditor,
    );
    expect(
      (body as { resource: string; recordId: string; operation: string }[]).map((one) =>
        [one.operation, one.resource, one.recordId].join(' '),
      ),
    ).toEqual([
      'create orders n%2C1,7',
      'update orders n%2C1,7',
      'update lines a,1,1',
      'update lines a,1,2',
      'delete lines a,1,2',
      'create orders z,1',
    ]);
    const one = await existing.api.get('/_audit?recordId=n%252C1,7&operation=update', auditor);
    expect(one.body).toMatchObject([
      { changed: ['note'], before: { note: 'new' }, after: { note: 'changed' } },
    ]);
  });
});

describe('files and another database', () => {
  const folder = makeFolder({ 'plinth.yaml': specification });
  const run = async (...args: string[]): Promise<{ code: number | null; told: string }> => {
    const { code, out, err } = await plinth(args, { cwd: folder.path });
    return { code, told: `${out}${err}` };
  };
  let target: TestDatabase;
  let sql: postgres.Sql;
  beforeAll(async () => {
    new Driver(folder.at('old.db')).exec(tables('text') + rows).close();
    target = await createDatabase();
    sql = postgres(target.url, { max: 1 });
    await sql.unsafe(tables('numeric(12, 2)'));
  });
  afterAll(async () => {
    await sql?.end();
    await target?.drop();
  });
  const read = (format: string, name: string): string =>
    readFileSync(folder.at(format, `${name}.${format}`), 'utf8');

  test('are exported, and imported again as equal', async () => {
    for (const format of ['ndjson', 'json', 'csv']) {
      const out = await run('export', format, '--format', format, '--database', 'sqlite:old.db');
      expect(out.code, out.told).toBe(0);
      const again = await run('import', format, '--database', 'sqlite:old.db');
      expect([again.code, again.told]).toEqual([0, expect.stringContaining('6 already existed')]);
    }
    expect(read('csv', 'lines').split('\r\n').slice(0, 3)).toEqual([
      'id,shop,orderNo,line,amount',
      '"a,1,1",a,1,1,1.50',
      '"a,1,2",a,1,2,0.25',
    ]);
  });

  test('are imported into the other database, and differences are named', async () => {
    const first = await run('import', 'ndjson', '--database', target.url);
    expect(first.code, first.told).toBe(0);
    expect((await run('import', 'csv', '--database', target.url)).told).toContain(
      '6 already existed',
    );
    const out = await run('export', 'back', '--database', target.url);
    expect(out.code, out.told).toBe(0);
    for (const name of ['orders', 'lines'])
      expect(readFileSync(folder.at('back', `${name}.ndjson`), 'utf8')).toBe(read('ndjson', name));
    writeFileSync(
      folder.at('orders.ndjson'),
      '{"id":"a,1","shop":"a","number":1,"note":"other"}\n{"id":"b%2Cc%2Fd%25,1","shop":"b,c/d%","number":1,"note":"y"}\n',
    );
    const refused = await run('import', 'orders.ndjson', '--database', target.url);
    expect([refused.code, refused.told]).toEqual([
      1,
      expect.stringContaining('orders.ndjson:1 id is taken'),
    ]);
    const replaced = await run('import', 'orders.ndjson', '--replace', '--database', target.url);
    expect(replaced.code, replaced.told).toBe(0);
    expect([...(await sql`SELECT note FROM orders WHERE shop = 'a' AND number = 1`)]).toEqual([
      { note: 'other' },
    ]);
  });

  test('are promoted', async () => {
    await sql`TRUNCATE orders, lines`;
    const promoted = await run('promote', '--from', 'sqlite:old.db', '--to', target.url);
    expect([promoted.code, promoted.told]).toEqual([
      0,
      expect.stringContaining('6 records are equal'),
    ]);
    await sql`UPDATE lines SET amount = 7 WHERE line = 2`;
    const differs = await run('promote', '--from', 'sqlite:old.db', '--to', target.url);
    expect(differs.code).toBe(1);
  });
});

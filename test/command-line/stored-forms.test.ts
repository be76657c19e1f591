import Driver from 'better-sqlite3';
import driver from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder, plinth, servePlinth, until, type Folder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const file = `access: public
resources:
  orders:
    table: old_orders
    timestamps: true
    fields:
      createdAt: { type: datetime, column: created }
      updatedAt: { type: datetime, column: updated }
      price: { type: decimal, column: price_text }
      isPaid: { type: boolean, column: paid }
`;

const at = '2026-03-01T14:05:00.000Z';
const record = { id: 1, createdAt: at, updatedAt: at, price: '19.90', isPaid: true };

const tableOf = (id: string): string =>
  `CREATE TABLE old_orders (id ${id}, created BIGINT, updated VARCHAR(40), price_text TEXT, paid VARCHAR(1));
   INSERT INTO old_orders (created, updated, price_text, paid) VALUES (1772373900, '2026-03-01 14:05:00', '19.9', 'Y');`;

function sqliteFolder(): Folder {
  const folder = makeFolder({ 'plinth.yaml': file });
  const database = new Driver(folder.at('old.db'));
  database.exec(tableOf('INTEGER PRIMARY KEY AUTOINCREMENT'));
  database.close();
  return folder;
}

/** Asks the file itself. */
function stored(folder: Folder, sql: string): unknown {
  const database = new Driver(folder.at('old.db'));
  try {
    return database.prepare(sql).raw().all();
  } finally {
    database.close();
  }
}

test('dev serves and writes an existing file in its forms, and goes on so after an edit', async () => {
  const folder = sqliteFolder();
  const { url, err, stop } = await servePlinth(['dev', '--database', 'sqlite:old.db'], {
    cwd: folder.path,
  });
  const list = async (): Promise<unknown> =>
    (await fetch(`${url}/v1/orders?createdAt_gte=2026-01-01&price_gt=9.5&isPaid=true`)).json();
  expect(await list()).toMatchObject([record]);
  const body = JSON.stringify({ price: '100', isPaid: false });
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${url}/v1/orders`, { method: 'POST', body, headers });
  expect([made.status, await made.json()]).toEqual([
    201,
    expect.objectContaining({ id: 2, price: '100.00', isPaid: false }),
  ]);
  expect(
    stored(
      folder,
      `SELECT typeof(created), updated GLOB '????-??-?? ??:??:*', price_text, paid FROM old_orders WHERE id = 2`,
    ),
  ).toEqual([['integer', 1, '100.00', 'N']]);
  const noted = `${file}      note: { type: string }\n`;
  folder.write('plinth.yaml', noted);
  await until(() => err().includes('The last valid version stays in use'));
  await good(['migrate', '--apply', '--database', 'sqlite:old.db'], folder.path);
  folder.write('plinth.yaml', noted);
  await until(() => err().includes('was read again and is served'));
  expect(await list()).toEqual([{ ...record, note: null }]);
  await stop('SIGTERM');
});

test('migrate asks for no column, start serves with workers, export and import keep the forms', async () => {
  const folder = sqliteFolder();
  const database = ['--database', 'sqlite:old.db'];
  const planned = JSON.parse((await good(['migrate', ...database, '--json'], folder.path)).out) as {
    steps: { summary: string }[];
  };
  expect(planned.steps.filter(({ summary }) => summary.includes('old_orders'))).toEqual([]);
  await good(['migrate', ...database, '--apply'], folder.path);
  const { url, stop } = await servePlinth(['start', ...database, '--workers', '2'], {
    cwd: folder.path,
  });
  expect(await (await fetch(`${url}/v1/orders/1`)).json()).toEqual(record);
  await stop('SIGTERM');
  await good(['export', 'out', ...database], folder.path);
  const emptied = new Driver(folder.at('old.db'));
  emptied.exec('DELETE FROM old_orders WHERE id <> 1');
  emptied.exec(`INSERT INTO old_orders VALUES (9, 1, '2026-03-01 14:05:00', '1', 'N')`);
  emptied.exec('DELETE FROM old_orders WHERE id = 1');
  emptied.close();
  await good(['import', 'out', ...database], folder.path);
  expect(stored(folder, 'SELECT * FROM old_orders WHERE id = 1')).toEqual([
    [1, 1_772_373_900, '2026-03-01 14:05:00', '19.90', 'Y'],
  ]);
});

test('values in two forms are refused with their count, and storedAs wins', async () => {
  const folder = sqliteFolder();
  const old = new Driver(folder.at('old.db'));
  old.exec(
    `INSERT INTO old_orders (created, updated) VALUES (1, '${at}'), (2, '2026-03-01 14:05:01')`,
  );
  old.close();
  for (const args of [['start'], ['migrate', '--apply']]) {
    const { code, out, err } = await plinth([...args, '--database', 'sqlite:old.db'], {
      cwd: folder.path,
    });
    expect([code, err]).toEqual([1, expect.stringMatching(/Resolve the steps/u)]);
    expect([args, out + err]).toEqual([
      args,
      expect.stringContaining(
        'read old_orders.updated as sqlText (not possible: 1 value is not stored so; change them, or say of the field what they are)',
      ),
    ]);
  }
  folder.write(
    'plinth.yaml',
    file.replace('column: updated', 'column: updated, storedAs: isoText'),
  );
  const { code, err } = await plinth(['start', '--database', 'sqlite:old.db'], {
    cwd: folder.path,
  });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('read old_orders.updated as isoText (not possible: 2 values are'),
  ]);
});

test('a default that the column cannot hold is told with its place', async () => {
  const folder = makeFolder({
    'plinth.yaml': `access: public\nresources:\n  logs:\n    fields:\n      at: { type: datetime, default: '2026-03-01T14:05:00.250Z' }\n`,
  });
  const old = new Driver(folder.at('old.db'));
  old.exec(
    'CREATE TABLE logs (id INTEGER PRIMARY KEY, at INT); INSERT INTO logs VALUES (1, 1772373900)',
  );
  old.close();
  const { code, err } = await plinth(['start', '--database', 'sqlite:old.db'], {
    cwd: folder.path,
  });
  expect(code).toBe(1);
  expect(err).toMatch(
    /plinth\.yaml:5:\d+ error resources\.logs\.fields\.at\.default: .*whole second/u,
  );
  expect(err).toContain('does not go with how the database stores its values');
});

test('PostgreSQL: start serves an existing table, and what is promoted to it is in its usual forms', async () => {
  const [existing, target] = [await createDatabase(), await createDatabase()];
  const folder = sqliteFolder();
  const client = driver(existing.url, { max: 1, onnotice: () => undefined });
  await client.unsafe(tableOf('bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY'));
  await client.end();
  const database = ['--database', existing.url];
  const planned = JSON.parse((await good(['migrate', ...database, '--json'], folder.path)).out) as {
    steps: { summary: string }[];
  };
  expect(planned.steps.filter(({ summary }) => summary.includes('old_orders'))).toEqual([]);
  await good(['migrate', ...database, '--apply'], folder.path);
  const { url, stop } = await servePlinth(['start', ...database], { cwd: folder.path });
  const list = await fetch(`${url}/v1/orders?sort=-price&updatedAt=2026-03-01T14:05:00Z`);
  expect(await list.json()).toEqual([record]);
  await stop('SIGTERM');
  await good(['migrate', '--database', 'sqlite:old.db', '--apply'], folder.path);
  for (const count of ['1 records are equal', 'already existed'])
    expect(
      (await good(['promote', '--from', 'sqlite:old.db', '--to', target.url], folder.path)).out,
    ).toContain(count);
  const copy = driver(target.url, { max: 1 });
  const types =
    await copy`SELECT data_type FROM information_schema.columns WHERE table_name = 'old_orders' ORDER BY column_name`;
  await copy.end();
  expect(types.map((row) => String(row['data_type'])).toSorted()).toEqual([
    'bigint',
    'boolean',
    'numeric',
    'timestamp with time zone',
    'timestamp with time zone',
  ]);
  await existing.drop();
  await target.drop();
});

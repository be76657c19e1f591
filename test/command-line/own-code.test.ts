import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { good, makeFolder, ndjson, plinth, servePlinth, until } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const specification = `code: ./api.ts
access: public
rateLimit: false
database: sqlite:orders.db
server: { requestTimeout: 10m }
resources:
  orders:
    fields: { number: { type: integer } }
  marks:
    fields:
      number: { type: integer }
      parts: { type: relation, relation: hasMany, resource: parts }
  parts:
    fields:
      size: { type: integer }
      markId: { type: integer, reference: marks.id }
      mark: { type: relation, relation: belongsTo, resource: marks }
`;

/** The number of an order whose `afterCommit` takes a while. */
const brief = -7;

/** Each `afterCommit` writes several records at once, most never end then; a timer of the module does not, either. */
const api = `
import { setTimeout as delay } from 'node:timers/promises';
import { defineCode } from 'plinth';
const brief = ${brief};
setInterval(() => undefined, 1_000);
export default defineCode({
  resources: {
    orders: {
      async afterCommit({ after }, { db }) {
        const { number } = after;
        if (number === brief) await delay(1_000);
        await db.marks.create({ number, parts: { create: [{ size: 1 }, { size: 2 }] } });
        if (number !== brief) await new Promise(() => undefined);
      },
    },
  },
});
`;

/** As many as run at a time, and as many as wait. */
const [running, waiting] = [100, 10_000];

test('afterCommits that wait at SIGTERM are counted in the log, and nothing of them is half done', async () => {
  const folder = makeFolder({ 'plinth.yaml': specification, 'api.ts': api });
  await good(['migrate', '--apply'], folder.path);
  const surroundings = { cwd: folder.path };
  const server = await servePlinth(['start'], surroundings);
  for (let sent = 0; sent < running + waiting;) {
    const count = Math.min(1_000, running + waiting - sent);
    const { status } = await fetch(`${server.url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
      body: JSON.stringify(Array.from({ length: count }, (_, index) => ({ number: sent + index }))),
    });
    expect(status).toBe(201);
    sent += count;
  }
  const totalAt = async (url: string, path: string): Promise<number> =>
    Number((await fetch(`${url}/v1/${path}?limit=1`)).headers.get('x-total-count'));
  await until(async () => (await totalAt(server.url, 'marks')) === running);
  // One more than may wait.
  const more = await fetch(`${server.url}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: -1 }),
  });
  expect(more.status).toBe(201);
  const metrics = await (await fetch(`${server.url}/_metrics`)).text();
  expect(metrics).toMatch(/plinth_own_code_calls_total\{[^}]*"dropped"[^}]*\} 1\n/u);
  const { code, out } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  const linesWith = (text: string): readonly object[] =>
    out
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as object);
  expect(linesWith('was dropped')).toMatchObject([
    { level: 'error', msg: expect.stringContaining('afterCommit of orders was dropped') as string },
  ]);
  expect(linesWith('afterCommit calls')).toMatchObject([
    {
      level: 'error',
      msg: `${running + waiting} afterCommit calls were not done when the server stopped`,
    },
  ]);

  const again = await servePlinth(['start'], surroundings);
  const paths = ['orders', 'marks', 'parts'];
  expect(await Promise.all(paths.map((path) => totalAt(again.url, path)))).toEqual([
    running + waiting + 1,
    running,
    2 * running,
  ]);
  await again.stop('SIGTERM');
});

test.each([
  ['one process', []],
  ['several', ['--workers', '2']],
])('%s ends whatever own code has left running, after its afterCommits', async (_, flags) => {
  const folder = makeFolder({ 'plinth.yaml': specification, 'api.ts': api });
  await good(['migrate', '--apply'], folder.path);
  const server = await servePlinth(['start', ...flags], { cwd: folder.path });
  const { status } = await fetch(`${server.url}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: brief }),
  });
  expect(status).toBe(201);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  const written = new Driver(folder.at('orders.db'), { readonly: true });
  expect(written.prepare('SELECT number FROM marks').all()).toEqual([{ number: brief }]);
  written.close();
});

const throwing = `
const no = () => { throw new Error('A hook has run'); };
const hooks = { beforeCreate: no, beforeUpdate: no, beforeDelete: no, afterCommit: no };
export default { resources: { orders: hooks, marks: hooks, parts: hooks } };
`;

test('import, generate and promote run no hooks', async () => {
  const folder = makeFolder({
    'plinth.yaml': specification,
    'api.ts': throwing,
    'orders.ndjson': ndjson({ id: 1, number: 1 }, { id: 2, number: 2 }),
  });
  const target = await createDatabase();
  try {
    const run = async (...args: string[]): Promise<void> => {
      const { out, err } = await good(args, folder.path);
      expect(`${out}${err}`).not.toContain('A hook has run');
    };
    await run('migrate', '--apply');
    const orders = ['--database', 'sqlite:orders.db'];
    await run('import', 'orders.ndjson', ...orders);
    await run('generate', '--reset', '--delete-all', ...orders);
    await run('promote', '--from', 'sqlite:orders.db', '--to', target.url);
  } finally {
    await target.drop();
  }
});

test.each(['start', 'dev'])('%s does not begin if start of the module fails', async (command) => {
  const folder = makeFolder({
    'plinth.yaml': specification,
    'api.ts': `export default { async start() { throw new Error('no mailer'); } };`,
  });
  if (command === 'start') await good(['migrate', '--apply'], folder.path);
  const { code, err } = await plinth([command, '--port', '0'], { cwd: folder.path });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('api.ts cannot be started: no mailer') as string,
  ]);
});

test('check loads the module, and tells all that is wrong with it by line and column', async () => {
  const folder = makeFolder({
    'plinth.yaml': specification,
    'api.ts': `export default {
  resources: {
    order: {},
    orders: { beforeCreated() {}, beforeDelete(record, context) {} },
  },
  endpoints: {
    'GET /orders': () => 1,
    'POST /a': { body: { type: 'objekt' }, handler() {} },
  },
};
`,
  });
  const { code, out } = await plinth(['check'], { cwd: folder.path });
  expect(code).toBe(1);
  const places = [...out.matchAll(/^api\.ts:(\d+:\d+) error (.*)$/gmu)].map(([, at, text]) => [
    at,
    text,
  ]);
  expect(places).toEqual([
    ['3:5', expect.stringContaining('did you mean orders?')],
    ['4:15', expect.stringContaining('did you mean beforeCreate?')],
    ['4:35', expect.stringContaining('takes (context)')],
    ['7:5', expect.stringContaining('the resource orders answers /orders')],
    ['8:18', expect.stringContaining('it is no JSON Schema')],
  ]);
});

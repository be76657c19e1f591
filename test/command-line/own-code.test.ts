import { expect, test } from 'vitest';
import { good, makeFolder, servePlinth, until } from '../support/command.ts';

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

/** Each `afterCommit` writes several records at once, then never ends; a timer of the module does not, either. */
const api = `
import { defineCode } from 'plinth';
setInterval(() => undefined, 1_000);
export default defineCode({
  resources: {
    orders: {
      async afterCommit({ after }, { db }) {
        const { number } = after;
        await db.marks.create({ number, parts: { create: [{ size: 1 }, { size: 2 }] } });
        await new Promise(() => undefined);
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
  const { code, out } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(out).not.toContain('was dropped');
  const lines = out.split('\n').filter((line) => line.includes('afterCommit calls'));
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      level: 'error',
      msg: `${running + waiting} afterCommit calls were not done when the server stopped`,
    },
  ]);

  const again = await servePlinth(['start'], surroundings);
  const paths = ['orders', 'marks', 'parts'];
  expect(await Promise.all(paths.map((path) => totalAt(again.url, path)))).toEqual([
    running + waiting,
    running,
    2 * running,
  ]);
  await again.stop('SIGTERM');
});

test.each([
  ['one process', []],
  ['several', ['--workers', '2']],
])('what own code has left running does not keep %s from ending', async (_, flags) => {
  const folder = makeFolder({ 'plinth.yaml': specification, 'api.ts': api });
  await good(['migrate', '--apply'], folder.path);
  const server = await servePlinth(['start', ...flags], { cwd: folder.path });
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
});

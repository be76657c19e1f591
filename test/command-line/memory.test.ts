import { connect } from 'node:net';
import { setImmediate as immediately } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, makeFolder, ndjson, servePlinth, type Serving } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

/**
 * No set of requests that the limits allow ends the process. See docs/contract/6-operation.md#memory. Without a common
 * budget, each of these attacks ended a server of this size within a second or two.
 */
const specification = `access: public
rateLimit: false
server: { requestTimeout: 5s }
limits: { expandedItems: 300 }
resources:
  docs:
    fields:
      title: { type: string }
      body: { type: text }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: doc-tags }
  tags:
    fields:
      name: { type: string }
      docs: { type: relation, relation: belongsToMany, resource: docs, through: doc-tags }
  doc-tags:
    fields:
      docId: { type: integer, required: true, reference: docs.id }
      tagId: { type: integer, required: true, reference: tags.id }
`;
const count = 800;
const numbers = Array.from({ length: count }, (_, index) => index + 1);
const files = {
  'plinth.yaml': specification,
  'data/docs.ndjson': ndjson(
    ...numbers.map((id) => ({ id, title: `doc ${id}`, body: `${id} `.repeat(4_000) })),
  ),
  'data/tags.ndjson': ndjson(...[1, 2, 3].map((id) => ({ id, name: `tag ${id}` }))),
  'data/doc-tags.ndjson': ndjson(...numbers.map((id) => ({ id, docId: id, tagId: 1 + (id % 3) }))),
};
const little = ['--max-old-space-size=200', '--max-semi-space-size=4'];

/** Sends requests on one connection and reads all of it, or nothing; gives the status codes. */
function ask(url: string, paths: readonly string[], reads: boolean): Promise<readonly string[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const codes: string[] = [];
    let end = '';
    const heads = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(codes));
    socket.on('data', (data) => {
      const text = end + data.toString('latin1');
      codes.push(...[...text.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map(([, code = '']) => code));
      end = text.slice(-12).replace(/HTTP\/1\.1 \d{3} /u, '');
      if (!reads) socket.pause();
    });
    socket.write(heads.join('\r\n') + 'Connection: close\r\n\r\n');
    if (!reads) setTimeout(() => socket.destroy(), 4_000);
  });
}

/** Reads and writes a little again and again until `end`; gives how many responses were good. */
async function servedUntil(end: Promise<unknown>, url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const isOver = end.then(() => true);
  let served = 0;
  while (!(await Promise.race([isOver, immediately(false)]))) {
    const read = await fetch(`${url}/tags/1`);
    const body = JSON.stringify({ name: `tag ${served}` });
    const written = await fetch(`${url}/tags/2`, { method: 'PATCH', headers, body });
    await Promise.all([read.text(), written.text()]);
    served += [read, written].filter(({ ok }) => ok).length;
  }
  return served;
}

const attacks: readonly (readonly [
  name: string,
  connections: number,
  paths: readonly string[],
  reads: boolean,
])[] = [
  ['large pages', 60, ['/docs?limit=1000'], true],
  ['large pages that nobody reads', 60, ['/docs?limit=1000'], false],
  [
    'records that are expanded into each other',
    60,
    ['/docs?limit=1000&expand=tags.docs&fields=title'],
    true,
  ],
  [
    'pages of different plans',
    60,
    ['/docs?limit=790&fields=body', '/docs?limit=780&exclude=title'],
    true,
  ],
  ['many requests on each connection', 20, Array<string>(4).fill('/docs?limit=1000'), true],
];

describe.each(['SQLite', 'PostgreSQL'])('a server on %s with 200 MiB of heap', (name) => {
  let server: Serving;
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const folder = makeFolder(files);
    const made = name === 'SQLite' ? undefined : await createDatabase();
    drop = made?.drop;
    const database = ['--database', made?.url ?? 'sqlite:test.db'];
    await good(['migrate', '--apply', ...database], folder.path);
    await good(['import', 'data', ...database], folder.path);
    server = await servePlinth(['start', ...database], { cwd: folder.path, flags: little });
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
    await drop?.();
  });

  test.each(attacks)(
    'lives through %s, and serves others meanwhile',
    async (_, connections, paths, reads) => {
      const attack = Promise.all(
        Array.from({ length: connections }, () => ask(server.url, paths, reads)),
      );
      const served = await servedUntil(attack, server.url);
      const codes = await attack;
      // Large reads that kept all memory let others have a few responses, or two.
      expect(served).toBeGreaterThan(12);
      const known = new Set(['200', '400', '503', '504']);
      for (const code of codes.flat()) expect(known).toContain(code);
      const { status } = await fetch(`${server.url}/docs/7?fields=title`);
      expect(status).toBe(200);
      expect(server.child.exitCode).toBe(null);
    },
  );

  test('serves a large page still', async () => {
    const page = await fetch(`${server.url}/docs?limit=1000`);
    expect(page.status).toBe(200);
    expect((await page.text()).length).toBeGreaterThan(12_000_000);
  });
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  launchPlinth,
  library,
  makeFolder,
  plinth,
  servePlinth,
  until,
} from '../support/command.ts';
import { freePort } from '../support/ports.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines below the banner. */
function logOf(out: string): readonly string[] {
  return out
    .slice(out.indexOf('Stop:'))
    .split('\n')
    .slice(1)
    .filter((line) => line !== '');
}

test('each request is a line of JSON on standard output, and none is lost at the end', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  const paths = Array.from({ length: 50 }, (_, index) => `/v1/authors?page=${index + 1}`);
  await Promise.all([...paths, '/_health', '/_ready'].map((path) => fetch(`${server.url}${path}`)));
  const { out, err, code } = await server.stop('SIGTERM');
  expect([err, code]).toEqual(['', 0]);
  const lines = logOf(out).map((line) => JSON.parse(line) as Line);
  expect(lines).toHaveLength(50);
  for (const line of lines)
    expect(line).toMatchObject({ level: 'info', path: '/v1/authors', status: 200 });
  expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(50);
  const pages = new Set(lines.map(({ query }) => (query as { page: string }).page));
  expect(pages).toEqual(new Set(paths.map((path) => path.split('=')[1])));
});

test('`logging: { enabled: false }` writes none', async () => {
  const folder = makeFolder({ 'plinth.yaml': `${library}\nlogging: { enabled: false }\n` });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  await fetch(`${server.url}/v1/authors`);
  const { out, err } = await server.stop('SIGTERM');
  expect([logOf(out), err]).toEqual([[], '']);
});

// No stack unless `--verbose` is given. See docs/contract/6-operation.md#command-line, rule 2.
test.each([
  [
    'a sentence',
    [],
    /^GET \/v1\/items failed \(request [^)]+\): The statement took too long\.\n$/u,
  ],
  ['its stack with --verbose', ['--verbose'], /^GET \/v1\/items failed [^\n]+\n +at /u],
] as const)('without a log a failure is told on standard error: %s', async (_, flags, expected) => {
  const folder = makeFolder({
    'plinth.yaml': `logging: { enabled: false }
database: { url: "sqlite:.plinth/dev.db", statementTimeout: 500ms }
resources:
  groups:
    generate: { count: 1 }
    fields: { items: { type: relation, relation: hasMany, resource: items } }
  items:
    generate: { count: 400 }
    fields: { name: { type: string }, groupId: { type: integer, required: true, reference: groups.id }, whole: { type: relation, relation: belongsTo, resource: groups, foreignKey: groupId } }
`,
  });
  const server = await servePlinth(['dev', ...flags], { cwd: folder.path });
  const path = 'whole.items.whole.items.name';
  const answer = await fetch(`${server.url}/v1/items?${path}=none`);
  expect(answer.status).toBe(504);
  const { out, err } = await server.stop('SIGTERM');
  expect(logOf(out)).toEqual([]);
  expect(err).toMatch(expected);
});

test('`format: pretty` is for people', async () => {
  const folder = makeFolder({ 'plinth.yaml': `${library}\nlogging: { format: pretty }\n` });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  await fetch(`${server.url}/v1/authors?limit=3`);
  const { out } = await server.stop('SIGTERM');
  const [line = '', ...others] = logOf(out);
  expect(others).toEqual([]);
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET \/v1\/authors 200 \{.*"limit":"3"/u);
});

test('traces go where the environment says', async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  const { port } = collector.address() as AddressInfo;
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev'], {
    cwd: folder.path,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_SERVICE_NAME: 'my-library',
    },
  });
  await fetch(`${server.url}/v1/authors`);
  expect((await server.stop('SIGTERM')).code).toBe(0);
  collector.close();
  expect(bodies.join('')).toContain('my-library');
  expect(bodies.join('')).toContain('GET authors.list');
});

test('a collector that is no URL is said at once', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const { code, err } = await plinth(['dev', '--port', '0'], {
    cwd: folder.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  });
  expect([code, err]).toEqual([
    2,
    'OTEL_EXPORTER_OTLP_ENDPOINT is not a URL. Write one such as http://localhost:4318, or leave it out.\n',
  ]);
});

/** Its line in the log is long, so that the buffers of a pipe are full soon. */
const long = `/v1/authors?name=${'x'.repeat(3_000)}`;

async function askOften(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) expect((await fetch(url + long)).status).toBe(200);
}

test('whoever does not read the log keeps neither requests nor the end up', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  server.child.stdout?.pause();
  await askOften(server.url, 100);
  server.child.kill('SIGTERM');
  expect(await once(server.child, 'exit')).toEqual([0, null]);
  expect(server.err()).toBe('');
});

test.runIf(process.platform === 'linux')(
  'without room for the log service goes on, says so once, and writes again when there is some',
  async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const file = folder.at('log');
    const output = openSync(file, 'a');
    const text = (): string => readFileSync(file, 'utf8');
    const server = launchPlinth(['dev', '--port', '0'], { cwd: folder.path, output });
    const allow = (bytes: number | 'unlimited'): void => {
      execFileSync('prlimit', [`--pid=${server.child.pid}`, `--fsize=${bytes}:unlimited`]);
    };
    await until(() => text().includes('Stop:'));
    const [, url = ''] = /served at (\S+)/u.exec(text()) ?? [];
    allow(text().length + 5_000);
    await askOften(url, 10);
    await until(() => server.err() !== '');
    allow('unlimited');
    await askOften(url, 1);
    await until(() => logOf(text()).length === 11);
    for (const line of logOf(text())) expect(JSON.parse(line)).toMatchObject({ status: 200 });
    allow(text().length);
    await askOften(url, 10);
    server.child.kill('SIGTERM');
    const { code, err } = await server.ended;
    expect(code).toBe(0);
    expect(err).toMatch(/^Warning: the log cannot be written now \(EFBIG: [^\n]+\n$/u);
    closeSync(output);
  },
);

test.skipIf(!existsSync('/dev/full'))(
  'a service begins though its banner finds no room',
  async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const output = openSync('/dev/full', 'a');
    const port = await freePort();
    const server = launchPlinth(['dev', '--port', String(port)], { cwd: folder.path, output });
    const url = `http://127.0.0.1:${port}/_health`;
    await until(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
    closeSync(output);
  },
);

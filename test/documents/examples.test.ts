import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  endedWell,
  launch,
  makeFolder,
  root,
  untilServing,
  type Running,
} from '../support/command.ts';
import { fromCache, packPlinth } from '../support/packed.ts';

const node = join(root, 'node_modules/.bin/node');
const folder = makeFolder();
let tarball: string;
let cached: readonly string[];

beforeAll(async () => {
  [tarball, cached] = await Promise.all([packPlinth(folder), fromCache(folder)]);
}, 600_000);

/** Copies an example, installs what it names, with the packed Plinth, and gives its folder. */
async function installed(example: string): Promise<string> {
  const path = folder.at(example);
  cpSync(join(root, 'examples', example), path, {
    recursive: true,
    filter: (source) => !/node_modules|\.plinth$|\.next$/u.test(source.slice(root.length)),
  });
  const written = readFileSync(join(path, 'package.json'), 'utf8');
  folder.write(
    `${example}/package.json`,
    written.replace(/"plinth": ".+?"/u, `"plinth": "${tarball}"`),
  );
  await endedWell(
    launch('npm', ['install', '--ignore-scripts', '--no-audit', ...cached], { cwd: path }),
  );
  return path;
}

/** The first group of a pattern in what a program prints. */
async function printed({ out, err, child }: Running, pattern: RegExp): Promise<string> {
  const found = (): string | undefined => pattern.exec(out())?.[1];
  while (found() === undefined && child.exitCode === null)
    await new Promise((done) => {
      setTimeout(done, 50);
    });
  return found() ?? expect.unreachable(`${out()}${err()}`);
}

/** The API below `/api`, and the page of the application beside it. */
async function expectMounted(origin: string, page: string): Promise<void> {
  const list = await fetch(`${origin}/api/v1/books?limit=2&page=2&expand=author`);
  expect([list.status, ((await list.json()) as unknown[]).length]).toEqual([200, 2]);
  expect(list.headers.get('link')).toContain('</api/v1/books?limit=2&page=1&expand=author>');
  const made = await fetch(`${origin}/api/v1/authors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ann"}',
  });
  expect([made.status, made.headers.get('location')]).toEqual([201, '/api/v1/authors/11']);
  const wrong = await fetch(`${origin}/api/v1/authors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(wrong.status).toBe(400);
  expect(await (await fetch(origin)).text()).toContain(page);
}

test('Express, Fastify, Hono and MSW serve the API of the packed package', async () => {
  const cwd = await installed('embedding');
  await endedWell(launch(node, ['node_modules/typescript/bin/tsc'], { cwd }));
  for (const framework of ['express', 'fastify', 'hono']) {
    const running = launch(node, [`${framework}.ts`], { cwd, env: { PORT: '0' } });
    const port = await printed(running, /ready.*?port: (\d+)/su);
    await expectMounted(`http://localhost:${port}`, 'A page of the application');
    running.child.kill('SIGTERM');
    await endedWell(running);
    // The next one begins with the same records.
    await endedWell(launch('rm', ['-rf', '.plinth'], { cwd }));
  }
  const { out } = await endedWell(launch(node, ['msw.ts'], { cwd }));
  expect(out).toMatch(/^200 \[.*author: \{/su);
}, 600_000);

test('a Next route handler serves the API of the packed package, and a page reads it', async () => {
  const cwd = await installed('next');
  const running = launch(node, ['node_modules/next/dist/bin/next', 'dev', '--port', '0'], {
    cwd,
    env: { NEXT_TELEMETRY_DISABLED: '1' },
  });
  const origin = await printed(running, /Local: +(http:\S+)/u);
  await expectMounted(origin, '<li>');
  running.child.kill('SIGTERM');
  await running.ended;
}, 900_000);

test('the order workflow passes its types and its tests with the packed package, and runs in dev', async () => {
  const cwd = await installed('orders');
  const env = { ORDERS_SECRET: '0123456789abcdef0123456789abcdef' };
  const main = 'node_modules/plinth/dist/cli/main.js';
  await endedWell(launch(node, [main, 'types', '--out', 'plinth-types.ts'], { cwd, env }));
  await endedWell(launch(node, ['node_modules/typescript/bin/tsc'], { cwd }));
  const { out } = await endedWell(launch(node, ['node_modules/vitest/vitest.mjs', 'run'], { cwd }));
  expect(out).toMatch(/6 passed/u);
  const signed = ['token', '--sub', 'ada', '--role', 'clerk'];
  const { out: token } = await endedWell(launch(node, [main, ...signed], { cwd, env }));
  const { url, stop } = await untilServing(
    launch(node, [main, 'dev', '--port', '0'], { cwd, env }),
  );
  const listed = await fetch(`${url}/v1/orders?limit=1&status=open`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  expect([listed.status, await listed.json()]).toEqual([200, [expect.anything()]]);
  expect((await stop('SIGTERM')).code).toBe(0);
}, 600_000);

/**
 * `node bench/develop.ts [generate] [promote] [start] [sandbox] [reload] [arrays] [page] [grid] [scroll]`: what developers and testers
 * wait for. A million rows generated and promoted to PostgreSQL, a first start with data, a sandbox, an edit of the file,
 * records that are sent by the thousand, and the page of the dashboard.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chromium, type Page } from 'playwright-core';
import { browserOptions } from '../test/support/chromium.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { runScript, type Server } from './child.ts';
import { percentile } from './edge-clients.ts';
import { send } from './http.ts';
import { mostMemory, processorTime } from './memory.ts';
import { print } from './report.ts';
import { cli, migrate, specifications, startDev, startPlinth } from './servers.ts';

const rows = 1_000_000;
const starts = 5;
const sandboxes = 40;
const edits = 12;
const arrays = { count: 60, length: 1_000, warmUp: 20 };
const visits = 15;
const kept = 1_000;
const scrolls = 200;
const pollEvery = 2;
const longestEdit = 5_000;
const mebibyte = 1024 * 1024;
const people = specifications.people;

const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
const database = `sqlite:${join(folder, 'people.db')}`;

/** Runs a command; gives the seconds that it took and its most memory, in MiB. */
async function run(...args: readonly string[]): Promise<string> {
  const begin = performance.now();
  let most = 0;
  await runScript([cli, ...args], async (pid, ended) => {
    most = (await mostMemory(pid, ended)) / mebibyte;
  });
  return `${((performance.now() - begin) / 1_000).toFixed(1)} s, at most ${most.toFixed(0)} MiB`;
}

async function generate(): Promise<void> {
  await runScript([cli, 'migrate', people, '--database', database, '--apply']);
  const count = ['--count', String(rows), '--resource', 'people'];
  const took = await run('generate', '--spec', people, '--database', database, ...count);
  print(`generate: ${rows} rows of ten fields into SQLite in ${took} (wanted: 30 s)`);
}

/** What `generate` has made. */
async function promote(): Promise<void> {
  const server = await startPostgres({ durable: true });
  try {
    const took = await run('promote', '--spec', people, '--from', database, '--to', server.url);
    print(`promote: ${rows} rows to PostgreSQL, compared, in ${took} (wanted: 60 s)`);
  } finally {
    await server.stop();
  }
}

/** Starts the shop in a folder of its own, without data yet. */
async function startShop(name: string): Promise<Server> {
  const place = join(folder, name);
  await cp(join(specifications.shop, '..'), place, { recursive: true });
  return startDev(join(place, 'plinth.yaml'));
}

async function start(): Promise<void> {
  const ready: number[] = [];
  for (let index = 0; index < starts; index += 1) {
    const server = await startShop(`start-${index}`);
    ready.push(server.readyAfter);
    await server.stop();
  }
  print(`start: the shop, with its data generated: ready after ${spread(ready)} (wanted: 1,500)`);
}

async function sandbox(): Promise<void> {
  const server = await startDev(people, join(folder, 'sandboxes.db'));
  const took: number[] = [];
  for (let index = 0; index < sandboxes; index += 1) {
    const begin = performance.now();
    const headers = { 'X-Sandbox': `bench-${index}` };
    const answer = await fetch(`${server.url}/v1/people/7`, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a sandbox was answered ${answer.status}`);
    took.push(performance.now() - begin);
  }
  await server.stop();
  print(`sandbox: a copy of 1,000 rows and its first read: ${spread(took)} (wanted: 20)`);
}

/** From the moment at which the file is written to the first answer by its new state. */
async function reload(): Promise<void> {
  const file = join(folder, 'reload.yaml');
  const text = await readFile(people, 'utf8');
  await writeFile(file, text);
  const server = await startDev(file, join(folder, 'reload.db'));
  const took: number[] = [];
  for (let index = 0; index < edits; index += 1) {
    const name = `edited${index}`;
    await writeFile(
      file,
      text.replace('      rating:', `      ${name}: { type: string }\n      rating:`),
    );
    const begin = performance.now();
    const request = { method: 'GET', path: `/v1/people?limit=1&fields=${name}` } as const;
    while ((await send(server.url, request)).status !== 200) {
      if (performance.now() - begin > longestEdit) throw new Error('an edit was not served');
      await wait(pollEvery);
    }
    took.push(performance.now() - begin);
    await wait(300);
  }
  await server.stop();
  print(`reload: an edit that adds a field is served after ${spread(took)} (wanted: 300)`);
}

/** Arrays that are created one after the other, each answered with its records. */
async function arraysOf(): Promise<void> {
  const database = `sqlite:${join(folder, 'arrays.db')}`;
  await migrate(specifications.events, database);
  const server = await startPlinth(database, specifications.events);
  const record = { at: '2026-01-01T00:00:00.000Z', kind: 'opened', actor: 'user', amount: 1.5 };
  const body = JSON.stringify(Array.from({ length: arrays.length }, () => record));
  const create = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const { status } = await send(server.url, { method: 'POST', path: '/v1/events', body });
      if (status !== 201) throw new Error(`an array was answered ${status}`);
    }
  };
  await create(arrays.warmUp);
  const [begin, before] = [performance.now(), await processorTime(server.pid)];
  await create(arrays.count);
  const seconds = (performance.now() - begin) / 1_000;
  const spent = ((await processorTime(server.pid)) - before) / 1e6;
  await server.stop();
  const created = arrays.count * arrays.length;
  print(
    `arrays: ${arrays.length} records each, ${(created / seconds).toFixed(0)}/s, ` +
      `${(created / spent).toFixed(0)} a second of processor time (wanted: 50000)`,
  );
}

/** Run in the page before its own scripts: says when its first view is there, and the page is free to be used. */
const tellFree = `new MutationObserver((_, observer) => {
  if (document.querySelector('main h1') === null) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => console.log('free', performance.now())));
}).observe(document, { childList: true, subtree: true });`;

/** From the beginning of the navigation, in a browser that has not been there before. */
async function page(): Promise<void> {
  const server = await startShop('page');
  const browser = await chromium.launch(browserOptions());
  const took: number[] = [];
  for (let index = 0; index < visits; index += 1) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.addInitScript(tellFree);
    const told = tab.waitForEvent('console', (message) => message.text().startsWith('free '));
    await tab.goto(`${server.url}/_dashboard`);
    took.push(Number((await told).text().slice('free '.length)));
    await context.close();
  }
  await browser.close();
  await server.stop();
  print(`page: the dashboard's first view can be used after ${spread(took)} (wanted: 1,000)`);
}

const gridRows = 10_000;
const table = `name: Grid
resources:
  people:
    generate: { count: ${gridRows} }
    fields:
      firstName: { type: string }
      lastName: { type: string }
      email: { type: email }
      city: { type: string }
      age: { type: integer }
      active: { type: boolean }
      joined: { type: datetime }
      about: { type: text }
`;

/** Tells when the first row of the grid is drawn. */
const tellGrid = `new MutationObserver((_, observer) => {
  if (document.querySelector('.grid-row[data-row="0"] .id')?.textContent !== '1') return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => console.log('drawn', performance.now())));
}).observe(document, { childList: true, subtree: true });`;

/** A grid of 10,000 rows: its first paint, the script that it takes, and the frames while it is scrolled through. */
async function grid(): Promise<void> {
  const file = join(folder, 'grid.yaml');
  await writeFile(file, table);
  const server = await startDev(file);
  const browser = await chromium.launch(browserOptions());
  const took: number[] = [];
  const sizes: Promise<number>[] = [];
  for (let index = 0; index < visits; index += 1) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    if (index === 0)
      tab.on('response', (response) => {
        if (response.url().endsWith('.js'))
          sizes.push(response.body().then((body) => gzipSync(body).length));
      });
    await tab.addInitScript(tellGrid);
    const told = tab.waitForEvent('console', (message) => message.text().startsWith('drawn '));
    await tab.goto(`${server.url}/_dashboard`);
    took.push(Number((await told).text().slice('drawn '.length)));
    if (index === 0) {
      const script = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      print(`grid: ${(script / 1_000).toFixed(0)} kB of script, gzip (wanted: 200)`);
    }
    await context.close();
  }
  print(`grid: first paint of ${gridRows} rows after ${spread(took)} (wanted: 300)`);
  const tab = await browser.newPage();
  await tab.goto(`${server.url}/_dashboard`);
  await tab.locator('.grid-row[data-row="0"]').waitFor();
  await wait(2_000);
  await tab.locator('.grid').hover();
  await scrollThrough(tab, 'grid');
  await browser.close();
  await server.stop();
}

const furthest = `Math.max(...[...document.querySelectorAll('*')].map((element) => element.scrollTop))`;

/** How long the frames take while a thousand requests are scrolled through. */
async function scroll(): Promise<void> {
  const server = await startShop('scroll');
  for (let index = 0; index < kept; index += 1)
    await send(server.url, { method: 'GET', path: `/v1/products?limit=${(index % 20) + 1}` });
  const browser = await chromium.launch(browserOptions());
  const tab = await browser.newPage();
  await tab.goto(`${server.url}/_dashboard#/requests`);
  const row = tab.getByRole('link', { name: /limit=/u }).first();
  await row.waitFor();
  await row.hover();
  await wait(1_000);
  await scrollThrough(tab, 'scroll');
  await browser.close();
  await server.stop();
}

/** Turns the wheel over what is under the pointer, and tells how long the frames took meanwhile. */
async function scrollThrough(tab: Page, name: string): Promise<void> {
  await tab.evaluate(
    `globalThis.frames_ = []; { let last = performance.now(); const see = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(see); }; requestAnimationFrame(see); }`,
  );
  for (let step = 0; step < scrolls; step += 1) {
    await tab.mouse.wheel(0, 120);
    await wait(16);
  }
  const frames = (await tab.evaluate('frames_')) as number[];
  const far = Number(await tab.evaluate(furthest));
  const late = frames.filter((time) => time > 50).length;
  print(
    `${name}: ${frames.length} frames, ${spread(frames)}; ${late} over 50 ms; ${far.toFixed(0)} pixels of the list passed`,
  );
}

function spread(took: readonly number[]): string {
  const [middle, most] = [percentile(took, 0.5), percentile(took, 1)];
  return `${middle.toFixed(0)} ms in the middle, ${most.toFixed(0)} ms at most of ${took.length}`;
}

const measures = {
  generate,
  promote,
  start,
  sandbox,
  reload,
  arrays: arraysOf,
  page,
  grid,
  scroll,
};
const asked = process.argv.slice(2);
try {
  for (const [name, measure] of Object.entries(measures))
    if (asked.length === 0 || asked.includes(name)) await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}

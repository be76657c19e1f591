/**
 * `npm run bench:dashboard`: how soon the dashboard is there, how much script each view takes, and its frame times, in a
 * real browser without a graphics card. Adds the result to RESULTS.md, unless it is run with `--no-record`.
 */
import { chromium, type Browser, type Page } from 'playwright-core';
import { serveApi, type TestApi } from '../test/support/api.ts';
import { browserOptions } from '../test/support/chromium.ts';
import { machine, print, recordText, table } from './report.ts';

const [rows, requests, resources, visits] = [10_000, 1_000, 100, 7];
const viewport = { width: 1440, height: 900 };
/** In ms: what a view may take, however busy the machine is. */
const patience = 60_000;

const specification = [
  'limits: { batchItems: 1000 }',
  'resources:',
  ...Array.from({ length: resources }, (_, at) => {
    const key = at < 10 ? '' : `, upId: { type: integer, reference: t${at % 10}.id }`;
    const price = at === 11 ? ', price: { type: decimal, scale: 2 }, day: { type: date }' : '';
    return `  t${at}: { fields: { name: { type: string }, note: { type: text }${key}${price} } }`;
  }),
  '',
].join('\n');

/** The resource with many rows, of which each names a record of another one. */
const grid = 't11';

async function fill(api: TestApi): Promise<void> {
  const post = async (name: string, records: readonly object[]): Promise<void> => {
    const { status } = await api.send('POST', `/v1/${name}`, records);
    if (status !== 201) throw new Error(`${name}: status ${status}`);
  };
  await post(
    't1',
    Array.from({ length: 100 }, (_, at) => ({ name: `Owner ${at}` })),
  );
  for (let from = 0; from < rows; from += 1_000)
    await post(
      grid,
      Array.from({ length: 1_000 }, (_, at) => ({
        name: `Record ${from + at}`,
        note: at % 5 === 0 ? null : `What is said of ${from + at}, in a line of text`,
        upId: 1 + (at % 100),
        price: `${at}.50`,
        day: '2026-02-01',
      })),
    );
}

/** A view, and what is there once it can be used. */
const views = [
  {
    name: `Data, ${rows.toLocaleString('en')} rows`,
    hash: `data/${grid}`,
    sign: '[role=gridcell]',
  },
  { name: `Requests, ${requests.toLocaleString('en')}`, hash: 'requests', sign: '[role=grid] a' },
  { name: `Schema, ${resources} resources`, hash: 'schema', sign: 'article.node' },
  { name: 'Network', hash: 'network', sign: 'input[type=text], [role=slider]' },
  { name: 'Overview', hash: 'overview', sign: 'figure svg path' },
] as const;

interface Visit {
  readonly paint: number;
  readonly ready: number;
  /** Compressed, in bytes. */
  readonly script: number;
}

/** Opens a view in a browser that has nothing of it; times in ms from the navigation on. */
async function visit(browser: Browser, url: string, sign: string): Promise<Visit> {
  const context = await browser.newContext({ viewport });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.addInitScript(`globalThis.ready = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector(${JSON.stringify(sign)}) === null) requestAnimationFrame(look);
        else requestAnimationFrame(() => resolve(performance.now()));
      };
      requestAnimationFrame(look);
    })`);
    await page.goto(url);
    await page.locator(sign).first().waitFor({ state: 'attached' });
    return (await page.evaluate(`globalThis.ready.then((ready) => ({
      ready,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      script: performance.getEntriesByType('resource')
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }))`)) as Visit;
  } finally {
    await context.close();
  }
}

/** The times between frames while something is done, in ms. */
async function framesOf(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`(() => {
    globalThis.frames = [];
    let last = performance.now();
    const next = (now) => { globalThis.frames.push(now - last); last = now; globalThis.ticking = requestAnimationFrame(next); };
    globalThis.ticking = requestAnimationFrame(next);
  })()`);
  await work();
  return page.evaluate('cancelAnimationFrame(globalThis.ticking), globalThis.frames.slice(1)');
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

function frameRow(name: string, frames: readonly number[]): readonly string[] {
  const at = (part: number): string => quantile(frames, part).toFixed(1);
  const late = frames.filter((time) => time > 34).length;
  return [name, String(frames.length), at(0.5), at(0.95), at(1), String(late)];
}

const frame = 16;

async function scrolled(page: Page, steps: number, by: number): Promise<void> {
  await page.getByRole('grid').hover();
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(frame);
  }
}

async function frames(page: Page, api: TestApi): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  const measure = async (name: string, work: () => Promise<void>): Promise<void> => {
    found.push(frameRow(name, await framesOf(page, work)));
  };
  const open = async (hash: string, sign: string): Promise<void> => {
    await page.goto(`${api.url}/_dashboard#/${hash}`);
    await page.locator(sign).first().waitFor();
    // What begins with the view has ended.
    await page.waitForTimeout(1_500);
  };
  const [data, list, schema] = views;
  await open(data.hash, data.sign);
  await measure('10,000 rows, scrolled', () => scrolled(page, 90, 240));
  await measure('10,000 rows, from end to end', async () => {
    await page.getByRole('grid').focus();
    for (let turn = 0; turn < 6; turn += 1) {
      await page.keyboard.press(turn % 2 === 0 ? 'Control+End' : 'Control+Home');
      await page.waitForTimeout(250);
    }
  });
  await open(list.hash, list.sign);
  await measure('1,000 requests, scrolled', () => scrolled(page, 90, 240));
  await measure('1,000 requests, 20 more a second', async () => {
    for (let step = 0; step < 60; step += 1) {
      await api.get('/v1/t1?limit=2');
      await page.waitForTimeout(50);
    }
  });
  await open(schema.hash, schema.sign);
  await measure('100 resources, moved', async () => {
    await page.mouse.move(700, 880);
    await page.mouse.down();
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.move(700 - step * 4, 880 - step * 3);
      await page.waitForTimeout(frame);
    }
    await page.mouse.up();
  });
  await measure('100 resources, zoomed', async () => {
    for (let step = 0; step < 40; step += 1) {
      await page.mouse.wheel(0, step < 20 ? -60 : 60);
      await page.waitForTimeout(frame);
    }
  });
  return found;
}

const api = await serveApi(specification, {}, undefined, { mode: 'dev' });
const browser = await chromium.launch(browserOptions());
try {
  await fill(api);
  for (let sent = 0; sent < requests; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/t1?limit=1')));
  const first: (readonly string[])[] = [];
  for (const { name, hash, sign } of views) {
    const seen: Visit[] = [];
    for (let turn = 0; turn < visits; turn += 1)
      seen.push(await visit(browser, `${api.url}/_dashboard#/${hash}`, sign));
    const middle = (of: keyof Visit): number =>
      quantile(
        seen.map((one) => one[of]),
        0.5,
      );
    const kilobytes = (middle('script') / 1_000).toFixed(1);
    first.push([name, middle('paint').toFixed(0), middle('ready').toFixed(0), kilobytes]);
  }
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(patience);
  const text = [
    `\`npm run bench:dashboard\`: Chromium ${browser.version()} without a graphics card, ${viewport.width} × ${viewport.height}; ${machine()}.`,
    `The first view of a browser without a cache, the middle of ${visits} visits; wanted for Data: painted in 300 ms, 200 kB of script.`,
    '',
    ...table(['view', 'painted ms', 'usable ms', 'script kB'], first),
    '',
    'A frame of 16.7 ms is 60 a second.',
    '',
    ...table(
      ['what', 'frames', 'p50 ms', 'p95 ms', 'longest ms', 'over 34 ms'],
      await frames(page, api),
    ),
  ].join('\n');
  print(text);
  if (!process.argv.includes('--no-record')) await recordText(text, 'dashboard');
} finally {
  await browser.close();
  await api.stop();
}

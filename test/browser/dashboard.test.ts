import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ActivityPoint } from '../../src/observability/activity.ts';
import { complaintsOf, eventually, settled, violationsOn } from '../support/browser.ts';
import { readEvents } from '../support/events.ts';
import { openRecord } from '../support/data-page.ts';
import { hasRun, hostile, useShop } from '../support/shop.ts';

const { serving, opening, openPage } = useShop();

describe('every view', () => {
  const views = ['Data', 'Overview', 'Requests', 'Schema', 'Network'];
  test('comes when it is chosen, has its title, asks nothing of other servers and runs nothing it shows', async () => {
    const api = await serving();
    const page = await openPage('about:blank', { moves: true });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const complaints = complaintsOf(page);
    await page.goto(`${api.url}/_dashboard`);
    const resources = page.getByRole('list', { name: 'Resources' }).getByRole('listitem');
    await eventually(() => resources.allTextContents()).toEqual(['makers2', 'products3']);
    const places = page.getByRole('navigation', { name: 'Views' }).locator('.others li');
    expect(await places.allTextContents()).toEqual([
      'Requests',
      'Schema',
      'Network',
      'Overview',
      'API reference',
    ]);
    // One typeface, which comes from the same server as all else.
    await page.evaluate('document.fonts.ready');
    expect(
      await page.evaluate(`[...document.fonts].filter(({ status }) => status === 'loaded')
      .map(({ family }) => family.replaceAll('"', ''))`),
    ).toContain('Inter Variable');
    await api.get(`/v1/products?name=${encodeURIComponent(hostile)}`);
    for (const view of views) {
      await page.getByRole('link', { name: view, exact: true }).click();
      const heading = view === 'Data' ? 'makers' : view;
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await settled(page);
      expect(await page.title()).toBe(`${view} · Shop`);
    }
    expect(complaints).toEqual([]);
    expect(await hasRun(page)).toBeUndefined();
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => !url.startsWith(api.url) && !url.startsWith('data:'))).toEqual([]);
  });

  test('comes with at most 200 kB of compressed script at first', async () => {
    const { url } = await serving();
    const page = await (await fetch(`${url}/_dashboard`)).text();
    const [, entry = ''] = /<script[^>]* src="([^"]+\/index-[^"]+\.js)"/u.exec(page) ?? [];
    // What the page loads behind the first view, and how soon, depends on the machine.
    const sizes = new Map<string, number>();
    const load = async (script: string): Promise<string> => {
      if (sizes.has(script)) return '';
      sizes.set(script, 0);
      const text = await (await fetch(script)).text();
      sizes.set(script, gzipSync(text).length);
      const needed = text.matchAll(/\b(?:from|import)\s*"(\.\/[^"]+\.js)"/gu);
      for (const [, name = ''] of needed) await load(new URL(name, script).href);
      return text;
    };
    const first = new URL(entry, `${url}/_dashboard`).href;
    const [, view = ''] = /import\([`"](\.\/Data-[^`"]+\.js)[`"]\)/u.exec(await load(first)) ?? [];
    await load(new URL(view, first).href);
    expect(sizes.size).toBeGreaterThan(5);
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(200_000);
  });

  test('is reached by the keyboard', async () => {
    const page = await opening(await serving(), '');
    await page.getByRole('gridcell', { name: 'Anna', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Go to' }).fill('makers');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Anna', exact: true }).waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/data/makers');
    // Also from an input.
    await page.getByRole('searchbox', { name: 'Search records' }).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Go to' }).fill('network');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Network' }).waitFor();
  });
});

test('the overview shows what the server counts, and how many records there are', async () => {
  const api = await serving();
  await api.get('/v1/products?nothing=1');
  const page = await opening(api, '#/overview');
  const card = (label: string) =>
    page.locator('.figures > div', { has: page.getByText(label, { exact: true }) });
  await card('Errors 4xx and 5xx').getByText('1 and 0').waitFor();
  await card('Requests per second')
    .getByText(/^[\d.,]+$/u)
    .waitFor();
  for (const label of ['Median latency', '95th percentile'])
    await card(label)
      .getByText(/^[\d.,]+ ms$/u)
      .waitFor();
  await card('Time in the database')
    .getByText(/^[\d.,]+ ms\/s$/u)
    .waitFor();
  await page.getByText('All that a *corner* sells.').waitFor();
  for (const title of ['Requests per second', 'Latency (ms)', 'Errors per second'])
    // Arrow keys lead along it, so it says what it is.
    await page.getByRole('application', { name: title }).waitFor();
  const rows = page.getByRole('region', { name: 'Resources' }).getByRole('row');
  await eventually(() => rows.allTextContents()).toEqual([
    'ResourceWhat may be doneRecords',
    'makersread, create, update, delete2',
    'productsread, create, update, delete3',
  ]);
  expect(await violationsOn(page)).toEqual([]);
  const slowest = page.getByRole('region', { name: 'Slowest requests' });
  await slowest.getByRole('link', { name: 'POST products.create' }).waitFor();
  await api.get('/v1/products?price_gt=10&sort=about');
  const found = page.getByText('products.price: index: true');
  const panel = page.getByRole('status');
  await eventually(async () => {
    // The page may not know of the request yet.
    await page.getByRole('button', { name: 'Look for missing indexes' }).click();
    await panel.filter({ hasText: /index/u }).first().waitFor();
    return found.count();
  }).toBe(1);
  await page
    .getByRole('region', { name: 'Development' })
    .getByText('Served as it was saved last')
    .waitFor();
  await page.getByRole('link', { name: '1 and 0' }).click();
  await page.getByText(/^1 of \d+ requests\.$/u).waitFor();
  expect(await page.getByRole('checkbox', { name: 'Errors' }).isChecked()).toBe(true);
  await page.getByRole('link', { name: /nothing=1/u }).waitFor();
});

test('the figures of the overview are those of what they are called', async () => {
  const api = await serving();
  const page = await opening(api, '#/overview');
  const shown = async (label: string): Promise<number> => {
    const card = page.locator('.figures > div', { has: page.getByText(label, { exact: true }) });
    const text = await card.locator('strong').textContent();
    return Number(text?.replaceAll(/[^\d.]/gu, ''));
  };
  await eventually(async () => {
    const slow = { 'x-simulate': 'latency=1000' };
    await Promise.all([slow, {}, {}, {}].map((headers) => api.get('/v1/products', headers)));
    return [(await shown('Median latency')) < 500, (await shown('95th percentile')) > 900];
  }).toEqual([true, true]);
  // How long the minute is by now does not matter to what each request took of it.
  await eventually(async () => {
    const stream = await readEvents(`${api.url}/_dashboard/api/events`);
    const points = ((await stream.next('activity')) as readonly ActivityPoint[]).slice(-12);
    stream.close();
    const sum = (name: 'databaseTime' | 'requests'): number =>
      points.reduce((total, point) => total + point[name], 0);
    const each = (await shown('Time in the database')) / (await shown('Requests per second'));
    return Math.abs(each / (sum('databaseTime') / sum('requests')) - 1) < 0.02;
  }).toBe(true);
});

test('light and dark are chosen, and stay', async () => {
  const page = await opening(await serving(), '');
  const scheme = () =>
    page.evaluate('document.documentElement.dataset.mantineColorScheme') as Promise<string>;
  await page.getByRole('button', { name: 'Light or dark' }).click();
  await eventually(scheme).toBe('dark');
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(scheme).toBe('dark');
  // The first key leads past the menu.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventually(() => page.evaluate('document.activeElement.id')).toBe('main');
});

test('what is opened is in the URL: it is there again after a reload, and gone when one goes back', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products?sort=price');
  const panel = page.getByRole('complementary');
  const name = panel.getByRole('textbox', { name: 'name', exact: true });
  const hash = (text: string) =>
    eventually(async () => decodeURIComponent(String(await page.evaluate('location.hash')))).toBe(
      text,
    );
  await openRecord(page, 2);
  await eventually(() => name.inputValue()).toBe('Table');
  await hash('#/data/products/2?sort=price');
  await page.reload();
  await eventually(() => name.inputValue()).toBe('Table');
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await hash('#/data/products?sort=price');
  await openRecord(page, 1);
  await name.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await hash('#/data/products?sort=price');
  await eventually(() => page.evaluate('document.activeElement.role')).toBe('grid');
  await page.getByRole('button', { name: 'New record' }).click();
  await page.reload();
  await eventually(() => name.inputValue()).toBe('');

  for (const path of ['makers/1', 'makers/2']) await api.get(`/v1/${path}`);
  await page.goto(`${api.url}/_dashboard#/requests?text=makers%2F`);
  await page.getByRole('link', { name: 'makers/1' }).click();
  await page.getByRole('tab', { name: 'Trace' }).click();
  await page.reload();
  await page.getByRole('table', { name: 'Trace' }).waitFor();
  await page.getByRole('link', { name: 'makers/2' }).click();
  await page.getByRole('heading', { name: 'GET /v1/makers/2' }).waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Trace');
  expect(await violationsOn(page)).toEqual([]);
});

test('the controls of a bar stand in one line also on narrow screens, and what belongs together at one edge', async () => {
  const api = await serving();
  const middle = async (what: Locator): Promise<number> => {
    const { y = 0, height = 0 } = (await what.boundingBox()) ?? {};
    return y + height / 2;
  };
  const bars = [
    [1024, 'requests', 'textbox', 'Search', 'More'],
    [390, 'data/products', 'searchbox', 'Search records', 'Add filter'],
    [390, 'data/products', 'searchbox', 'Search records', 'Page size'],
  ] as const;
  for (const [width, hash, role, input, button] of bars) {
    const page = await opening(api, `#/${hash}`, { width });
    const [one, other] = [
      page.getByRole(role, { name: input, exact: true }),
      page.getByRole('button', { name: button, exact: true }),
    ];
    await other.waitFor();
    expect(Math.abs((await middle(one)) - (await middle(other))), button).toBeLessThan(4);
  }
  const page = await opening(api, '#/network');
  const left = async (what: Locator): Promise<number | undefined> =>
    (await what.first().boundingBox())?.x;
  const input = page.getByRole('textbox', { name: 'Error rate in percent' });
  await input.waitFor();
  expect(await left(page.locator('.mantine-Slider-root'))).toBe(await left(input));
});

test('a summary has no empty foot below it', async () => {
  const page = await opening(await serving(), '#/data/products?group=state&aggregate=count');
  await page.getByRole('region', { name: 'Groups' }).waitFor();
  expect((await page.locator('.data-foot').boundingBox())?.height ?? 0).toBe(0);
});

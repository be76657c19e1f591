import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ActivityPoint } from '../../src/observability/activity.ts';
import { complaintsOf, eventually, settled, violationsOn } from '../support/browser.ts';
import { readEvents } from '../support/events.ts';
import { openRecord } from '../support/data-page.ts';
import { hasRun, hostile, useShop } from '../support/shop.ts';

const { serving, opening, openPage } = useShop();

/** Opens the newest write, once all of them are listed. */
async function openWrite(page: Page, count: number): Promise<void> {
  const rows = page.getByRole('link', { name: /POST/u });
  await eventually(() => rows.count()).toBe(count);
  await rows.first().click();
}

describe('every view', () => {
  const views = ['Data', 'Overview', 'Requests', 'Schema', 'Network'];
  test('comes when it is chosen, has its title, asks nothing of other servers and runs nothing it shows', async () => {
    const api = await serving();
    const page = await openPage('about:blank', { moves: true });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const complaints = complaintsOf(page);
    await page.goto(`${api.url}/_dashboard`);
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
    const api = await serving();
    const page = await openPage('about:blank');
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('.js'))
        sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(`${api.url}/_dashboard`, { waitUntil: 'load' });
    await page.getByRole('gridcell', { name: 'Anna' }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(200_000);
  });

  test('is reached by the keyboard', async () => {
    const page = await opening(await serving(), '');
    await page.getByRole('gridcell', { name: 'Anna' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Go to' }).fill('makers');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Anna' }).waitFor();
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
    page.locator('div.mantine-Card-root', { has: page.getByText(label, { exact: true }) });
  await card('Errors 4xx and 5xx').getByText('1 and 0').waitFor();
  await card('Requests per second')
    .getByText(/^[\d.,]+$/u)
    .waitFor();
  for (const label of ['Median latency', '95 % faster than'])
    await card(label)
      .getByText(/^[\d.,]+ ms$/u)
      .waitFor();
  await card('Time in the database')
    .getByText(/^[\d.,]+ ms\/s$/u)
    .waitFor();
  await page.getByText('All that a *corner* sells.', { exact: true }).waitFor();
  for (const title of ['Requests per second', 'Latency (ms)', 'Errors per second'])
    // Arrow keys lead along it, so it says what it is.
    await page.getByRole('application', { name: title }).waitFor();
  const rows = page.getByRole('region', { name: 'Resources' }).getByRole('row');
  await eventually(() => rows.allTextContents()).toEqual([
    'ResourceWhat may be doneRecords',
    'makersread, create, update, delete2',
    'productsread, create, update, delete3',
  ]);
  await page.getByRole('link', { name: '1 and 0' }).click();
  await page.getByText('1 of 6 requests.').waitFor();
  await page.getByRole('link', { name: /nothing=1.*400/u }).waitFor();
});

test('the figures of the overview are those of what they are called', async () => {
  const api = await serving();
  const page = await opening(api, '#/overview');
  const shown = async (label: string): Promise<number> => {
    const card = page.locator('div.mantine-Card-root', {
      has: page.getByText(label, { exact: true }),
    });
    const text = await card.locator('p').last().textContent();
    return Number(text?.replaceAll(/[^\d.]/gu, ''));
  };
  await eventually(async () => {
    const slow = { 'x-simulate': 'latency=1000' };
    await Promise.all([slow, {}, {}, {}].map((headers) => api.get('/v1/products', headers)));
    return [(await shown('Median latency')) < 500, (await shown('95 % faster than')) > 900];
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

describe('requests', () => {
  test('are left by method, status and words, and told with what is known of each', async () => {
    const api = await serving();
    await api.get('/v1/products?price_gt=1');
    await api.get('/v1/products?nothing=1');
    await api.get('/v1/nowhere');
    const page = await opening(api, '#/requests');
    const rows = page.getByRole('link', { name: /\/v1\//u });
    await eventually(() => rows.count()).toBe(8);
    const choose = async (name: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await choose('Method', 'GET');
    await eventually(() => rows.count()).toBe(3);
    await page.getByText('3 of 8 requests.').waitFor();
    await choose('Status', '4xx');
    await eventually(() => rows.count()).toBe(2);
    expect(await page.evaluate('location.hash')).toBe('#/requests?method=GET&status=4');
    await page.getByLabel('Search').fill('404');
    await eventually(() => rows.allTextContents()).toEqual([
      expect.stringMatching(/^\d.*GET\/v1\/nowhere404[\d.]+ ms$/u),
    ]);
    await page.goto(`${api.url}/_dashboard#/requests/none`);
    await page.getByText('This request is no longer kept').waitFor();
  });

  test('are copied as commands', async () => {
    const api = await serving();
    await api.get('/v1/products?price_gt=10');
    const page = await opening(api, '#/requests');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('link', { name: /price_gt=10/u }).click();
    for (const [name, begin] of [
      ['Copy as curl', `curl '${api.url}/v1/products?price_gt=10'`],
      ['Copy as fetch', `await fetch("${api.url}/v1/products?price_gt=10"`],
    ] as const) {
      await page.getByRole('button', { name }).click();
      const copied = () => page.evaluate('navigator.clipboard.readText()');
      await eventually(copied).toContain(begin);
    }
  });

  test('are found, opened, read with their SQL and plan, and sent again', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    const complaints = complaintsOf(page);
    await page.getByLabel('Search').waitFor();
    await api.get('/v1/makers');
    await api.get('/v1/products?price_gt=10&expand=maker');
    const row = page.getByRole('link', { name: /price_gt=10/u });
    await row.waitFor();
    await page.getByLabel('Search').fill('products price_gt');
    await eventually(() => page.getByRole('link', { name: /\/v1\//u }).count()).toBe(1);
    await row.click();
    const trace = page.getByRole('table', { name: 'Trace' });
    await trace.getByText('fetch_products').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // A statement is below its step, and each step begins where the one before has ended.
    const lines = (await trace.getByRole('row').allTextContents()).map((line) => line.slice(0, 7));
    expect(lines[lines.indexOf('fetch_p') + 1]).toBe('SELECT ');
    const bars = await trace.locator('.bar:not(.sql)').all();
    const styles = await Promise.all(bars.map((bar) => bar.getAttribute('style')));
    const places = styles.map((style) => (style?.match(/[\d.]+/gu) ?? []).map(Number));
    const begins = places.map(([left = -1]) => left);
    expect(begins).toEqual(begins.toSorted((one, other) => one - other));
    expect(Math.max(...begins)).toBeGreaterThan(1);
    const [left = 0, width = 0] = places.at(-1) ?? [];
    expect(left + width).toBeGreaterThan(99);
    await page.getByRole('tab', { name: 'SQL (2)' }).click();
    await page
      .getByText(/WHERE t\."price" > /u)
      .first()
      .waitFor();
    await page.getByText(/^[\d.]+ ms, 2 rows, in fetch_products$/u).waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Plan of statement 1').waitFor();
    await page
      .getByText(/SCAN t|SEARCH t/u)
      .first()
      .waitFor();
    await page
      .getByText(/An index in the specification would help: products\.price: index: true/u)
      .waitFor();
    expect(await page.getByLabel(/^SQL/u).locator('pre').allInnerTexts()).toMatchObject([
      expect.stringMatching(/^SELECT .*\nFROM "products" AS t\nWHERE .*\nORDER BY .*\nLIMIT /u),
      expect.stringContaining('t'),
      expect.stringMatching(/^SELECT .*\nFROM "makers" AS t\nWHERE [^\n]*$/u),
      expect.stringContaining('t'),
    ]);
    const members = (name: string, row: string): Promise<void> =>
      page.getByRole('table', { name }).getByRole('row', { name: row, exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await members('Query', 'price_gt 10');
    await members('Query', 'expand maker');
    await members('Headers', `host ${new URL(api.url).host}`);
    await page.getByRole('tab', { name: 'Response' }).click();
    await members('Headers', 'x-total-count 2');
    await page.getByText('"Table"').waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/Sent again: 200/u).waitFor();
    expect(await page.evaluate('location.hash')).toMatch(
      /^#\/requests\/[\da-f-]{36}\?text=products/u,
    );
    expect(complaints).toEqual([]);
  });

  test('are shown as text, whatever they carry', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await page.getByLabel('Search').waitFor();
    await api.raw(`/v1/products?%E2%80%AEn=1&y=%E2%80%AE2&y=3&x=${encodeURIComponent(hostile)}`, {
      headers: { 'x-evil': '<svg onload=globalThis.ran=1>' },
    });
    await api.send('POST', '/v1/makers', { name: `2${hostile}` });
    await openWrite(page, 6);
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText('<img src=x').first().waitFor();
    await page.getByRole('link', { name: /x=<img/u }).click();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText('<svg onload=globalThis.ran=1>').waitFor();
    await eventually(() => page.getByText(/^\\u202e(?:n|2, 3)$/u).count()).toBe(2);
    expect(await hasRun(page)).toBeUndefined();
  });

  test('say what failed, and how long a body is that is not kept', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await page.getByLabel('Search').waitFor();
    await api.send('POST', '/v1/products', { name: 'Ox', price: 'much' });
    await openWrite(page, 6);
    await page.getByText('Some values are not allowed').waitFor();
    await page.getByText('name must have at least 3 characters').waitFor();
    await page.getByText(/^price must be a plain decimal number/u).waitFor();
    await api.send('POST', '/v1/products', { name: 'Long', price: '1', about: 'x'.repeat(70_000) });
    await openWrite(page, 7);
    await page.getByRole('tab', { name: 'Response' }).click();
    await page.getByText(/^70,\d{3} bytes, too long to be kept$/u).waitFor();
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await page.getByText(/^70,\d{3} bytes, too long to be kept$/u).waitFor();
  });

  test('are changed before they are sent again', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await page.getByLabel('Search').waitFor();
    await api.send('POST', '/v1/makers', { name: 'Bert' });
    await openWrite(page, 6);
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    const body = page.getByRole('textbox', { name: 'Body' });
    expect(await body.inputValue()).toBe('{"name":"Bert"}');
    await body.fill('{"name":"Cleo"}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^201 in [\d.]+ ms$/u).waitFor();
    expect((await api.get('/v1/makers?name=Cleo')).body).toHaveLength(1);
    const path = page.getByRole('textbox', { name: 'Path and query' });
    const sends = page.getByRole('button', { name: 'Send', exact: true });
    await page.getByRole('combobox', { name: 'Method' }).last().click();
    await page.getByRole('option', { name: 'GET', exact: true }).click();
    for (const elsewhere of ['//elsewhere.example/', String.raw`/\elsewhere.example/`]) {
      await path.fill(elsewhere);
      await sends.click();
      await page.getByText('requests go to this server alone').waitFor();
      await path.fill('/v1/makers');
      await sends.click();
      await page.getByText(/^200 in [\d.]+ ms$/u).waitFor();
    }
    await page.getByRole('textbox', { name: 'Headers' }).fill('x-mood: 🙂');
    await sends.click();
    await page.getByText('The browser does not send this.').waitFor();
  });
});

test('what is opened is in the URL: it is there again after a reload, and gone when one goes back', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products?sort=price');
  const dialog = page.getByRole('dialog');
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
  await page.getByRole('tab', { name: 'Response' }).click();
  await page.reload();
  await page.getByText('"name": "Anna"').waitFor();
  await page.getByRole('link', { name: 'makers/2' }).click();
  await page.getByRole('heading', { name: 'GET /v1/makers/2' }).waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Response');
  await page.getByRole('button', { name: 'Edit and resend' }).press('Enter');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(() => page.evaluate('document.activeElement.textContent')).toBe(
    'Edit and resend',
  );
  expect(await violationsOn(page)).toEqual([]);
});

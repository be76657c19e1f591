import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, eventually, violationsOn } from '../support/browser.ts';
import { hasRun, hostile, useShop } from '../support/shop.ts';

const { serving, servingOther, opening } = useShop();

const listOf = (page: Page): Locator => page.getByRole('grid', { name: 'Requests' });
const rowsOf = (page: Page): Locator => listOf(page).getByRole('link', { name: /\/v1\//u });
const rowOf = (page: Page, name: RegExp): Locator => listOf(page).getByRole('link', { name });
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const tab = (page: Page, name: RegExp | string): Promise<void> =>
  page.getByRole('tab', { name }).click();
const hashOf = (page: Page): Promise<string> => page.evaluate('location.hash');
const code = (page: Page, name: string): Locator =>
  page.getByRole('textbox', { name, exact: true });
/** Chooses in the menu that adds a filter. */
async function addFilter(page: Page, column: string, value: string): Promise<void> {
  await press(page, 'Filter');
  const menu = page.getByRole('dialog', { name: 'Filter', exact: true });
  await menu.getByRole('combobox', { name: 'Column' }).click();
  await menu.getByRole('option', { name: column, exact: true }).click();
  await menu.getByRole('button', { name: value }).first().click();
  await menu.waitFor({ state: 'detached' });
}

describe('the list of requests', () => {
  test('shows what was sent before the page was open, with the body of one that failed', async () => {
    const api = await serving();
    await api.send('POST', '/v1/products', { name: 'Ox', price: 'much' });
    const page = await opening(api, '#/requests?status=4xx');
    await page.getByRole('list', { name: 'Conditions' }).getByText('Status is 4xx').waitFor();
    await rowOf(page, /products/u).click();
    await page.getByText('Some values are not allowed').first().waitFor();
    await page.getByText('name must have at least 3 characters').waitFor();
    await eventually(() => code(page, 'Body').textContent()).toContain('"code": "INVALID_VALUE"');
    await tab(page, 'Request');
    await eventually(() => code(page, 'Body').textContent()).toContain('"name": "Ox"');
    expect(await violationsOn(page)).toEqual([]);
  });

  test('is filtered by what each column has, and by what it has not; all 4xx of one client', async () => {
    const api = await serving();
    await api.get('/v1/products?nothing=1', { 'x-forwarded-for': '203.0.113.9' });
    await api.get('/v1/products?nothing=2');
    await api.get('/v1/nowhere');
    const page = await opening(api, '#/requests');
    await eventually(() => rowsOf(page).count()).toBe(8);
    await addFilter(page, 'Status', '4xx');
    await eventually(() => rowsOf(page).count()).toBe(3);
    await addFilter(page, 'Client', '127.0.0.1');
    expect(await hashOf(page)).toBe('#/requests?status=4xx&client=127.0.0.1');
    await addFilter(page, 'Path', 'Without /v1/nowhere');
    await eventually(() => rowsOf(page).count()).toBe(2);
    expect(await hashOf(page)).toContain('not.path=%2Fv1%2Fnowhere');
    await page.getByText('2 of 8 requests.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // What is so becomes what is not so.
    await page.getByRole('button', { name: 'Path without /v1/nowhere', exact: true }).click();
    await eventually(() => rowsOf(page).allTextContents()).toEqual(['/v1/nowhere']);
    await press(page, 'Remove Path contains /v1/nowhere');
    await eventually(() => rowsOf(page).count()).toBe(3);
    await press(page, 'Clear filters');
    await page.getByRole('searchbox').or(page.getByLabel('Search')).first().fill('404');
    await eventually(() => rowsOf(page).allTextContents()).toEqual(['/v1/nowhere']);
    await page.getByRole('checkbox', { name: 'Errors' }).press(' ');
    await eventually(() => hashOf(page)).toBe('#/requests?text=404&status=errors');
    await rowOf(page, /nowhere/u).click();
    await press(page, 'Filter by this');
    await page.getByRole('menuitem', { name: 'Path without /v1/nowhere' }).click();
    await page.getByText('No request fits').waitFor();
    await press(page, 'Clear the filter');
    await eventually(() => rowsOf(page).count()).toBe(8);
  });

  test('is sorted by each column: the slowest is found, and why it was slow', async () => {
    const api = await serving();
    await api.get('/v1/products?price_gt=10&expand=maker', { 'x-simulate': 'latency=1500' });
    await api.get('/v1/makers');
    const page = await opening(api, '#/requests');
    await rowOf(page, /price_gt/u).waitFor();
    const head = (name: string): Locator =>
      listOf(page).getByRole('columnheader', { name, exact: true });
    for (const name of [
      'Method',
      'Path',
      'Status',
      'Size',
      'Caller',
      'Client',
      'Time',
      'Duration',
    ]) {
      await head(name).getByRole('button').click();
      await eventually(() => head(name).getAttribute('aria-sort')).not.toBe('none');
    }
    expect(await head('Duration').getAttribute('aria-sort')).toBe('descending');
    expect(await rowsOf(page).first().textContent()).toContain('price_gt=10');
    await rowsOf(page).first().click();
    await tab(page, 'Trace');
    const shares = page.getByRole('list', { name: 'Shares of the time' });
    await shares.getByText(/^Simulated network [\d.,]+ ms/u).waitFor();
    const trace = page.getByRole('table', { name: 'Trace' });
    const all = (await trace.getByRole('row').allTextContents()).map((line) => line.slice(0, 7));
    expect(all).toContain('network');
    // A statement is below its step, and below what came before it.
    const lines = all.filter((line) => line !== 'before ');
    expect(lines[lines.indexOf('fetch_p') + 1]).toBe('SELECT ');
    expect(await violationsOn(page)).toEqual([]);
    // Nothing is unexplained: the steps end where the request ends.
    const total = /add up to ([\d.,]+) ms/u.exec(
      (await page.getByText(/add up to/u).textContent()) ?? '',
    );
    const facts = await page
      .getByRole('region', { name: 'Request details' })
      .locator('.facts')
      .textContent();
    expect(facts).toContain(`${total?.[1]} ms`);
    await tab(page, /^SQL/u);
    await press(page, 'Explain');
    await page.getByText('Plan of statement 1').waitFor();
    await page
      .getByText(/An index in the specification would help: products\.price: index: true/u)
      .waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  test('is paused, goes on, is cleared for this tab, and marks what the dashboard has sent', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await eventually(() => rowsOf(page).count()).toBe(5);
    await press(page, 'Pause');
    await api.get('/v1/products?limit=2');
    await page.getByText('Paused: 1 more have come since.').waitFor();
    await press(page, 'Go on');
    await rowOf(page, /limit=2/u).waitFor();
    await press(page, 'Clear');
    await page.getByText('No requests yet').waitFor();
    await page.reload();
    await page.getByText('No requests yet').waitFor();
    await api.get('/v1/makers?limit=3', { 'x-simulate': 'error=503' });
    await rowOf(page, /limit=3/u).click();
    await listOf(page)
      .getByRole('img', { name: /simulated network$/u })
      .waitFor();
    await press(page, 'Replay');
    await page.getByText(/^Sent again: 503/u).waitFor();
    const own = page.getByRole('switch', { name: "Dashboard's own" });
    const marked = listOf(page).getByRole('img', { name: 'Sent by the dashboard' });
    expect(await own.isChecked()).toBe(false);
    await own.press(' ');
    await marked.waitFor();
    await page.getByText('2 requests.').waitFor();
    expect(await hashOf(page)).toContain('own=shown');
    // What is counted is what is listed.
    await own.press(' ');
    await page.getByText('1 request.', { exact: true }).waitFor();
    await eventually(() => rowsOf(page).count()).toBe(1);
    await press(page, 'Pause');
    await press(page, 'Replay');
    await page.getByText(/^Sent again: 503/u).waitFor();
    await api.get('/v1/makers?limit=4');
    await page.getByText('Paused: 1 more have come since.').waitFor();
    await own.press(' ');
    await page.getByText('Paused: 2 more have come since.').waitFor();
    await page.reload();
    await page.getByText('4 requests.').waitFor();
    await eventually(() => marked.count()).toBe(2);
    await own.press(' ');
    await page.getByText('2 requests.').waitFor();
    await eventually(() => rowsOf(page).count()).toBe(2);
    await eventually(() => hashOf(page)).not.toContain('own=');
  });

  test('is exported as a file that other tools read', async () => {
    const api = await serving();
    await api.send('POST', '/v1/makers', { name: 'Bert' });
    const page = await opening(api, '#/requests?method=POST&path=makers');
    await rowsOf(page).first().waitFor();
    await press(page, 'More');
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /as HAR$/u }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('Shop.har');
    const { log } = JSON.parse(await readFile(await file.path(), 'utf8')) as {
      readonly log: {
        readonly version: string;
        readonly entries: readonly { readonly request: object }[];
      };
    };
    expect(log.version).toBe('1.2');
    expect(log.entries.at(-1)?.request).toMatchObject({
      method: 'POST',
      url: `${api.url}/v1/makers`,
      postData: { text: '{"name":"Bert"}' },
    });
  });

  test('has only what is seen in the page, of a thousand, and is one stop for the Tab key', async () => {
    const api = await servingOther('resources: { things: { fields: { name: { type: string } } } }');
    for (let sent = 0; sent < 1_050; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/things?limit=1')));
    const page = await opening(api, '#/requests');
    await page.getByText('The last 1,000 requests').waitFor();
    await eventually(() => rowsOf(page).count()).toBeLessThan(60);
    for (let limit = 2; limit <= 5; limit += 1) await api.get(`/v1/things?limit=${limit}`);
    await rowOf(page, /limit=5/u).waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await listOf(page).focus();
    for (const [key, limit] of [
      ['ArrowDown', 5],
      ['ArrowDown', 4],
      ['ArrowUp', 5],
      ['ArrowUp', 5],
      ['End', 1],
      ['Home', 5],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(focused).toBe(`/v1/things?limit=${limit}`);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'GET /v1/things?limit=5' }).waitFor();
    // What is opened follows the arrows, and the list stays where it is.
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'GET /v1/things?limit=4' }).waitFor();
    await eventually(focused).toBe('/v1/things?limit=4');
    await page.keyboard.press('End');
    await listOf(page).locator('[aria-rowindex="1001"][aria-selected="true"]').waitFor();
    await page.keyboard.press('Tab');
    const line = page.getByRole('separator', { name: 'Width of the list' });
    await eventually(() => page.evaluate('document.activeElement.ariaLabel')).toBe(
      'Width of the list',
    );
    const before = Number(await line.getAttribute('aria-valuenow'));
    await page.keyboard.press('ArrowRight');
    expect(Number(await line.getAttribute('aria-valuenow'))).toBe(before + 3);
    await page.reload();
    await eventually(() => line.getAttribute('aria-valuenow')).toBe(String(before + 3));
  });
});

describe('a request', () => {
  test('shows its query as understood, headers and bodies; JSON is folded and searched', async () => {
    const api = await serving();
    await api.get('/v1/products?price_gt=10&expand=maker');
    const page = await opening(api, '#/requests');
    const complaints = complaintsOf(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await rowOf(page, /price_gt/u).click();
    // The body comes first.
    const body = code(page, 'Body');
    await body.getByText('"Table"').waitFor();
    // Names, texts and numbers have colours of their own.
    const colours = await page.evaluate(`new Set([...document.querySelectorAll('.cm-content span')]
      .map((one) => getComputedStyle(one).color)).size`);
    expect(colours).toBeGreaterThan(2);
    await press(page, 'Fold all');
    await eventually(() => body.textContent()).not.toContain('"Table"');
    await press(page, 'Unfold all');
    await body.getByText('"Table"').waitFor();
    await press(page, 'Search');
    await page.getByRole('textbox', { name: 'Find' }).fill('Chair');
    await page.keyboard.press('Enter');
    await page.locator('.cm-searchMatch').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, 'Copy');
    const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    await eventually(copied).toMatch(/^\[\n {2}\{\n {4}"id": 1,/u);
    await page
      .getByRole('region', { name: 'Headers' })
      .getByRole('row', { name: 'x-total-count 2' })
      .waitFor();
    await tab(page, 'Request');
    const query = page.getByRole('region', { name: 'Query' });
    await query.getByRole('row', { name: 'price_gt filter price greater than 10' }).waitFor();
    await query.getByRole('row', { name: 'expand expansion maker' }).waitFor();
    await page.getByRole('row', { name: `host ${new URL(api.url).host}` }).waitFor();
    for (const [name, begin] of [
      ['curl', `curl '${api.url}/v1/products?price_gt=10&expand=maker'`],
      ['fetch', `await fetch("${api.url}/v1/products?price_gt=10&expand=maker"`],
      ['typed client', 'await api.products.list({'],
    ] as const) {
      await page
        .getByRole('button', { name: /^(?:Copy as|Copied)$/u })
        .first()
        .click();
      await page.getByRole('menuitem', { name, exact: true }).click();
      await eventually(copied).toContain(begin);
    }
    expect(complaints).toEqual([]);
  });

  test('is changed and sent again, headers too, compared with the first, and loses nothing to Escape', async () => {
    const api = await serving();
    await api.send('POST', '/v1/makers', { name: 'Bert' });
    const page = await opening(api, '#/requests?method=POST');
    await rowOf(page, /makers/u)
      .first()
      .click();
    await press(page, 'Edit and resend');
    const body = code(page, 'Body');
    await body.getByText('Bert').waitFor();
    await body.fill('{ "name": "Cleo" }');
    await press(page, 'Add a header');
    const count = await page.getByRole('combobox', { name: /^Name of header/u }).count();
    await page.getByRole('combobox', { name: `Name of header ${count}` }).fill('prefer');
    await page.getByRole('textbox', { name: 'Value of prefer' }).fill('return=minimal');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Close', exact: true }).click();
    await rowOf(page, /makers/u)
      .first()
      .click();
    await tab(page, /^Edit/u);
    await body.getByText('Cleo').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Send');
    const response = page.getByRole('region', { name: 'Its response' });
    await response.getByText(/^201 in [\d.]+ ms/u).waitFor();
    expect((await api.get('/v1/makers?name=Cleo')).body).toHaveLength(1);
    await response.getByRole('link', { name: 'compare it with the first' }).click();
    await page
      .getByText(/^\+ +"name": "Cleo"$/u)
      .first()
      .waitFor();
    await page
      .getByText(/^− +"name": "Bert"$/u)
      .first()
      .waitFor();
    await page.getByText(/^\+ prefer: return=minimal$/u).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  test('is sent to this server alone, and not if the browser does not send it', async () => {
    const api = await serving();
    await api.get('/v1/makers');
    const page = await opening(api, '#/requests');
    await rowOf(page, /makers/u)
      .first()
      .click();
    await tab(page, /^Edit/u);
    const path = page.getByRole('textbox', { name: 'Path and query' });
    for (const elsewhere of ['//elsewhere.example/', String.raw`/\elsewhere.example/`]) {
      await path.fill(elsewhere);
      await press(page, 'Send');
      await page.getByText('requests go to this server alone').waitFor();
    }
    await path.fill('/v1/makers');
    await press(page, 'Add a header');
    await page
      .getByRole('combobox', { name: /^Name of header/u })
      .last()
      .fill('x-mood');
    await page.getByRole('textbox', { name: 'Value of x-mood' }).fill('🙂');
    await press(page, 'Send');
    await page.getByText('The browser does not send this.').waitFor();
    await press(page, 'Discard changes');
    await press(page, 'Send');
    await page.getByText(/^200 in [\d.]+ ms/u).waitFor();
  });

  test('that writes is sent again after a question', async () => {
    const api = await servingOther('resources: { things: { fields: { name: { type: string } } } }');
    const page = await opening(api, '#/requests');
    await page.getByText('No requests yet').waitFor();
    await api.send('POST', '/v1/things', '{"name":  "once"}');
    await rowOf(page, /things/u).click();
    await press(page, 'Replay');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It may change records once more.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Leave it');
    await dialog.waitFor({ state: 'detached' });
    expect((await api.get('/v1/things')).body).toHaveLength(1);
    await press(page, 'Replay');
    await press(page, 'Send it again');
    await page.getByText(/^Sent again: 201/u).waitFor();
    expect((await api.get('/v1/things')).body).toHaveLength(2);
  });

  test('is shown as text, whatever it carries, and says how long a body is that is not kept', async () => {
    const api = await serving();
    await api.raw(`/v1/products?%E2%80%AEn=1&y=%E2%80%AE2&y=3&x=${encodeURIComponent(hostile)}`, {
      headers: { 'x-evil': '<svg onload=globalThis.ran=1>' },
    });
    await api.send('POST', '/v1/makers', { name: `2${hostile}` });
    const page = await opening(api, '#/requests');
    await rowOf(page, /x=<img/u).click();
    await tab(page, 'Request');
    await page.getByText('<svg onload=globalThis.ran=1>').waitFor();
    await page.getByText('\\u202en', { exact: true }).waitFor();
    await rowOf(page, /makers$/u)
      .first()
      .click();
    await code(page, 'Body').getByText('<img src=x').first().waitFor();
    expect(await hasRun(page)).toBeUndefined();
    const about = 'x'.repeat(70_000);
    const { headers } = await api.send('POST', '/v1/products', { name: 'Long', price: '1', about });
    await page.goto(`${api.url}/_dashboard#/requests/${headers.get('x-request-id')}?tab=request`);
    await page.getByText(/^70,\d{3} bytes, too long to be kept/u).waitFor();
    await tab(page, 'Response');
    await page.getByText(/^70,\d{3} bytes, too long to be kept/u).waitFor();
    await page.goto(`${api.url}/_dashboard#/requests/none`);
    await page.getByText('This request is no longer kept').waitFor();
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1024, 'dark'],
  ] as const)('is usable by all at %i px, %s', async (width, colorScheme) => {
    const api = await serving();
    await api.send('POST', '/v1/makers', { nme: 'Bert' });
    await api.get(`/v1/products?expand=maker&name_like=${'x'.repeat(200)}`);
    const page = await opening(api, '#/requests', { width, height: 844, colorScheme });
    await rowsOf(page).first().waitFor();
    const fits = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
    expect(await violationsOn(page)).toEqual([]);
    expect(await fits()).toBe(width);
    await rowsOf(page).first().click();
    for (const name of ['Response', 'Request', 'Trace', 'SQL', 'Edit', 'Compare']) {
      await tab(page, new RegExp(`^${name}`, 'u'));
      expect(await violationsOn(page), name).toEqual([]);
      expect(await fits(), name).toBe(width);
    }
    await page.getByRole('link', { name: 'Close', exact: true }).click();
    await rowsOf(page).first().waitFor();
  });
});

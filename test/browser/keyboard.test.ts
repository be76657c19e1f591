import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../support/browser.ts';
import { cellOf, chipOf, panelOf, urlIs } from '../support/data-page.ts';
import { keyboardOf } from '../support/keyboard.ts';
import { useShop } from '../support/shop.ts';
import { hashOf } from '../support/tokens.ts';

/** The tasks of people who work with the page, each by the keyboard alone: nothing is clicked or filled in. */

const { serving, servingOther, servingSales, opening } = useShop();

const button = (page: Page | Locator, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const combobox = (page: Page, name: string): Locator =>
  page.getByRole('combobox', { name, exact: true });
const textbox = (page: Page | Locator, name: string): Locator =>
  page.getByRole('textbox', { name, exact: true });
const requestsOn = (page: Page): Locator => page.getByRole('grid', { name: 'Requests' });
const rowsOf = (page: Page): Locator => requestsOn(page).getByRole('link', { name: /\/v1\//u });
const hashOn = (page: Page): Promise<string> => page.evaluate('location.hash');

test('the slowest request is found, and why it was slow', async () => {
  const api = await serving();
  await api.get('/v1/products?expand=maker', { 'x-simulate': 'latency=1500' });
  await api.get('/v1/makers');
  const page = await opening(api, '');
  await cellOf(page, 'Anna').waitFor();
  const { press, enter, at, tabTo, goTo } = keyboardOf(page);
  await goTo('Requests');
  const duration = page.getByRole('columnheader', { name: 'Duration', exact: true });
  await enter(duration.getByRole('button'));
  await eventually(() => duration.getAttribute('aria-sort')).toBe('descending');
  await press('ArrowDown');
  await at(rowsOf(page).first());
  await press('Enter');
  await page.getByRole('heading', { name: 'GET /v1/products?expand=maker' }).waitFor();
  await tabTo(page.getByRole('tab', { name: 'Response' }));
  await press('ArrowRight', 'ArrowRight');
  await at(page.getByRole('tab', { name: 'Trace' }));
  const shares = page.getByRole('list', { name: 'Shares of the time' });
  await shares.getByText(/^Simulated network [\d.,]+ ms/u).waitFor();
  // The list is where it was left, with the request that is open.
  await enter(page.getByRole('link', { name: 'Close', exact: true }), 'back');
  await page.getByRole('region', { name: 'Request details' }).waitFor({ state: 'detached' });
  await at(rowsOf(page).first());
});

test('all 4xx of one client are listed', async () => {
  const api = await serving();
  await api.get('/v1/products?nothing=1', { 'x-forwarded-for': '203.0.113.9' });
  await api.get('/v1/products?nothing=2');
  await api.get('/v1/nowhere');
  const page = await opening(api, '#/requests');
  await rowsOf(page).first().waitFor();
  const { press, enter, at, tabTo, type, choose, within } = keyboardOf(page);
  const filter = button(page, 'Filter');
  await enter(filter);
  await at(combobox(page, 'Column'));
  await tabTo(textbox(page, 'Value'));
  await type('4xx');
  await press('Enter');
  await eventually(() => rowsOf(page).count()).toBe(3);
  await at(filter);
  await press('Enter');
  await at(combobox(page, 'Column'));
  await choose('Client');
  await tabTo(textbox(page, 'Value'));
  await type('127.0.0.1');
  await press('Enter');
  await eventually(() => hashOn(page)).toMatch(/^#\/requests\?status=4xx&client=/u);
  // A condition is turned around, and taken away; the focus stays where it was, or beside it.
  const conditions = page.getByRole('list', { name: 'Conditions' });
  await at(filter);
  await enter(conditions.getByRole('button', { name: 'Status is 4xx', exact: true }));
  await at(conditions.getByRole('button', { name: 'Status is not 4xx', exact: true }));
  await enter(button(page, 'Remove Status is not 4xx'));
  await eventually(() => hashOn(page)).toBe('#/requests?client=127.0.0.1');
  await within(page.getByRole('search'));
});

test('a POST is changed and sent again', async () => {
  const api = await serving();
  await api.send('POST', '/v1/makers', { name: 'Bert' });
  const page = await opening(api, '#/requests');
  await rowsOf(page).first().waitFor();
  const { press, enter, at, tabTo, type } = keyboardOf(page);
  await tabTo(requestsOn(page));
  await press('ArrowDown');
  await at(rowsOf(page).first());
  await press('Enter');
  await page.getByRole('heading', { name: 'POST /v1/makers' }).waitFor();
  await enter(button(page, 'Edit and resend'));
  const form = page.getByRole('form', { name: 'Edit and resend' });
  await tabTo(form.getByRole('textbox', { name: 'Body', exact: true }));
  await press('Control+a');
  await type('{"name":"Berta"}');
  await enter(button(form, 'Send'));
  const response = page.getByRole('region', { name: 'Its response' });
  await response.getByText(/^201 in [\d.,]+ ms/u).waitFor();
  await at(button(form, 'Send'));
  expect((await api.get('/v1/makers?name=Berta')).body).toHaveLength(1);
  await enter(response.getByRole('link', { name: 'compare it with the first' }));
  await page.getByRole('heading', { name: 'Request body' }).waitFor();
  // A write is sent again as it was after a question.
  await enter(button(page, 'Replay'), 'back');
  const question = page.getByRole('dialog', { name: 'Send POST /v1/makers again?' });
  await at(button(question, 'Leave it'));
  await enter(button(question, 'Send it again'));
  await page.getByText(/^Sent again: 201/u).waitFor();
  await at(button(page, 'Replay'));
  expect((await api.get('/v1/makers?name=Berta')).body).toHaveLength(2);
});

test('customers of two countries with an invoice over 10 are found, newest invoices first, three a page', async () => {
  const page = await opening(await servingSales(), '#/data/customers');
  await cellOf(page, 'Ada').waitFor();
  const { press, enter, at, tabTo, type, choose, within } = keyboardOf(page);
  const editor = (name: string): Locator => page.getByRole('dialog', { name, exact: true });
  await enter(chipOf(page, 'Add filter'));
  await within(editor('Add filter'));
  await tabTo(combobox(page, 'Field of the filter'));
  await choose('country');
  await tabTo(combobox(page, 'Operator of the filter'));
  await choose('one of');
  await tabTo(combobox(page, 'Value of the filter'));
  await type('Germany, France');
  await press('Enter');
  await enter(button(page, 'Apply'));
  await urlIs(page, '/v1/customers?country_in=Germany,France');
  await page.getByText('5 records').waitFor();
  await enter(chipOf(page, 'Expand'));
  await at(combobox(page, 'Expand'));
  await choose('invoices');
  await press('Escape');
  await tabTo(combobox(page, 'Add to Order of invoices'));
  await choose('day');
  await tabTo(page.getByRole('radio', { name: 'ascending' }), 'back');
  await press('ArrowRight', 'Escape');
  await at(chipOf(page, /^Expand/u));
  await enter(chipOf(page, 'Add filter'), 'back');
  await within(editor('Add filter'));
  await tabTo(combobox(page, 'Field of the filter'));
  await choose('invoices');
  await tabTo(combobox(page, 'Field of invoices in the filter'));
  await choose('total');
  await tabTo(combobox(page, 'Operator of the filter'));
  await choose('greater than');
  await tabTo(textbox(page, 'Value of the filter'));
  await type('10');
  await press('Enter');
  await page.getByText('4 records').waitFor();
  await enter(chipOf(page, 'Page size'));
  await at(textbox(page, 'Limit'));
  await type('3');
  await press('Escape');
  await urlIs(
    page,
    '/v1/customers?country_in=Germany,France&_and=invoices.total_gt:10&expand=invoices&invoices.sort=-day&limit=3',
  );
  await enter(button(page, 'Page 2'));
  await cellOf(page, 'Flo').waitFor();
  await at(button(page, 'Page 2'));
  // What is taken away leaves the focus beside it.
  await enter(button(page, 'Remove Page size: 3 a page'), 'back');
  await eventually(() => page.getByRole('row').count()).toBe(5);
  await within(page.getByRole('toolbar', { name: 'List' }));
});

test('three cells are edited, one is taken back, and the menus of cell and column are used', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await cellOf(page, 'Chair').waitFor();
  const { press, at, tabTo, replace } = keyboardOf(page);
  const grid = page.getByRole('grid');
  await tabTo(grid);
  await press('ArrowRight');
  const edit = async (text: string): Promise<void> => {
    await press('Enter');
    await at(page.locator('.cell-editor').getByRole('textbox'));
    await replace(text);
    await press('Enter');
    await at(grid);
  };
  await edit('Stool');
  await edit('Bench');
  await edit('Lamp');
  const names = async (): Promise<unknown> =>
    ((await api.get('/v1/products?sort=id')).body as { name: string }[]).map(({ name }) => name);
  await eventually(names).toEqual(['Stool', 'Bench', 'Lamp']);
  await press('Control+z');
  await page.getByText('Undone: name of 3').waitFor();
  await at(grid);
  await press('Control+Home', 'Shift+F10');
  const menu = page.getByRole('menu');
  await at(menu.getByRole('menuitem', { name: /^Open record/u }));
  await press('ArrowDown', 'ArrowDown', 'ArrowDown');
  await at(menu.getByRole('menuitem', { name: 'Without Stool' }));
  await press('Enter');
  await urlIs(page, '/v1/products?name_neq=Stool');
  await at(grid);
  await press('Control+Home', 'ArrowUp', 'Enter');
  await at(page.getByRole('menuitem', { name: 'Sort ascending' }));
  await press('ArrowDown', 'Enter');
  await urlIs(page, '/v1/products?name_neq=Stool&sort=-name');
  await at(grid);
});

test('40 selected rows are deleted, the rest is exported and imported again', async () => {
  const api = await servingSales(60);
  const page = await opening(api, '#/data/customers?name_like=Customer');
  await page.getByText('60 records').waitFor();
  const { press, enter, at, tabTo } = keyboardOf(page);
  const grid = page.getByRole('grid');
  await tabTo(grid);
  await press(' ');
  for (let step = 1; step < 40; step += 1) await press('Shift+ArrowDown');
  const bar = page.getByRole('toolbar', { name: 'Selected records' });
  await bar.getByText('40 records selected').waitFor();
  await enter(button(bar, 'Delete'));
  await at(button(page, 'Keep them'));
  await enter(button(page, 'Delete 40'));
  await page.getByText('Deleted 40 records').waitFor();
  await page.getByText(/^20 records,/u).waitFor();
  await at(grid);
  const downloading = page.waitForEvent('download');
  await enter(button(page, 'Export'), 'back');
  await at(page.getByRole('menuitem', { name: 'As CSV' }));
  await press('Enter');
  const file = await (await downloading).path();
  const lines = readFileSync(file, 'utf8').split('\r\n');
  expect(lines).toHaveLength(22);
  await at(button(page, 'Export'));
  await enter(button(page, 'Import'), 'back');
  await at(button(page, 'Choose a file'));
  const choosing = page.waitForEvent('filechooser');
  await press('Enter');
  // The window of the system is no part of the page.
  await (
    await choosing
  ).setFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: readFileSync(file) });
  await page.getByText('No problems found.').waitFor();
  await enter(button(page, 'Import 20 records'));
  await page.getByText('Imported 20 records').waitFor();
  await page.getByText(/^40 records,/u).waitFor();
  await at(grid);
  await enter(button(page, 'Undo'), 'back');
  await page.getByText(/^20 records,/u).waitFor();
  await at(button(page, 'Undo'));
});

test('a dialog that gives the focus once more, late, does not take it from who has moved on', async () => {
  const page = await opening(await serving(), '#/data/products');
  await cellOf(page, 'Chair').waitFor();
  const { press, at, tabTo } = keyboardOf(page);
  await tabTo(page.getByRole('grid'));
  await press(' ');
  await tabTo(button(page.getByRole('toolbar', { name: 'Selected records' }), 'Delete'));
  // Timers without a time run when they are let: on a slow machine keys are pressed between two of them.
  await page.evaluate(`(() => {
    const { setTimeout } = globalThis;
    globalThis.held = [];
    globalThis.setTimeout = (run, time, ...rest) =>
      time === undefined ? held.push(run) && setTimeout(() => {}, 0) : setTimeout(run, time, ...rest);
  })()`);
  await press('Enter');
  const release = (): Promise<unknown> => page.evaluate('void held.shift()?.()');
  const keeps = button(page, 'Keep them');
  await keeps.waitFor();
  await eventually(async () => {
    await release();
    return keeps.and(page.locator(':focus')).count();
  }).toBe(1);
  await tabTo(button(page, 'Delete 1'));
  await eventually(async () => {
    await release();
    return page.evaluate('held.length');
  }).toBe(0);
  await at(button(page, 'Delete 1'));
});

test('a record is created after errors, and linked with what the link carries', async () => {
  const api = await servingSales();
  const page = await opening(api, '#/data/customers');
  await cellOf(page, 'Ada').waitFor();
  const { press, enter, at, tabTo, type, replace, choose } = keyboardOf(page);
  const panel = panelOf(page);
  const field = (name: string): Locator => panel.locator(`[id="field-${name}"]`);
  await enter(button(page, 'New record'));
  await at(panel);
  await tabTo(field('name'));
  await type('x'.repeat(41));
  await enter(button(panel, 'Add a link to groups'));
  await tabTo(field('groups[0]'), 'back');
  await type('larg');
  await page.getByRole('option', { name: '1 regular', exact: true }).waitFor({ state: 'detached' });
  await choose('2 large');
  await tabTo(field('groups[0].pivot.rank'));
  await type('-1');
  await enter(button(panel, 'Create'));
  // What is wrong has the focus, the first of it first.
  await at(field('name'));
  await replace('Gus');
  await press('Enter');
  await at(field('groups[0].pivot.rank'));
  await replace('3');
  await press('Enter');
  await panel.waitFor({ state: 'detached' });
  await at(button(page, 'New record'));
  const [made] = (await api.get('/v1/customers?name=Gus&expand=groups')).body as readonly object[];
  expect(made).toMatchObject({ groups: [{ id: 2, pivot: { rank: 3 } }] });
  // Its record is opened from the grid; Esc closes the list of an input, and then the record.
  const grid = page.getByRole('grid');
  await cellOf(page, 'Gus').waitFor();
  await tabTo(grid);
  await press('Control+End', 'Control+Enter');
  await at(panel);
  await enter(button(panel, 'Remove link 2 of groups'));
  await at(button(panel, 'Keep link 2 of groups'));
  await enter(button(panel, 'Save'));
  await panel.waitFor({ state: 'detached' });
  await at(grid);
  await press('Control+Enter');
  await at(panel);
  await panel.getByText('No links yet.').waitFor();
  await press('Escape');
  await panel.waitFor({ state: 'detached' });
  await at(grid);
});

test('a conflict is resolved field by field', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await cellOf(page, 'Chair').waitFor();
  const { press, enter, at, tabTo, replace } = keyboardOf(page);
  const panel = panelOf(page);
  const grid = page.getByRole('grid');
  await tabTo(grid);
  await press('Control+Enter');
  await at(panel);
  await tabTo(textbox(panel, 'name'));
  await replace('Throne');
  await tabTo(textbox(panel, 'price'));
  await replace('99');
  await api.send('PATCH', '/v1/products/1', { name: 'Sofa', price: '50.00' });
  await press('Enter');
  const choice = (name: string, which: string): Locator =>
    page.getByRole('radiogroup', { name }).getByRole('radio', { name: which });
  await at(choice('name', 'Yours: Throne'));
  await press('Tab');
  await at(choice('price', 'Yours: 99'));
  await press('ArrowDown');
  await enter(button(panel, 'Save with these'));
  await panel.waitFor({ state: 'detached' });
  await at(grid);
  expect((await api.get('/v1/products/1')).body).toMatchObject({ name: 'Throne', price: '50.00' });
  // In a cell as well.
  await cellOf(page, 'Throne').waitFor();
  await press('ArrowRight', 'Enter');
  const editor = page.locator('.cell-editor');
  await at(editor.getByRole('textbox'));
  await replace('Stool');
  await api.send('PATCH', '/v1/products/1', { name: 'Bench' });
  await press('Enter');
  await editor.getByText('It was changed meanwhile').waitFor();
  await enter(button(editor, 'Keep theirs'));
  await cellOf(page, 'Bench').waitFor();
  await at(grid);
});

test('a resource is found among a hundred, with its neighbours', async () => {
  const many = Array.from({ length: 100 }, (_, at) => {
    const key = at < 10 ? '' : `, upId: { type: integer, reference: t${at % 10}.id }`;
    return `  t${at}: { fields: { name: { type: string }${key} } }`;
  });
  const page = await opening(await servingOther(`resources:\n${many.join('\n')}\n`), '#/overview');
  const { press, enter, at, tabTo, type, goTo } = keyboardOf(page);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await goTo('Schema');
  await page.getByText('100 resources, 90 relations').waitFor();
  await tabTo(page.getByRole('main').getByRole('textbox', { name: 'Search' }));
  await type('t42');
  await page.getByText('1 resource found').waitFor();
  await press('Enter');
  await page.getByText('t42 and 1 neighbour').waitFor();
  await tabTo(page.getByRole('application', { name: /^Diagram/u }));
  const node = (name: string): Locator =>
    page.getByRole('group', { name: `Resource ${name}`, exact: true });
  await enter(node('t2'));
  await page.getByText('t2 and 9 neighbours').waitFor();
  await at(node('t2'));
  await press('Escape');
  await page.getByText('100 resources, 90 relations').waitFor();
  await at(node('t2'));
  // On to its records.
  await press('Tab');
  await at(node('t2').getByRole('link', { name: 't2', exact: true }));
  await press('Enter');
  await eventually(() => hashOn(page)).toBe('#/data/t2');
});

test('one resource is slowed down, which every view says, and leads back to', async () => {
  const api = await serving();
  const page = await opening(api, '#/network');
  const lines = page.getByRole('navigation', { name: 'Resources of the network' });
  await lines.waitFor();
  const { press, enter, tabTo, replace, goTo, within } = keyboardOf(page);
  await enter(lines.getByRole('link', { name: 'makers', exact: true }));
  const form = page.getByRole('region', { name: 'makers', exact: true });
  await tabTo(textbox(form, 'Longest latency in ms'));
  await replace('80');
  await press('Enter');
  await form.getByText('changed here').waitFor();
  await tabTo(form.getByRole('slider', { name: 'Error rate of makers in percent' }));
  await press('ArrowRight');
  await eventually(async () =>
    JSON.stringify((await api.get('/_dashboard/api/network')).body),
  ).toContain('"errorRate":0.01');
  await goTo('Requests');
  const badge = page.getByRole('link', { name: /makers: 0–80 ms/u });
  await enter(badge, 'back');
  await form.waitFor();
  await enter(button(form, 'Reset'));
  await badge.waitFor({ state: 'detached' });
  // The button can do nothing more; the focus is beside it.
  await within(page.getByRole('main'));
});

test('somebody signs in after an error, and out again', async () => {
  const api = await serving(`
dashboard: { roles: [admin] }
auth:
  apiKeys:
    - { name: boss, hash: "${hashOf('boss-key')}", roles: [admin] }`);
  const page = await opening(api, '#/data/makers');
  const { press, enter, at, type } = keyboardOf(page);
  const key = page.getByLabel('Token or API key').first();
  await at(key);
  await type('wrong');
  await press('Enter');
  await page.getByText('not valid').waitFor();
  await at(key);
  await press('Control+a');
  await type('boss-key');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'makers' }).waitFor();
  await enter(button(page, 'Sign out'));
  await at(key);
});

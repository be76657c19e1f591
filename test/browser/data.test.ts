import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually, violationsOn } from '../support/browser.ts';
import {
  cellOf,
  chipOf,
  choose,
  columnsOn,
  openRecord,
  panelOf,
  urlIs,
  urlOn,
  writeUrl,
} from '../support/data-page.ts';
import { hasRun, hostile, useShop } from '../support/shop.ts';

const { serving, servingSales, opening } = useShop();

const apply = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Apply', exact: true }).click();

describe('a list by chips', () => {
  test('finds customers of two countries with an invoice over 10, newest invoices first, three a page', async () => {
    const page = await opening(await servingSales(), '#/data/customers');
    await cellOf(page, 'Ada').waitFor();
    await chipOf(page, 'Add filter').click();
    await choose(page, 'Field of the filter', 'country');
    await choose(page, 'Operator of the filter', 'one of');
    const values = page.getByRole('combobox', { name: 'Value of the filter' });
    // Blanks around a value are no part of it.
    await values.pressSequentially('Germany, France');
    await values.press('Enter');
    await apply(page);
    await urlIs(page, '/v1/customers?country_in=Germany,France');
    await page.getByText('5 records').waitFor();
    await chipOf(page, 'Expand').click();
    await page.getByRole('combobox', { name: 'Expand' }).click();
    await page.getByRole('option', { name: 'invoices', exact: true }).click();
    await page.keyboard.press('Escape');
    await choose(page, 'Add to Order of invoices', 'day');
    await page.getByRole('radio', { name: 'ascending' }).press('ArrowRight');
    await page.keyboard.press('Escape');
    await chipOf(page, 'Add filter').click();
    await choose(page, 'Field of the filter', 'invoices');
    await choose(page, 'Field of invoices in the filter', 'total');
    await choose(page, 'Operator of the filter', 'greater than');
    await page.getByRole('textbox', { name: 'Value of the filter' }).fill('10');
    // Through what is expanded a filter means one of two things, which is said, and chosen.
    const records = page.getByRole('radio', {
      name: 'Only customers with such a record in invoices',
    });
    expect(await records.isChecked()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await apply(page);
    await chipOf(page, 'Page size').click();
    await page.getByRole('textbox', { name: 'Limit' }).fill('3');
    await page.keyboard.press('Escape');
    await urlIs(
      page,
      '/v1/customers?country_in=Germany,France&_and=invoices.total_gt:10&expand=invoices&invoices.sort=-day&limit=3',
    );
    await page.getByText('4 records').waitFor();
    await eventually(() => page.getByRole('row').count()).toBe(4);
    await page.getByRole('button', { name: 'Page 2' }).click();
    await cellOf(page, 'Flo').waitFor();
    // The other meaning.
    await chipOf(page, /^group 1/u).click();
    await page.getByRole('radio', { name: 'All customers, with only such records' }).check();
    await apply(page);
    await page.getByText('5 records').waitFor();
    expect(await urlOn(page)).toContain('invoices.total_gt=10');
  });

  test('is the same by chips and by hand, and keeps what it means when a collection is expanded', async () => {
    const page = await opening(await serving(), '#/data/makers');
    await cellOf(page, 'Anna').waitFor();
    await writeUrl(page, '/v1/makers?products.state=sold');
    await page.getByText('1 record').waitFor();
    await chipOf(page, 'Expand').click();
    await page.getByRole('combobox', { name: 'Expand' }).click();
    await page.getByRole('option', { name: 'products', exact: true }).click();
    await urlIs(page, '/v1/makers?_and=products.state:sold&expand=products');
    await page.getByText('1 record').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await writeUrl(page, '/v1/products?price_gt=cheap');
    await page.getByRole('alert').getByText('price_gt').waitFor();
    await writeUrl(page, '/v1/products?_or=price_gt:50,and(state:draft,price_lt:10)&search=a');
    await chipOf(page, /any of: price > 50, \(all of: state = draft, price < 10\)/u).waitFor();
    await eventually(() => page.getByLabel('Search records').inputValue()).toBe('a');
    await writeUrl(page, 'https://elsewhere.test/v1/products');
    await page.getByText('It begins with /v1/ and the name of a resource.').waitFor();
    await writeUrl(page, '/v1/products?sort=-price&fields=name,price&limit=1');
    await eventually(() => columnsOn(page)).toEqual(['id', 'name', 'price']);
    await chipOf(page, /^Sort: price ↓/u).waitFor();
    // Each path is sorted by once.
    await chipOf(page, /^Sort/u).click();
    await page.getByRole('combobox', { name: 'Add to Sort' }).click();
    await page.getByRole('option', { name: 'name', exact: true }).waitFor();
    await eventually(() => page.getByRole('option', { name: 'price', exact: true }).count()).toBe(
      0,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByText('JSON', { exact: true }).click();
    await page.locator('pre', { hasText: '"Table"' }).waitFor();
  });

  test('groups of conditions are built, and the focus stays where one works', async () => {
    const page = await opening(await serving(), '#/data/products');
    await cellOf(page, 'Chair').waitFor();
    await chipOf(page, 'Add filter').click();
    await choose(page, 'Field of the filter', 'price');
    await page.getByText('The list stays as it is until there is a value.').waitFor();
    await choose(page, 'Operator of the filter', 'greater than');
    await page.getByRole('textbox', { name: 'Value of the filter' }).fill('50');
    await page.getByRole('button', { name: 'Or…' }).click();
    await choose(page, 'Field of condition 2 of the filter', 'state');
    await choose(page, 'Value of condition 2 of the filter', 'sold');
    await choose(page, 'Kind of the filter', 'None of these');
    expect(await violationsOn(page)).toEqual([]);
    await apply(page);
    await urlIs(page, '/v1/products?_not=price_gt:50,state:sold');
    await page.getByText('2 records').waitFor();
    await page.getByRole('button', { name: /^Remove group 1/u }).press('Enter');
    await page.getByText('3 records').waitFor();
    await eventually(() => page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
  });

  test('shows values as text, null and empty apart, and keys by the name of their record', async () => {
    const api = await serving();
    await api.send('PATCH', '/v1/products/1', { about: '' });
    const page = await opening(api, '#/data/products?sort=id');
    await page.getByRole('link', { name: 'Anna' }).first().waitFor();
    const about = (row: number) => page.getByRole('row').nth(row).getByRole('gridcell').nth(3);
    await eventually(() => about(1).textContent()).toBe('empty');
    expect(await about(2).textContent()).toBe('null');
    await cellOf(page, hostile).waitFor();
    expect(await hasRun(page)).toBeUndefined();
    await page.getByRole('link', { name: 'Anna' }).first().click();
    await urlIs(page, '/v1/makers?id=1');
    await openRecord(page, 1);
    await page.getByRole('tab', { name: 'Related' }).click();
    await page.getByRole('link', { name: 'All of products' }).click();
    await urlIs(page, '/v1/products?makerId=1');
  });
});

describe('the grid', () => {
  test('edits three cells in their place, and takes one back, by the keyboard alone', async () => {
    const api = await serving();
    const page = await opening(api, '#/data/products');
    const { keyboard } = page;
    await cellOf(page, 'Chair').waitFor();
    await page.getByRole('grid').focus();
    const edit = async (text: string, key: string): Promise<void> => {
      await keyboard.press('Enter');
      const editor = page.locator('.cell-editor').getByRole('textbox');
      await editor.fill(text);
      await keyboard.press(key);
      await page.locator('.cell-editor').waitFor({ state: 'detached' });
    };
    await keyboard.press('ArrowRight');
    await edit('Stool', 'Enter');
    await edit('Bench', 'Enter');
    await edit('Lamp', 'Enter');
    await cellOf(page, 'Bench').waitFor();
    const names = async (): Promise<unknown> =>
      ((await api.get('/v1/products?sort=id')).body as { name: string }[]).map(({ name }) => name);
    expect(await names()).toEqual(['Stool', 'Bench', 'Lamp']);
    await keyboard.press('Control+z');
    await page.getByText('Undone: name of 3').waitFor();
    expect(await names()).toEqual(['Stool', 'Bench', hostile]);
    // What the server refuses is said at the cell, and what was typed stays; Escape leaves it.
    await keyboard.press('Home');
    await keyboard.press('Control+Home');
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    const editor = page.locator('.cell-editor').getByRole('textbox');
    await editor.fill('x');
    await keyboard.press('Enter');
    await page.locator('.cell-refusal').waitFor();
    expect(await editor.inputValue()).toBe('x');
    expect(await violationsOn(page)).toEqual([]);
    await keyboard.press('Escape');
    // Somebody else is faster.
    await keyboard.press('Enter');
    await editor.fill('Throne');
    await api.send('PATCH', '/v1/products/1', { name: 'Sofa' });
    await keyboard.press('Enter');
    await page.getByText('It was changed meanwhile').waitFor();
    await page.getByRole('button', { name: 'Save mine' }).press('Enter');
    await cellOf(page, 'Throne').waitFor();
  });

  test('deletes 40 selected rows, exports the rest, and imports them again', async () => {
    const api = await servingSales(60);
    const page = await opening(api, '#/data/customers?name_like=Customer');
    await page.getByText('60 records').waitFor();
    const box = (id: number) => page.getByRole('checkbox', { name: `Select ${id}`, exact: true });
    const rows = page.getByRole('grid');
    await box(7).click();
    await rows.focus();
    await page.keyboard.press('Control+Home');
    for (let step = 1; step < 40; step += 1) await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('40 records selected').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    const bar = page.getByRole('toolbar', { name: 'Selected records' });
    await bar.getByRole('button', { name: 'Delete' }).click();
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Keep them');
    await page.getByRole('button', { name: 'Delete 40' }).click();
    await page.getByText('Deleted 40 records').waitFor();
    await page.getByText(/^20 records,/u).waitFor();
    await eventually(() => page.evaluate('document.activeElement.role')).toBe('grid');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).first().click();
    await page.getByRole('menuitem', { name: 'As CSV' }).click();
    const file = await (await downloading).path();
    expect(readFileSync(file, 'utf8').split('\r\n')).toHaveLength(22);
    await page.getByRole('button', { name: 'Import' }).click();
    const input = page.locator('input[type=file]');
    const upload = async (text: string): Promise<void> =>
      input.setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await upload(`name,country\r\n${'x'.repeat(41)},France\r\nGus,\r\n`);
    await page.getByText('1 record with problems.').waitFor();
    await page.getByText('has more than 40 characters').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await upload(readFileSync(file, 'utf8'));
    await page.getByText('No problems found.').waitFor();
    await page.getByRole('button', { name: 'Import 20 records' }).click();
    await page.getByText('Imported 20 records').waitFor();
    await page.getByText(/^40 records,/u).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^20 records,/u).waitFor();
  });

  test('says what is in the way of a delete, changes what is selected, and copies it', async () => {
    const api = await servingSales();
    const page = await opening(api, '#/data/customers');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await cellOf(page, 'Ada').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that match' }).click();
    const bar = page.getByRole('toolbar', { name: 'Selected records' });
    await bar.getByText('6 records selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 6' }).click();
    await page.getByRole('alert').getByText('of invoices').waitFor();
    await page.getByRole('button', { name: 'Keep them' }).click();
    await bar.getByRole('button', { name: 'Change' }).click();
    await choose(page, 'Field', 'country');
    await page.getByRole('textbox', { name: 'New value' }).fill('Chile');
    await page.getByRole('button', { name: 'Change 6' }).click();
    await page.getByText('country of 6 records → Chile').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^Undone/u).waitFor();
    expect((await api.get('/v1/customers?country=Spain')).body).toHaveLength(1);
    await cellOf(page, 'Cy').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy row as CSV' }).click();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await eventually(copied).toBe('id,name,country\r\n3,Cy,Spain');
    await cellOf(page, 'Cy').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Only Cy' }).click();
    await urlIs(page, '/v1/customers?name=Cy');
  });

  test('remembers how its columns are arranged, and sorts by their heads', async () => {
    const page = await opening(await serving(), '#/data/products');
    await cellOf(page, 'Chair').waitFor();
    const menu = async (name: string, item: string): Promise<void> => {
      await page.getByRole('columnheader', { name: new RegExp(`^${name}`, 'u') }).hover();
      await page.getByRole('button', { name: `Menu of ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('about', 'Hide');
    await menu('price', 'Pin to the left');
    const wanted = ['id', 'price', 'name', 'state', 'makerId'];
    await eventually(() => columnsOn(page)).toEqual(wanted);
    await page.reload();
    await cellOf(page, 'Chair').waitFor();
    expect(await columnsOn(page)).toEqual(wanted);
    await page.getByRole('button', { name: 'price', exact: true }).click();
    await urlIs(page, '/v1/products?sort=price');
    await page.getByRole('button', { name: 'price', exact: true }).click();
    await urlIs(page, '/v1/products?sort=-price');
    expect(
      await page.getByRole('columnheader', { name: /^price/u }).getAttribute('aria-sort'),
    ).toBe('descending');
  });

  test('shows groups as a table and a chart', async () => {
    const page = await opening(await servingSales(), '#/data/customers');
    await cellOf(page, 'Ada').waitFor();
    await page.getByText('Summary', { exact: true }).click();
    await page.getByRole('figure', { name: 'count by group' }).getByText('Germany').waitFor();
    await urlIs(page, '/v1/customers?group=country&aggregate=count&sort=-count');
    await page.getByRole('cell', { name: 'Germany' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByText('Grid', { exact: true }).click();
    await cellOf(page, 'Ada').waitFor();
  });

  test('opens a record beside it, with small grids of what belongs to it, and a Save that stays in sight', async () => {
    const page = await opening(await servingSales(), '#/data/customers', { height: 420 });
    await openRecord(page, 1);
    const panel = panelOf(page);
    const save = panel.getByRole('button', { name: 'Save', exact: true });
    const bottom = async (): Promise<number> => {
      const box = await save.boundingBox();
      return (box?.y ?? Infinity) + (box?.height ?? 0);
    };
    await eventually(bottom).toBeLessThan(420);
    await panel.getByRole('button', { name: 'Add a link to groups' }).click();
    await panel.getByRole('combobox', { name: 'Record of groups' }).scrollIntoViewIfNeeded();
    await eventually(bottom).toBeLessThan(420);
    await panel.getByRole('tab', { name: 'Related' }).click();
    const invoices = panel.getByRole('region', { name: 'Some of invoices' });
    await eventually(() => invoices.getByRole('row').allTextContents()).toEqual([
      'idtotalday',
      '112.002026-01-01',
      '23.002026-03-01',
    ]);
    await panel.getByRole('link', { name: 'All of invoices' }).click();
    await panel.getByRole('button', { name: 'Throw it away' }).click();
    await urlIs(page, '/v1/invoices?customerId=1');
  });

  test('duplicates a record, and creates one beside it', async () => {
    const api = await servingSales();
    const page = await opening(api, '#/data/customers');
    await openRecord(page, 3);
    await panelOf(page).getByRole('button', { name: 'Duplicate' }).click();
    const name = panelOf(page).getByRole('textbox', { name: 'name', exact: true });
    await eventually(() => name.inputValue()).toBe('Cy');
    await panelOf(page).getByRole('button', { name: 'Create' }).click();
    await panelOf(page).waitFor({ state: 'detached' });
    expect((await api.get('/v1/customers?name=Cy')).body).toHaveLength(2);
  });
});

import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { eventually } from '../support/browser.ts';
import { cellOf, chipOf, panelOf, urlIs } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const { servingOther, servingSales, opening } = useShop();

/** Fields of each type that a cell shows or edits in a way of its own. */
const workshop = `
name: Workshop
access: public
resources:
  makers:
    fields:
      name: { type: string, required: true }
  parts:
    fields:
      name: { type: string, required: true }
      price: { type: decimal, scale: 2 }
      grade: { type: enum, values: [low, high], nullable: true }
      isSold: { type: boolean }
      made: { type: date, nullable: true }
      about: { type: text, nullable: true }
      specs: { type: json, nullable: true }
      makerId: { type: integer, nullable: true, reference: makers.id }
`;

async function servingParts(count = 3): Promise<TestApi> {
  const api = await servingOther(workshop);
  await api.send('POST', '/v1/makers', [{ name: 'Anna' }, { name: 'Bert' }]);
  const parts = Array.from({ length: count }, (_, at) => ({
    name: `Part ${at + 1}`,
    price: '9.50',
    grade: 'low',
    isSold: true,
    makerId: 1,
    specs: { size: [at, 2], note: 'two\nlines' },
  }));
  for (let at = 0; at < count; at += 500)
    expect((await api.send('POST', '/v1/parts', parts.slice(at, at + 500))).status).toBe(201);
  return api;
}

const gridOn = (page: Page): Locator => page.getByRole('grid');
const editorOn = (page: Page): Locator => page.locator('.cell-editor');
const activeOn = (page: Page): Promise<unknown> =>
  page.evaluate(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).ariaColIndex`,
  );
const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** The text of the file that a click downloads, and its name. */
async function downloaded(page: Page, click: () => Promise<void>): Promise<readonly string[]> {
  const saved = page.waitForEvent('download');
  await click();
  const file = await saved;
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
}

test('cells are edited by what fits their type, and keys lead on', async () => {
  const api = await servingParts();
  const page = await opening(api, '#/data/parts');
  await cellOf(page, 'Part 1').waitFor();
  const { keyboard } = page;
  const stored = async (): Promise<unknown> => (await api.get('/v1/parts/1')).body;
  await gridOn(page).focus();
  await keyboard.press('ArrowRight');
  // What is typed on a cell takes the place of what is in it. Tab saves and goes to the right.
  await keyboard.type('Wheel');
  await eventually(() => editorOn(page).getByRole('textbox').inputValue()).toBe('Wheel');
  await keyboard.press('Tab');
  await editorOn(page).waitFor({ state: 'detached' });
  await eventually(() => activeOn(page)).toBe('4');
  await eventually(stored).toMatchObject({ name: 'Wheel' });
  await keyboard.press('F2');
  await editorOn(page).getByRole('textbox').fill('12.25');
  await keyboard.press('Shift+Tab');
  await eventually(stored).toMatchObject({ price: '12.25' });
  await eventually(() => activeOn(page)).toBe('3');
  // Esc leaves the cell as it was.
  await keyboard.press('Enter');
  await editorOn(page).getByRole('textbox').fill('Never');
  await keyboard.press('Escape');
  await editorOn(page).waitFor({ state: 'detached' });
  await cellOf(page, 'Wheel').waitFor();
  const edit = async (column: string): Promise<Locator> => {
    const heads = await page.getByRole('columnheader').allTextContents();
    await page
      .getByRole('row')
      .nth(1)
      .getByRole('gridcell')
      .nth(heads.indexOf(column))
      .click({ position: { x: 4, y: 4 } });
    await keyboard.press('Enter');
    const editor = editorOn(page).getByLabel(column, { exact: true });
    await editor.waitFor();
    return editor;
  };
  const grade = await edit('grade');
  expect(await grade.getByRole('option').allTextContents()).toEqual(['null', 'low', 'high']);
  await grade.selectOption('high');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ grade: 'high' });
  await (await edit('grade')).selectOption('null');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ grade: null });
  await (await edit('isSold')).selectOption('false');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ isSold: false });
  const made = await edit('made');
  expect(await made.getAttribute('type')).toBe('date');
  await made.fill('2026-02-03');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ made: '2026-02-03' });
  // A text has lines, which Shift+Enter begins.
  const about = await edit('about');
  await about.fill('one');
  await keyboard.press('Shift+Enter');
  await keyboard.type('two');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ about: 'one\ntwo' });
  const specs = await edit('specs');
  expect(JSON.parse(await specs.inputValue())).toEqual({ size: [0, 2], note: 'two\nlines' });
  await specs.fill('{"size":');
  await keyboard.press('Enter');
  await page.getByText('This is not valid JSON.').waitFor();
  await specs.fill('{"size": 3}');
  await keyboard.press('Enter');
  await eventually(stored).toMatchObject({ specs: { size: 3 } });
  // The record of a key is found by its name, and taken by the keyboard. Esc closes the list before the editor.
  const maker = await edit('makerId');
  await maker.fill('ber');
  await page.getByRole('option', { name: '2 Bert', exact: true }).waitFor();
  await keyboard.press('Escape');
  await eventually(() => page.getByRole('option').filter({ visible: true }).count()).toBe(0);
  await maker.fill('bert');
  await page.getByRole('option', { name: '2 Bert', exact: true }).waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await eventually(() => maker.inputValue()).toBe('2');
  await keyboard.press('Enter');
  await editorOn(page).waitFor({ state: 'detached' });
  await eventually(stored).toMatchObject({ makerId: 2 });
  await page.getByRole('link', { name: 'Bert', exact: true }).waitFor();
  // What was left by Esc has changed nothing.
  expect(await stored()).toMatchObject({ name: 'Wheel', price: '12.25' });
});

test('rows are selected by click, Shift, Ctrl and all that match, then copied and exported', async () => {
  const page = await opening(await servingSales(), '#/data/customers?country_in=Germany,France');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const cell = (name: string): Locator => cellOf(page, name);
  const bar = page.getByRole('toolbar', { name: 'Selected records' });
  await cell('Ada').waitFor();
  await cell('Ada').click();
  await cell('Di').click({ modifiers: ['Shift'] });
  await bar.getByText('3 records selected').waitFor();
  await cell('Bo').click({ modifiers: ['Control'] });
  await bar.getByText('2 records selected').waitFor();
  await cell('Flo').click({ modifiers: ['Control'] });
  await bar.getByText('3 records selected').waitFor();
  const ids = [1, 4, 6];
  for (const id of ids)
    expect(
      await page.getByRole('checkbox', { name: `Select ${id}`, exact: true }).isChecked(),
    ).toBe(true);
  const take = async (menu: string, item: string): Promise<void> => {
    await bar.getByRole('button', { name: menu, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await take('Copy', 'As JSON');
  await eventually(async () => JSON.parse(await copied(page))).toEqual([
    { id: 1, name: 'Ada', country: 'Germany' },
    { id: 4, name: 'Di', country: 'France' },
    { id: 6, name: 'Flo', country: 'Germany' },
  ]);
  await take('Copy', 'As CSV');
  const csv = 'id,name,country\r\n1,Ada,Germany\r\n4,Di,France\r\n6,Flo,Germany';
  await eventually(() => copied(page)).toBe(csv);
  await take('Copy', 'As curl');
  await eventually(() => copied(page)).toMatch(/^curl '[^']+\/v1\/customers\?id_in=1,4,6'/u);
  const records = [
    { id: 1, name: 'Ada', country: 'Germany' },
    { id: 4, name: 'Di', country: 'France' },
    { id: 6, name: 'Flo', country: 'Germany' },
  ];
  expect(await downloaded(page, () => take('Export', 'As CSV'))).toEqual([
    'customers.csv',
    `${csv}\r\n`,
  ]);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  expect(await downloaded(page, () => take('Export', 'As NDJSON'))).toEqual([
    'customers.ndjson',
    lines,
  ]);
  const [, json = ''] = await downloaded(page, () => take('Export', 'As JSON'));
  expect(JSON.parse(json)).toEqual(records);
  await gridOn(page).focus();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  // All that match are those of the filter, and the export of the list has them as well.
  await page.keyboard.press('Control+a');
  await bar.getByText('5 records selected').waitFor();
  await take('Copy', 'As CSV');
  await eventually(async () => (await copied(page)).split('\r\n').length).toBe(6);
  await bar.getByRole('button', { name: 'Clear', exact: true }).click();
  const [, list = ''] = await downloaded(page, async () => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'As JSON', exact: true }).click();
  });
  expect((JSON.parse(list) as { name: string }[]).map(({ name }) => name)).toEqual([
    'Ada',
    'Bo',
    'Di',
    'Ed',
    'Flo',
  ]);
});

test('a cell and its row are copied, filtered by, duplicated and set to null', async () => {
  const api = await servingSales();
  const page = await opening(api, '#/data/customers');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const menu = async (name: string, item: string): Promise<void> => {
    await cellOf(page, name).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
  };
  await cellOf(page, 'Spain').click();
  await page.keyboard.press('Control+c');
  await eventually(() => copied(page)).toBe('Spain');
  await menu('Ada', 'Copy cell');
  await eventually(() => copied(page)).toBe('Ada');
  await menu('Ada', 'Copy row as JSON');
  await eventually(async () => JSON.parse(await copied(page))).toEqual({
    id: 1,
    name: 'Ada',
    country: 'Germany',
  });
  await menu('Ada', 'Copy row as curl');
  await eventually(() => copied(page)).toBe(`curl '${api.url}/v1/customers/1'`);
  await menu('Spain', 'Set to null');
  await eventually(async () => (await api.get('/v1/customers/3')).body).toMatchObject({
    country: null,
  });
  await cellOf(page, 'null').waitFor();
  await menu('null', 'Only null');
  await urlIs(page, '/v1/customers?country_null=true');
  await page.getByText('1 record,').waitFor();
  await page.getByRole('button', { name: /^Remove filter 1/u }).click();
  await cellOf(page, 'France').waitFor();
  await menu('France', 'Without France');
  await urlIs(page, '/v1/customers?country_neq=France');
  await chipOf(page, 'filter 1: country ≠ France').waitFor();
  await menu('Ada', 'Duplicate');
  await panelOf(page).getByRole('button', { name: 'Create', exact: true }).click();
  await panelOf(page).waitFor({ state: 'detached' });
  await eventually(async () => (await api.get('/v1/customers?name=Ada')).body).toHaveLength(2);
});

test('only rows in sight are drawn; head and id stay, numbers stand right, and JSON is one line', async () => {
  const page = await opening(await servingParts(1_500), '#/data/parts', { width: 900 });
  await cellOf(page, 'Part 1').waitFor();
  await page.getByText('1,500 records,').waitFor();
  const grid = gridOn(page);
  expect(await grid.getAttribute('aria-rowcount')).toBe('1501');
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  // To the right, however the cell is laid out.
  const isAtRight = (text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const cells = [...document.querySelectorAll('[role=gridcell]')];
      const element = cells.find(({ textContent }) => textContent === ${JSON.stringify(text)});
      const range = document.createRange();
      range.selectNodeContents(element);
      const [inner, outer] = [range, element].map((one) => one.getBoundingClientRect());
      return outer.right - inner.right < inner.left - outer.left;
    })()`);
  await eventually(() => isAtRight('9.50')).toBe(true);
  expect(await isAtRight('Part 1')).toBe(false);
  const json = cellOf(page, /"size"/u);
  expect(await json.textContent()).not.toContain('\n');
  expect((await json.boundingBox())?.height).toBeLessThan(40);
  // At the end of the list and of its columns, head and id are where they were.
  const head = page.getByRole('columnheader', { name: /^id/u });
  const [before, left] = [await head.boundingBox(), (await cellOf(page, '1').boundingBox())?.x];
  await grid.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('End');
  await cellOf(page, 'Part 1500').waitFor({ state: 'attached' });
  await eventually(() =>
    page.evaluate(`document.querySelector('[role=grid]').scrollLeft`),
  ).toBeGreaterThan(50);
  expect(await head.boundingBox()).toEqual(before);
  await eventually(async () => (await cellOf(page, '1500').boundingBox())?.x).toBe(left);
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  // Rows that were never in sight are selected as well.
  await page.keyboard.press('Control+Home');
  await cellOf(page, 'Part 1').click();
  await page.keyboard.press('Control+End');
  await cellOf(page, 'Part 1500').click({ modifiers: ['Shift'] });
  await page.getByText('1,500 records selected').waitFor();
});

test('columns fill the grid, are resized by pointer and by menu, and keep their widths', async () => {
  const page = await opening(await servingSales(), '#/data/customers', { width: 1600 });
  await cellOf(page, 'Ada').waitFor();
  const head = (name: string): Locator =>
    page.getByRole('columnheader', { name: new RegExp(`^${name}`, 'u') });
  const widths = async (): Promise<readonly (number | undefined)[]> =>
    Promise.all(
      ['id', 'name', 'country'].map(async (name) => (await head(name).boundingBox())?.width),
    );
  // Texts share what is left, as far as that helps to read them.
  await eventually(widths).toEqual([84, 480, 480]);
  const edge = await head('name').locator('.resizer').boundingBox();
  if (edge === null) throw new Error('A column has no edge');
  const [x, y] = [edge.x + edge.width / 2, edge.y + 8];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 100, y);
  await page.mouse.move(x - 200, y);
  await page.mouse.up();
  await eventually(widths).toEqual([84, 280, 480]);
  await head('country').hover();
  await page.getByRole('button', { name: 'Menu of country', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Narrower' }).click();
  await eventually(widths).toEqual([84, 280, 440]);
  await page.reload();
  await cellOf(page, 'Ada').waitFor();
  await eventually(widths).toEqual([84, 280, 440]);
  await chipOf(page, 'Columns').click();
  await page.getByRole('button', { name: 'As at first', exact: true }).click();
  await eventually(widths).toEqual([84, 480, 480]);
});

test('NDJSON and JSON are imported after a preview of their problems', async () => {
  const api = await servingSales();
  const page = await opening(api, '#/data/customers');
  await cellOf(page, 'Ada').waitFor();
  const upload = (name: string, text: string): Promise<void> =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const preview = page.getByRole('region', { name: 'Preview' });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await upload('a.ndjson', '{"name":"Gus","country":"Peru"}\n{"name":7}\n{"name":"Hal"}\n');
  await page.getByText('1 record with problems.').waitFor();
  await preview.getByText('is not a text').waitFor();
  expect(await page.getByRole('button', { name: /^Import 3 records/u }).isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: 'Skip the records with problems' }).click();
  await page.getByRole('button', { name: 'Import 2 records', exact: true }).click();
  await page.getByText('Imported 2 records').waitFor();
  expect((await api.get('/v1/customers?id_gt=6')).body).toMatchObject([
    { name: 'Gus', country: 'Peru' },
    { name: 'Hal' },
  ]);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await upload('a.json', '[{"name":');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await upload('b.json', '[{"name":"Ida"}]');
  await page.getByText('No problems found.').waitFor();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await page.getByText('Imported 1 record').waitFor();
  expect((await api.get('/v1/customers?name=Ida')).body).toHaveLength(1);
});

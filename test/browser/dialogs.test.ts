import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { colourWalk, complaintsOf, eventually } from '../support/browser.ts';
import { cellOf, chipOf, openRecord, panelOf } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const { servingOther, opening } = useShop();

/** Fields of each type that something opens for: choices, keys, texts of several lines, dates and lists. */
const store = `
name: Store
access: public
resources:
  makers:
    fields:
      name: { type: string, required: true }
  products:
    fields:
      name: { type: string, required: true, minLength: 3 }
      state: { type: enum, values: [draft, sold], default: draft }
      makerId: { type: integer, reference: makers.id }
      day: { type: date, nullable: true }
      extra: { type: json, nullable: true }
      maker: { type: relation, relation: belongsTo, resource: makers }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: product-tags }
  tags:
    fields:
      name: { type: string, required: true }
      products: { type: relation, relation: belongsToMany, resource: products, through: product-tags }
  product-tags:
    fields:
      productId: { type: integer, required: true, reference: products.id }
      tagId: { type: integer, required: true, reference: tags.id }
`;

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const input = (page: Page, name: string): Locator =>
  page.getByRole('combobox', { name, exact: true });
/** By key: what has the focus when an editor opens may cover others with a list of its own. */
const openList = (page: Page, name: string): Promise<void> => input(page, name).press('ArrowDown');
const field = (page: Page, name: string): Locator => panelOf(page).locator(`[id="field-${name}"]`);
const goTo = (page: Page, path: string): Promise<unknown> =>
  page.goto(new URL(path, page.url()).href);

/** Waits for what has opened: a menu, a list of choices, a dialog or a hint. */
type Role = 'menu' | 'listbox' | 'dialog' | 'tooltip' | 'alert';
const openedOn = (page: Page, role: Role): Locator => page.getByRole(role).last();

interface Opening {
  readonly name: string;
  readonly role: Role;
  readonly open: (page: Page) => Promise<unknown>;
  /** What is there before it, where that is not what was there before. */
  readonly at?: (page: Page) => Promise<unknown>;
}

/** All that opens over the page, in the order in which one view leads to it. */
const openings: readonly Opening[] = [
  {
    name: 'menu of a column',
    role: 'menu',
    open: (page) => page.getByRole('button', { name: 'Menu of name' }).click({ force: true }),
  },
  {
    name: 'menu of a cell',
    role: 'menu',
    open: (page) => cellOf(page, 'Chair').click({ button: 'right' }),
  },
  {
    name: 'records for a cell',
    role: 'listbox',
    open: async (page) => {
      await cellOf(page, 'draft').click();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await input(page, 'makerId').fill('ann');
    },
  },
  {
    name: 'value of a cell that is refused',
    role: 'alert',
    open: async (page) => {
      await cellOf(page, 'Chair').dblclick();
      await page.getByRole('textbox', { name: 'name', exact: true }).fill('x');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'lines of JSON in a cell',
    role: 'alert',
    open: async (page) => {
      await cellOf(page, '{"a":1}').dblclick();
      await page.getByRole('textbox', { name: 'extra', exact: true }).fill('{');
      await page.keyboard.press('Control+Enter');
    },
  },
  { name: 'menu of export', role: 'menu', open: (page) => press(page, 'Export') },
  { name: 'import', role: 'dialog', open: (page) => press(page, 'Import') },
  {
    name: 'import with problems',
    role: 'dialog',
    open: async (page) => {
      await press(page, 'Import');
      const [files] = await Promise.all([
        page.waitForEvent('filechooser'),
        press(page, 'Choose a file'),
      ]);
      const text = 'name,state\nLamp,draft\nx,lost\n';
      await files.setFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
      await page.getByRole('region', { name: 'Preview' }).waitFor();
    },
  },
  {
    name: 'fields of a filter',
    role: 'listbox',
    open: async (page) => {
      await chipOf(page, 'Add filter').click();
      await openList(page, 'Field of the filter');
    },
  },
  {
    name: 'operators of a filter',
    role: 'listbox',
    open: async (page) => {
      await chipOf(page, 'Add filter').click();
      await openList(page, 'Operator of the filter');
    },
  },
  {
    name: 'choices of a filter',
    role: 'listbox',
    at: (page) => goTo(page, '/_dashboard#/data/products?state_in=draft'),
    open: async (page) => {
      await chipOf(page, /^filter 1/u).click();
      await openList(page, 'Value of filter 1');
    },
  },
  {
    name: 'records of a filter',
    role: 'listbox',
    at: (page) => goTo(page, '/_dashboard#/data/products?_or=makerId:1,day_gt:now-7d'),
    open: async (page) => {
      await chipOf(page, /^group 1/u).click();
      await input(page, 'Value of condition 1 of group 1').fill('ann');
    },
  },
  {
    name: 'kinds of a group',
    role: 'listbox',
    open: async (page) => {
      await chipOf(page, /^group 1/u).click();
      await openList(page, 'Kind of group 1');
    },
  },
  {
    name: 'keys of the order',
    role: 'listbox',
    at: (page) => goTo(page, '/_dashboard#/data/products?sort=name,-id&expand=tags'),
    open: async (page) => {
      await chipOf(page, /^Sort/u).click();
      await openList(page, 'Add to Sort');
    },
  },
  {
    name: 'columns and fields',
    role: 'listbox',
    open: async (page) => {
      await chipOf(page, /^Columns/u).click();
      await openList(page, 'Fields');
    },
  },
  {
    name: 'relations to expand',
    role: 'listbox',
    open: async (page) => {
      await chipOf(page, /^Expand/u).click();
      await openList(page, 'Expand');
    },
  },
  { name: 'page size', role: 'dialog', open: (page) => chipOf(page, 'Page size').click() },
  {
    name: 'commands of a list',
    role: 'menu',
    open: async (page) => {
      await page.getByRole('button', { name: 'URL of the list' }).click();
      await page.getByRole('button', { name: /^Copy as/u }).click();
    },
  },
  {
    name: 'hint of a button',
    role: 'tooltip',
    open: (page) => page.getByRole('button', { name: 'Send again' }).hover(),
  },
  {
    name: 'what groups are by',
    role: 'listbox',
    at: (page) => goTo(page, '/_dashboard#/data/products?group=state&aggregate=count'),
    open: (page) => openList(page, 'Group by'),
  },
  {
    name: 'what is told of groups',
    role: 'listbox',
    open: (page) => openList(page, 'Of each group'),
  },
  {
    name: 'menu of copying selected rows',
    role: 'menu',
    at: async (page) => {
      await goTo(page, '/_dashboard#/data/products');
      await page.getByRole('checkbox', { name: 'Select 1', exact: true }).click();
    },
    open: (page) => press(page, 'Copy'),
  },
  {
    name: 'field to change in selected rows',
    role: 'listbox',
    open: async (page) => {
      await press(page, 'Change');
      await openList(page, 'Field');
    },
  },
  {
    name: 'question before selected rows are deleted',
    role: 'dialog',
    open: (page) =>
      page
        .getByRole('toolbar', { name: 'Selected records' })
        .getByRole('button', { name: 'Delete' })
        .click(),
  },
  {
    name: 'choices of a record',
    role: 'listbox',
    at: async (page) => {
      await goTo(page, '/_dashboard#/data/products?id=1');
      await openRecord(page, 1);
    },
    open: (page) => field(page, 'state').click(),
  },
  {
    name: 'records of a key',
    role: 'listbox',
    open: (page) => field(page, 'makerId').fill('ann'),
  },
  {
    name: 'records of a link',
    role: 'listbox',
    open: async (page) => {
      await press(page, 'Add a link to tags');
      await field(page, 'tags.add[0]').click();
    },
  },
  {
    name: 'hint of a record',
    role: 'tooltip',
    open: (page) => panelOf(page).getByRole('button', { name: 'Duplicate' }).hover(),
  },
  {
    name: 'filter of requests',
    role: 'listbox',
    at: async (page) => {
      await panelOf(page).getByRole('button', { name: 'Close' }).click();
      await press(page, 'Throw it away');
      await goTo(page, '/_dashboard#/requests');
    },
    open: async (page) => {
      await press(page, 'Filter');
      await openList(page, 'Column');
    },
  },
  {
    name: 'values of a filter of requests',
    role: 'dialog',
    open: async (page) => {
      await press(page, 'Filter');
      await page.getByRole('button', { name: 'Without 4xx' }).waitFor();
    },
  },
  {
    name: 'amount of a filter of requests',
    role: 'dialog',
    open: async (page) => {
      await press(page, 'Filter');
      await openList(page, 'Column');
      await page.getByRole('option', { name: 'Duration' }).click();
      await page.getByRole('textbox', { name: 'Duration in ms' }).waitFor();
    },
  },
  { name: 'menu of requests', role: 'menu', open: (page) => press(page, 'More') },
  {
    name: 'commands of a request',
    role: 'menu',
    at: (page) => page.getByRole('link', { name: '/v1/products', exact: true }).last().click(),
    open: (page) => page.getByRole('button', { name: /^Copy as/u }).click(),
  },
  { name: 'filters by a request', role: 'menu', open: (page) => press(page, 'Filter by this') },
  {
    name: 'question before a request is sent again',
    role: 'dialog',
    open: (page) => press(page, 'Replay'),
  },
  {
    name: 'methods of a request',
    role: 'listbox',
    at: (page) => press(page, 'Edit and resend'),
    open: (page) => openList(page, 'Method'),
  },
  {
    name: 'headers of a request',
    role: 'listbox',
    open: async (page) => {
      await press(page, 'Add a header');
      const names = page.getByRole('combobox', { name: /^Name of header/u });
      await names.last().press('ArrowDown');
    },
  },
  {
    name: 'requests to compare with',
    role: 'listbox',
    at: (page) => page.getByRole('tab', { name: 'Compare' }).click(),
    open: (page) => openList(page, 'Compare with'),
  },
  {
    name: 'menu of the schema',
    role: 'menu',
    at: (page) => goTo(page, '/_dashboard#/schema'),
    open: (page) => press(page, 'Export'),
  },
  {
    name: 'hint of a preset',
    role: 'tooltip',
    at: (page) => goTo(page, '/_dashboard#/network'),
    open: (page) => page.getByRole('button', { name: 'Flaky' }).hover(),
  },
  {
    name: 'palette',
    role: 'dialog',
    at: (page) => goTo(page, '/_dashboard#/overview'),
    open: (page) => page.keyboard.press('Control+k'),
  },
  {
    name: 'hint in the sidebar',
    role: 'tooltip',
    open: async (page) => {
      await shownSidebar(page);
      await page.getByRole('button', { name: 'Light or dark' }).hover();
    },
  },
  {
    name: 'fields of a filter in the reference',
    role: 'listbox',
    at: (page) => goTo(page, '/_docs#v1/products'),
    open: (page) => openList(page, 'Field 1'),
  },
  {
    name: 'hint in the reference',
    role: 'tooltip',
    open: async (page) => {
      await shownSidebar(page);
      await page.getByRole('button', { name: 'Light or dark' }).hover();
    },
  },
];

/** On a narrow screen the sidebar is behind a button. */
async function shownSidebar(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
}

const overPage =
  'main :is([role=menu], [role=listbox], [role=dialog], [role=tooltip], .cell-editor)';

/** Closes what is open, one after another, and leaves the pointer where it opens nothing. */
async function closeAll(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await eventually(() => page.getByRole('tooltip').count()).toBe(0);
  const count = (): Promise<number> => page.locator(overPage).filter({ visible: true }).count();
  for (let open = await count(); open > 0; open = await count()) {
    await page.keyboard.press('Escape');
    await eventually(count).toBeLessThan(open);
  }
}

const screens = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

test.each(screens)(
  'whatever opens over the page is usable by all: $width wide',
  async ({ width, height }) => {
    const api = await servingOther(store);
    for (const [path, body] of [
      ['makers', { name: 'Anna' }],
      ['tags', { name: 'wood' }],
      ['products', { name: 'Chair', makerId: 1, extra: { a: 1 } }],
      ['products', { name: 'Table', makerId: 1, state: 'sold' }],
    ] as const)
      expect((await api.send('POST', `/v1/${path}`, body)).status).toBe(201);
    await api.get('/v1/products?nothing=1');
    const page = await opening(api, '#/data/products', { width, height });
    const complaints = complaintsOf(page);
    await cellOf(page, 'Chair').waitFor();
    const look = colourWalk(page, ['light', 'dark']);
    for (const { name, role, at, open } of openings) {
      try {
        await at?.(page);
        await open(page);
        await openedOn(page, role).waitFor();
      } catch (error) {
        throw new Error(`${name}: ${String(error)}`, { cause: error });
      }
      await look(name);
      await closeAll(page);
    }
    expect(complaints.filter((line) => !/status of (?:400|422)/u.test(line))).toEqual([]);
  },
  900_000,
);

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../support/browser.ts';
import {
  cellOf,
  chipOf,
  choose,
  columnsOn,
  openRecord,
  panelOf,
  urlIs,
  urlOn,
} from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const { servingOther, servingSales, opening } = useShop();

/** A field of each type that a filter has an editor of its own for. */
const club = `
name: Club
access: public
resources:
  teams:
    fields:
      name: { type: string, required: true }
  people:
    fields:
      name: { type: string, required: true }
      age: { type: integer, nullable: true }
      isPaid: { type: boolean }
      born: { type: date, nullable: true }
      seen: { type: datetime, nullable: true }
      grade: { type: enum, values: [low, high, top] }
      teamId: { type: integer, nullable: true, reference: teams.id }
      team: { type: relation, relation: belongsTo, resource: teams }
`;

const editorOn = (page: Page): Locator =>
  page.getByRole('dialog', { name: 'Add filter', exact: true });
const valueOn = (page: Page, role: 'textbox' | 'combobox'): Locator =>
  editorOn(page).getByRole(role, { name: 'Value of the filter', exact: true });
const operator = (page: Page, name: string): Promise<void> =>
  choose(page, 'Operator of the filter', name);
const pick = (page: Page, name: string): Promise<void> =>
  page.getByRole('option', { name, exact: true }).click();

/** A filter as somebody builds it, the query that it makes, and what its chip says. */
interface Built {
  readonly field: string;
  readonly build: (page: Page) => Promise<unknown>;
  readonly query: string;
  readonly says: string;
}

const filters: readonly Built[] = [
  {
    field: 'name',
    build: async (page) => {
      await operator(page, 'contains, case-insensitive');
      await valueOn(page, 'textbox').fill('da');
    },
    query: 'name_ilike=da',
    says: 'name contains da',
  },
  {
    field: 'age',
    build: async (page) => {
      await operator(page, 'greater than or equal to');
      expect(await valueOn(page, 'textbox').getAttribute('inputmode')).toBe('decimal');
      await valueOn(page, 'textbox').fill('30');
    },
    query: 'age_gte=30',
    says: 'age ≥ 30',
  },
  {
    field: 'age',
    build: async (page) => {
      await operator(page, 'is null');
      await choose(page, 'Value of the filter', 'true');
    },
    query: 'age_null=true',
    says: 'age is null',
  },
  {
    field: 'isPaid',
    build: (page) => choose(page, 'Value of the filter', 'false'),
    query: 'isPaid=false',
    says: 'isPaid = false',
  },
  {
    field: 'born',
    build: async (page) => {
      const value = editorOn(page).getByLabel('Value of the filter', { exact: true });
      expect(await value.getAttribute('type')).toBe('date');
      await value.fill('1990-05-01');
    },
    query: 'born=1990-05-01',
    says: 'born = 1990-05-01',
  },
  {
    field: 'seen',
    build: async (page) => {
      await operator(page, 'greater than');
      await editorOn(page).getByRole('button', { name: 'Relative to now' }).click();
      const value = valueOn(page, 'textbox');
      await eventually(() => value.inputValue()).toBe('now-7d');
      await value.fill('now-2d');
    },
    query: 'seen_gt=now-2d',
    says: 'seen > now-2d',
  },
  {
    field: 'grade',
    build: async (page) => {
      await operator(page, 'one of');
      await valueOn(page, 'combobox').click();
      await pick(page, 'low');
      await pick(page, 'top');
      await page.keyboard.press('Escape');
    },
    query: 'grade_in=low,top',
    says: 'grade one of low, top',
  },
  {
    field: 'teamId',
    build: async (page) => {
      await valueOn(page, 'combobox').fill('blu');
      await pick(page, '2 Blue');
      await eventually(() => editorOn(page).locator('.picked').allTextContents()).toEqual(['Blue']);
    },
    query: 'teamId=2',
    says: 'team is Blue',
  },
  {
    field: 'teamId',
    build: async (page) => {
      await operator(page, 'one of');
      await valueOn(page, 'combobox').fill('re');
      await pick(page, '1 Red');
      await valueOn(page, 'combobox').fill('blu');
      await pick(page, '2 Blue');
      // What was chosen is shown by its name.
      const pills = editorOn(page).locator('.mantine-Pill-root');
      await eventually(() => pills.allTextContents()).toEqual(['Red', 'Blue']);
    },
    query: 'teamId_in=1,2',
    says: 'team is one of Red, Blue',
  },
];

test('each field has an editor of its type, whose filter is said in words', async () => {
  const api = await servingOther(club);
  await api.send('POST', '/v1/teams', [{ name: 'Red' }, { name: 'Blue' }]);
  await api.send('POST', '/v1/people', { name: 'Ada', age: 36, teamId: 1 });
  const page = await opening(api, '#/data/people');
  await cellOf(page, 'Ada').waitFor();
  for (const { field, build, query, says } of filters) {
    await chipOf(page, 'Add filter').click();
    await choose(page, 'Field of the filter', field);
    await build(page);
    await editorOn(page).getByRole('button', { name: 'Apply', exact: true }).click();
    await urlIs(page, `/v1/people?${query}`);
    await chipOf(page, `filter 1: ${says}`).waitFor();
    await page.getByRole('button', { name: `Remove filter 1: ${says}`, exact: true }).click();
    await urlIs(page, '/v1/people');
  }
});

test('sort, columns, expansions, page size and search are chips and the URL', async () => {
  const api = await servingOther(club);
  await api.send('POST', '/v1/teams', { name: 'Red' });
  await api.send('POST', '/v1/people', { name: 'Ada', age: 36, teamId: 1 });
  const page = await opening(api, '#/data/people');
  await cellOf(page, 'Ada').waitFor();
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  await chipOf(page, 'Sort').click();
  for (const path of ['age', 'name']) await choose(page, 'Add to Sort', path);
  await page
    .getByRole('radiogroup', { name: 'Direction of name' })
    .getByText('descending', { exact: true })
    .click({ force: true });
  await urlIs(page, '/v1/people?sort=age,-name');
  await button('Sort by age later').click();
  await urlIs(page, '/v1/people?sort=-name,age');
  await page.getByRole('radiogroup', { name: 'Nulls' }).getByText('last', { exact: true }).click();
  await urlIs(page, '/v1/people?sort=-name,age&nulls=last');
  await button('Do not sort by age').click();
  await button('Done').click();
  await chipOf(page, 'Sort: name ↓, nulls last').waitFor();
  await button('Remove Sort: name ↓, nulls last').click();
  await urlIs(page, '/v1/people');

  await chipOf(page, 'Columns').click();
  await page.getByRole('checkbox', { name: 'seen', exact: true }).click();
  await eventually(() => columnsOn(page)).not.toContain('seen');
  await page.getByRole('combobox', { name: 'Exclude', exact: true }).click();
  await pick(page, 'grade');
  await eventually(() => urlOn(page)).toContain('exclude=grade');
  await eventually(() => columnsOn(page)).not.toContain('grade');
  // Nothing is excluded any more, and only then can fields be named.
  await page.keyboard.press('Backspace');
  await eventually(() => columnsOn(page)).toContain('grade');
  await page.getByRole('combobox', { name: 'Fields', exact: true }).press('ArrowDown');
  for (const name of ['name', 'teamId']) await pick(page, name);
  await eventually(() => urlOn(page)).toContain('fields=name,teamId');
  await eventually(() => columnsOn(page)).toEqual(['id', 'name', 'teamId']);
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Backspace');
  await eventually(() => columnsOn(page)).toContain('grade');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await eventually(() => page.getByRole('dialog').count()).toBe(0);

  await chipOf(page, 'Expand').click();
  await page.getByRole('combobox', { name: 'Expand', exact: true }).click();
  await pick(page, 'team');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await chipOf(page, 'Page size').click();
  await page.getByRole('textbox', { name: 'Limit' }).fill('5');
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Search records' }).fill('ad');
  await eventually(async () => new URLSearchParams((await urlOn(page)).split('?')[1]).size).toBe(3);
  const query = new URLSearchParams((await urlOn(page)).split('?')[1]);
  expect(Object.fromEntries(query)).toEqual({ expand: 'team', limit: '5', search: 'ad' });
  await cellOf(page, 'Red').waitFor();
});

test('a key is searched by what its record is called, and what fitted before is no choice meanwhile', async () => {
  const page = await opening(await servingSales(), '#/data/invoices');
  await openRecord(page, 1);
  const key = panelOf(page).locator('[id="field-customerId"]');
  const offered = async (): Promise<readonly string[]> =>
    (await page.getByRole('option').filter({ visible: true }).allTextContents()).map((text) =>
      text.trim(),
    );
  const all = ['1 Ada', '2 Bo', '3 Cy', '4 Di', '5 Ed', '6 Flo'];
  // The key that it holds is nothing to search for.
  await key.click();
  await eventually(offered).toEqual(all);
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route('**/v1/customers?*name_ilike*', async (route) => {
    await held;
    await route.continue();
  });
  await key.fill('cy');
  await eventually(offered).toEqual(['Searching…']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await key.inputValue()).toBe('cy');
  await key.fill('cy');
  answer();
  await eventually(offered).toEqual(['3 Cy']);
  await pick(page, '3 Cy');
  expect(await key.inputValue()).toBe('3');
  await eventually(() => panelOf(page).locator('.picked').allTextContents()).toEqual(['Cy']);
  await key.click();
  await eventually(offered).toEqual(all);
});

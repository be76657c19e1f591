import type { Locator, Page } from 'playwright-core';
import { eventually } from './browser.ts';

/** The URL of the list that the page of a resource shows. */
export async function urlOn(page: Page): Promise<string> {
  const line = page.getByRole('button', { name: 'URL of the list' });
  return (await line.getAttribute('title')) ?? '';
}

export const urlIs = (page: Page, url: string): Promise<void> =>
  eventually(() => urlOn(page)).toBe(url);

/** Writes another URL, as somebody does who has one. */
export async function writeUrl(page: Page, url: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'URL' });
  if ((await field.count()) === 0)
    await page.getByRole('button', { name: 'URL of the list' }).click();
  await field.fill(url);
  await field.press('Enter');
}

export const cellOf = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('gridcell', { name, exact: typeof name === 'string' }).first();

/** The record beside the grid. */
export const panelOf = (page: Page): Locator => page.getByRole('complementary');

/** Opens a record by its id in the grid. */
export async function openRecord(page: Page, id: number | string): Promise<void> {
  await page.locator('.grid-cell.id').getByText(String(id), { exact: true }).click();
  await panelOf(page).waitFor();
}

export const chipOf = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('toolbar', { name: 'List' }).getByRole('button', { name }).first();

/** Chooses one of what a menu offers. */
export async function choose(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The names of the columns, without the boxes of the rows. */
export async function columnsOn(page: Page): Promise<readonly string[]> {
  const heads = await page.getByRole('columnheader').allTextContents();
  return heads.slice(1);
}

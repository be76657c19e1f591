import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useShop } from '../support/shop.ts';

const { serving, opening } = useShop();
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'products 1' });
const nameOf = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'name', exact: true });
const press = (page: Page, name: string): Promise<void> =>
  dialogOf(page).getByRole('button', { name, exact: true }).click();

test('what is written and not saved stays, whichever way the page is led elsewhere', async () => {
  const page = await opening(await serving(), '#/data/products');
  await page.getByRole('button', { name: 'Open 1' }).click();
  await nameOf(page).fill('Stool');
  const here = page.url();
  const question = dialogOf(page).getByText('Throw away what was written?');
  const ways = [
    () => dialogOf(page).getByRole('link', { name: 'maker' }).click(),
    () => page.goBack({ waitUntil: 'commit' }),
    async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Go to' }).fill('makers');
      await page.getByText('makers', { exact: true }).last().waitFor();
      await page.keyboard.press('Enter');
    },
  ];
  for (const way of ways) {
    await way();
    await question.waitFor();
    expect(page.url()).toBe(here);
    await press(page, 'Go on writing');
    await question.waitFor({ state: 'detached' });
    expect(await nameOf(page).inputValue()).toBe('Stool');
  }

  const asking = page.waitForEvent('dialog');
  await page.evaluate('void setTimeout(() => location.reload())');
  const asked = await asking;
  expect(asked.type()).toBe('beforeunload');
  await asked.dismiss();
  expect(await nameOf(page).inputValue()).toBe('Stool');

  await dialogOf(page).getByRole('link', { name: 'maker' }).click();
  await press(page, 'Throw it away');
  await page.getByRole('cell', { name: 'Anna' }).waitFor();
  expect(await dialogOf(page).count()).toBe(0);
});

test('what is written and not saved stays when what is shown is read anew, and is not written over what others did', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await page.getByRole('button', { name: 'Open 1' }).click();
  await nameOf(page).fill('Stool');
  expect((await api.send('PATCH', '/v1/products/1', { about: 'by others' })).status).toBe(200);
  const list = page.waitForResponse((answer) => answer.url().endsWith('/v1/products'));
  // As when somebody comes back to the page.
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
  await list;
  await press(page, 'Save');
  await dialogOf(page).getByText('has changed since it was read').waitFor();
  expect(await nameOf(page).inputValue()).toBe('Stool');
  await press(page, 'Load it again');
  await dialogOf(page).getByText('by others').waitFor();
  expect(await nameOf(page).inputValue()).toBe('Chair');
  // Nothing is written now, so nothing is asked.
  await press(page, 'Close');
  await dialogOf(page).waitFor({ state: 'detached' });
});

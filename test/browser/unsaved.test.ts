import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../support/browser.ts';
import { openRecord } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const { serving, opening } = useShop();
const dialogOf = (page: Page) => page.getByRole('complementary', { name: 'products 1' });
const nameOf = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'name', exact: true });
const press = (page: Page, name: string): Promise<void> =>
  dialogOf(page).getByRole('button', { name, exact: true }).click();

test('what is written and not saved stays, whichever way the page is led elsewhere', async () => {
  const page = await opening(await serving(), '#/data/products');
  await openRecord(page, 1);
  await nameOf(page).fill('Stool');
  const here = page.url();
  const question = dialogOf(page).getByText('Throw away what was written?');
  const ways = [
    () => page.getByRole('link', { name: 'Anna' }).first().click(),
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

  await page.getByRole('link', { name: 'Anna' }).first().click();
  await press(page, 'Throw it away');
  await page.getByRole('gridcell', { name: 'Anna', exact: true }).waitFor();
  await eventually(() => dialogOf(page).count()).toBe(0);
});

test('what is written and not saved stays when what is shown is read anew, and is not written over what others did', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await openRecord(page, 1);
  await nameOf(page).fill('Stool');
  expect((await api.send('PATCH', '/v1/products/1', { about: 'by others' })).status).toBe(200);
  let isReadAnew = false;
  page.on('response', (answer) => {
    isReadAnew ||= new URL(answer.url()).pathname === '/v1/products';
  });
  // As when somebody comes back to the page; what was read just now is not read again.
  await eventually(async () => {
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    return isReadAnew;
  }).toBe(true);
  expect(await nameOf(page).inputValue()).toBe('Stool');
  expect((await api.send('PATCH', '/v1/products/1', { name: 'Bench' })).status).toBe(200);
  await press(page, 'Save');
  // Both have changed the name: whoever saves last is asked which of the three it is to be.
  const conflict = dialogOf(page).getByRole('alert').filter({ hasText: 'Somebody else' });
  await conflict.waitFor();
  for (const choice of ['Yours: Stool', 'Theirs: Bench', 'As it was: Chair'])
    await conflict.getByRole('radio', { name: choice }).waitFor();
  expect((await api.get('/v1/products/1')).body).toMatchObject({ name: 'Bench' });
  await conflict.getByRole('radio', { name: 'Yours: Stool' }).check();
  await conflict.getByRole('button', { name: 'Save with these' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  expect((await api.get('/v1/products/1')).body).toMatchObject({
    name: 'Stool',
    about: 'by others',
  });
});

test('what is written and not saved is there again after a reload, and when the file has changed', async () => {
  const page = await opening(await serving(), '#/data/products/1');
  await nameOf(page).fill('Stool');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await dialogOf(page).getByText('What you wrote before is here again').waitFor();
  expect(await nameOf(page).inputValue()).toBe('Stool');
  await press(page, 'Discard it');
  await expect.poll(() => nameOf(page).inputValue()).toBe('Chair');
  await press(page, 'Close');
  await dialogOf(page).waitFor({ state: 'detached' });
});

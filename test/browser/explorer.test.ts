import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually, violationsOn } from '../support/browser.ts';
import { hasRun, hostile, useShop } from '../support/shop.ts';

const { serving, opening } = useShop();
const urlField = (page: Page) => page.getByRole('textbox', { name: 'URL' });

describe('the explorer', () => {
  test('builds a filter by form, and takes the URL back into the form', async () => {
    const page = await opening(await serving(), '#/data/products');
    await page.getByRole('cell', { name: 'Chair' }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    // What is not filled in yet is not asked.
    await page.getByText('A filter has no value yet.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('cell', { name: 'Chair' }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Field of filter 1' }).click();
    await page.getByRole('option', { name: 'price', exact: true }).click();
    await page.getByRole('combobox', { name: 'Operator of filter 1' }).click();
    await page.getByRole('option', { name: 'greater than', exact: true }).click();
    await page.getByRole('textbox', { name: 'Value of filter 1' }).fill('50');
    await page.keyboard.press('Enter');
    await page.getByText('1 record in all').waitFor();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?price_gt=50');
    expect(await page.getByRole('cell', { name: 'Chair' }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Value of filter 1');

    await urlField(page).fill('/v1/products?state=draft&sort=-price&expand=maker');
    await page.keyboard.press('Enter');
    await page.getByText('2 records in all').waitFor();
    const value = page.getByRole('combobox', { name: 'Value of filter 1' });
    expect(await value.inputValue()).toBe('draft');
    await page.getByText('price ↓').first().waitFor();
    expect(await page.evaluate('location.hash')).toBe(
      '#/data/products?state=draft&sort=-price&expand=maker',
    );
    expect(await page.getByRole('link', { name: 'Anna' }).getAttribute('href')).toBe(
      '#/data/makers?id=1',
    );
    // Several of the values that there are.
    await page.getByRole('combobox', { name: 'Operator of filter 1' }).click();
    await page.getByRole('option', { name: 'one of', exact: true }).click();
    await value.click();
    await page.getByRole('option', { name: 'sold', exact: true }).click();
    await page.keyboard.press('Escape');
    await eventually(() => urlField(page).inputValue()).toBe(
      '/v1/products?state_in=draft,sold&sort=-price&expand=maker',
    );
    await page.getByText('3 records in all').waitFor();
    await urlField(page).fill('/v1/products?state_in="draft"');
    await page.keyboard.press('Enter');
    await page.getByText('2 records in all').waitFor();
    const written = page.getByRole('textbox', { name: 'Value of filter 1' });
    expect(await written.inputValue()).toBe('"draft"');
    await urlField(page).fill('/v1/products?price_gt=cheap');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('price_gt').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  test('asks for no filter of a text before something is written, and then for an empty one as well', async () => {
    const page = await opening(await serving(), '#/data/makers');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).search));
    await page.getByRole('cell', { name: 'Anna' }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('combobox', { name: 'Field of filter 1' }).click();
    await page.getByRole('option', { name: 'name', exact: true }).click();
    await page.getByText('A filter has no value yet.').waitFor();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/makers?name=');
    const value = page.getByRole('textbox', { name: 'Value of filter 1' });
    await value.fill('Anna');
    await value.press('Enter');
    await page.getByText('1 record in all').waitFor();
    expect(asked.filter((search) => search.startsWith('?name='))).toEqual(['?name=Anna']);
    await value.fill('');
    await value.press('Enter');
    await page.getByText('No record fits.').waitFor();
  });

  test('leads through one relation after the other, by the keyboard, as far as a path may go', async () => {
    const page = await opening(await serving(), '#/data/products');
    const { keyboard } = page;
    await page.getByRole('cell', { name: 'Chair' }).waitFor();
    const focused = (name: string) =>
      eventually(() => page.evaluate('document.activeElement.ariaLabel')).toBe(name);
    const pick = async (name: string): Promise<void> => {
      const option = page.getByRole('option', { name, exact: true });
      await keyboard.type(name);
      await option.waitFor();
      // A list that opens forgets in a timer what was gone to in it.
      await page.evaluate('new Promise((done) => setTimeout(done, 10))');
      const isReached = async (): Promise<boolean> => {
        await keyboard.press('ArrowDown');
        return (await option.getAttribute('data-combobox-selected')) !== null;
      };
      await eventually(isReached).toBe(true);
      await keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Add filter' }).press('Enter');
    await page.getByRole('textbox', { name: 'Value of filter 1' }).waitFor();
    for (let back = 0; back < 4; back += 1) await keyboard.press('Shift+Tab');
    await focused('Field of filter 1');
    let path = '';
    for (const step of ['maker', 'products', 'maker', 'products', 'maker']) {
      await pick(step);
      path = path === '' ? step : `${path}.${step}`;
      await eventually(() => urlField(page).inputValue()).toBe(`/v1/products?${path}_exists=true`);
      await keyboard.press('Tab');
      await focused(`Field of ${path} in filter 1`);
    }
    await pick('products');
    await eventually(() => urlField(page).inputValue()).toBe(
      `/v1/products?${path}.products_exists=true`,
    );
    // Farther no path may go.
    await keyboard.press('Tab');
    await focused('Operator of filter 1');
    await keyboard.press('Shift+Tab');
    await pick('name');
    await keyboard.press('Tab');
    await focused('Operator of filter 1');
    await keyboard.press('Tab');
    await focused('Value of filter 1');
    await keyboard.type('Anna');
    await keyboard.press('Enter');
    await page.getByText('2 records in all').waitFor();
    await eventually(() => urlField(page).inputValue()).toBe(`/v1/products?${path}.name=Anna`);
    expect(await violationsOn(page)).toEqual([]);
    // Back at a step before, what was behind it is gone.
    await page.getByRole('combobox', { name: 'Field of maker in filter 1' }).click();
    await page.getByRole('option', { name: 'itself', exact: true }).click();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?maker_exists=true');
  });

  test('Enter takes the first that fits what is typed', async () => {
    const page = await opening(await serving(), '#/data/products');
    const { keyboard } = page;
    const url = (path: string) => eventually(() => urlField(page).inputValue()).toBe(path);
    const choose = async (name: string, typed: string, first: string): Promise<void> => {
      await page.getByRole('combobox', { name, exact: true }).click();
      // A list that opens forgets in a timer what was gone to in it.
      await page.evaluate('new Promise((done) => setTimeout(done, 20))');
      await page.keyboard.press('ControlOrMeta+a');
      await keyboard.type(typed);
      const option = page.getByRole('option', { name: first, exact: true });
      await eventually(() => option.getAttribute('data-combobox-selected')).toBe('true');
      // What was typed last is drawn: it may have been selected by what was typed before.
      await page.evaluate(
        'new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))',
      );
      await keyboard.press('Enter');
    };
    await page.getByRole('cell', { name: 'Chair' }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    await choose('Field of filter 1', 'pri', 'price');
    await page.getByRole('textbox', { name: 'Value of filter 1' }).fill('20');
    await keyboard.press('Enter');
    await url('/v1/products?price=20');
    await choose('Sort', 'sta', 'state ↑');
    await keyboard.press('Escape');
    await url('/v1/products?price=20&sort=state');
    await choose('Resource', 'mak', 'makers');
    await url('/v1/makers');
    expect(await violationsOn(page)).toEqual([]);
  });

  test('asks for order, fields, expansion, size and page by form', async () => {
    const page = await opening(await serving(), '#/data/products');
    const { keyboard } = page;
    const url = (search: string) =>
      eventually(() => urlField(page).inputValue()).toBe(`/v1/products?${search}`);
    await page.getByRole('cell', { name: 'Chair' }).waitFor();
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'price ↓', exact: true }).click();
    await keyboard.press('Escape');
    await url('sort=-price');
    const opens = page.getByRole('button', { name: /^Open/u });
    await eventually(() => opens.first().textContent()).toBe('2');
    for (const [label, names] of [
      ['Fields', ['name', 'maker']],
      ['Expand', ['maker']],
    ] as const) {
      await page.getByRole('combobox', { name: label }).click();
      for (const name of names) await page.getByRole('option', { name, exact: true }).click();
      await keyboard.press('Escape');
    }
    await url('sort=-price&fields=name,maker&expand=maker');
    await page.getByRole('textbox', { name: 'Limit' }).fill('1');
    await url('sort=-price&fields=name,maker&expand=maker&limit=1');
    await page.getByRole('button', { name: 'Page 3' }).click();
    await url('sort=-price&fields=name,maker&expand=maker&page=3&limit=1');
    await eventually(() => page.getByRole('columnheader').allTextContents()).toEqual([
      'id',
      'name',
      'maker',
    ]);
    await eventually(() => opens.allTextContents()).toEqual(['3']);
    const [fields, exclude] = ['Fields', 'Exclude'].map((name) =>
      page.getByRole('combobox', { name, exact: true }),
    );
    expect(await exclude?.isDisabled()).toBe(true);
    await urlField(page).fill('/v1/products?exclude=about,state');
    await keyboard.press('Enter');
    await eventually(() => fields?.isDisabled()).toBe(true);
    await exclude?.click();
    await page.getByRole('option', { name: 'makerId', exact: true }).click();
    await keyboard.press('Escape');
    await url('exclude=about,state,makerId');
    await eventually(() => page.getByRole('columnheader').allTextContents()).toEqual([
      'id',
      'name',
      'price',
    ]);
    // Another question begins at its first page, and an order that only the URL can ask for stays.
    await urlField(page).fill('/v1/products?sort=maker.products.id&page=2&limit=1');
    await keyboard.press('Enter');
    await page.locator('.mantine-Pill-label').getByText('maker.products.id ↑').waitFor();
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'name ↑', exact: true }).click();
    await url('sort=maker.products.id,name&limit=1');
    await keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Resource' }).click();
    await page.getByRole('option', { name: 'makers', exact: true }).click();
    await page.getByRole('cell', { name: 'Anna' }).waitFor();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/makers');
  });

  test('asks for alternatives, and for order, size and filters of an expanded collection, by form', async () => {
    const page = await opening(await serving(), '#/data/makers');
    const { keyboard } = page;
    const url = (search: string) =>
      eventually(async () => decodeURIComponent(await urlField(page).inputValue())).toBe(
        `/v1/makers?${search}`,
      );
    const choose = async (name: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name, exact: true }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
      await keyboard.press('Escape');
    };
    const write = async (name: string, text: string): Promise<void> => {
      await page.getByRole('textbox', { name, exact: true }).fill(text);
      await keyboard.press('Enter');
    };
    await page.getByRole('cell', { name: 'Anna' }).waitFor();
    await choose('Expand', 'products');
    await choose('Order of products', 'price ↓');
    await write('Limit of products', '1');
    await choose('Nulls', 'last');
    const collection = 'expand=products&products.sort=-price&products.limit=1';
    await url(`nulls=last&${collection}`);
    await page.getByRole('button', { name: 'Filter products' }).click();
    await choose('Field of products in filter 1', 'state');
    await choose('Value of filter 1', 'draft');
    await page.getByText('Leaves out items of products, and no record.').waitFor();
    const within = 'products.state=draft';
    await url(`${within}&nulls=last&${collection}`);
    await page.getByText('2 records in all').waitFor();

    await page.getByRole('button', { name: 'Add alternatives' }).click();
    await choose('Field of alternative 1 of group 1', 'name');
    await write('Value of alternative 1 of group 1', 'Zoe, "Z"');
    await page.getByText('No record fits.').waitFor();
    await page.getByRole('button', { name: 'Add alternative to group 1' }).click();
    await choose('Field of alternative 2 of group 1', 'products');
    await choose('Field of products in alternative 2 of group 1', 'state');
    await choose('Operator of alternative 2 of group 1', 'one of');
    await choose('Value of alternative 2 of group 1', 'draft');
    await choose('Value of alternative 2 of group 1', 'sold');
    const pairs = String.raw`name:"Zoe, \"Z\"",products.state_in:"draft,sold"`;
    await url(`${within}&_or=${pairs}&nulls=last&${collection}`);
    await page.getByText('2 records in all').waitFor();
    expect(await violationsOn(page)).toEqual([]);

    // Without its expansion nothing is said of a collection, and a filter of it is one of the records.
    await page.getByRole('combobox', { name: 'Expand' }).press('Backspace');
    await page.getByRole('button', { name: 'Remove alternative 2 of group 1' }).press('Enter');
    // Who works with the keyboard goes on where it was.
    const focused = page.locator(':focus');
    const nearest = 'Remove alternative 1 of group 1';
    await eventually(() => focused.getAttribute('aria-label')).toBe(nearest);
    await focused.press('Enter');
    await eventually(() => focused.getAttribute('aria-label')).toBe('Remove filter 1');
    await url(`${within}&nulls=last`);
    expect(await page.getByRole('group', { name: 'At least one of these' }).count()).toBe(0);
    await urlField(page).fill(
      '/v1/makers?_or=id_gt:1,name:Anna&expand=products.maker&products.page=2&products.limit=1',
    );
    await keyboard.press('Enter');
    for (const [name, value] of [
      ['Value of alternative 1 of group 1', '1'],
      ['Value of alternative 2 of group 1', 'Anna'],
      ['Page of products', '2'],
      ['Limit of products', '1'],
    ] as const)
      await eventually(() => page.getByRole('textbox', { name, exact: true }).inputValue()).toBe(
        value,
      );
    expect(await page.getByText('Only in the URL').count()).toBe(0);
  });

  test('loses nothing that is typed before the page has followed a choice', async () => {
    const page = await opening(await serving(), '#/data/products?price=20');
    await page.getByRole('combobox', { name: 'Operator of filter 1' }).click();
    await page.getByRole('option', { name: 'greater than', exact: true }).waitFor();
    await page.evaluate(`(() => {
      const options = [...document.querySelectorAll('[role=option]')];
      options.find((option) => option.textContent === 'greater than').click();
      const input = document.querySelector('input[aria-label="Value of filter 1"]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '50');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await page.getByRole('textbox', { name: 'Value of filter 1' }).press('Enter');
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?price_gt=50');
    await page.goBack();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?price_gt=20');
    expect(await page.getByRole('textbox', { name: 'Value of filter 1' }).inputValue()).toBe('20');
  });

  test('follows keys and relations, and shows values as text', async () => {
    const page = await opening(await serving(), '#/data/products?sort=price');
    await page.getByRole('link', { name: '2', exact: true }).click();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/makers?id=2');
    await page.getByRole('button', { name: 'Open 2' }).waitFor();
    await page.getByRole('cell', { name: hostile }).waitFor();
    await page.getByRole('button', { name: 'Open 2' }).click();
    await page.getByRole('link', { name: 'products' }).click();
    await page.getByRole('cell', { name: '5.00' }).waitFor();
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?makerId=2');
    // Who would rather read JSON does so of the next resource too.
    await page.getByText('JSON', { exact: true }).click();
    await urlField(page).fill('/v1/makers?id=2');
    await page.keyboard.press('Enter');
    await page.locator('pre', { hasText: '"id": 2' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await hasRun(page)).toBeUndefined();
  });

  test('takes a whole URL, and that of a request that was made', async () => {
    const api = await serving();
    const page = await opening(api, '#/data/makers');
    await page.getByRole('cell', { name: 'Anna' }).waitFor();
    await urlField(page).fill(`${api.url}/products/2?expand=maker`);
    await page.keyboard.press('Enter');
    await eventually(() => urlField(page).inputValue()).toBe('/v1/products?id=2&expand=maker');
    await urlField(page).fill('https://elsewhere.test/v1/products');
    await page.keyboard.press('Enter');
    await page.getByText('It begins with /v1/ and the name of a resource.').waitFor();
    await api.get('/v1/products?price_gt=50&sort=-price');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('link', { name: 'price_gt=50' }).click();
    await page.getByRole('link', { name: 'Open in Data' }).click();
    await eventually(() => urlField(page).inputValue()).toBe(
      '/v1/products?price_gt=50&sort=-price',
    );
    const value = page.getByRole('textbox', { name: 'Value of filter 1' });
    await eventually(() => value.inputValue()).toBe('50');
    await page.goBack();
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});

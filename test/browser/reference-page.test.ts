import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { complaintsOf, usePages } from '../support/browser.ts';

const library = `
name: Library
resources:
  authors:
    fields:
      name: { type: string, required: true }
      books: { type: relation, relation: hasMany, resource: books }
  books:
    fields:
      title: { type: string, required: true }
      authorId: { type: integer, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
`;
const operations = [
  'List',
  'Create records of',
  'Get one of',
  'Replace one of',
  'Change one of',
  'Delete one of',
];

const openPage = usePages();
const running: TestApi[] = [];
afterEach(async () => {
  for (const api of running.splice(0)) await api.stop();
});

/** Opens the reader, with all that it complains of from its first byte on, and every address that it asks for. */
async function openReader(): Promise<{
  api: TestApi;
  page: Page;
  complaints: string[];
  asked: string[];
}> {
  const api = await serveApi(library, { authors: [{ name: 'Ursula' }] }, undefined, {
    mode: 'dev',
  });
  running.push(api);
  const page = await openPage('about:blank');
  const complaints = complaintsOf(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${api.url}/_docs`);
  return { api, page, complaints, asked };
}

/** Opens the form of an operation and sends it as it stands; gives the dialog. */
async function sendAsShown(page: Page, operation: string): Promise<Locator> {
  // What is far down is shown when somebody goes there.
  await page.getByRole('link', { name: new RegExp(`^${operation} HTTP`, 'u') }).click();
  const region = page.getByRole('region', { name: operation, exact: true });
  await region.getByRole('button', { name: /Test Request/u }).click();
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  await dialog.getByRole('button', { name: /^Send \w+ request to/u }).click();
  return dialog;
}

describe('the reader in a browser', () => {
  test('shows every operation, and asks nobody but its own server', async () => {
    const { api, page, complaints, asked } = await openReader();
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    await page.getByRole('button', { name: 'Open Group - books' }).click();
    for (const resource of ['authors', 'books'])
      for (const operation of operations)
        await page
          .getByRole('link', { name: new RegExp(`^${operation} ${resource} `, 'u') })
          .waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).count()).toBe(0);
    expect(asked.filter((url) => !url.startsWith(`${api.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('sends a read and shows the answer', async () => {
    const { page, complaints } = await openReader();
    const dialog = await sendAsShown(page, 'List authors');
    await dialog.getByText('200 OK').waitFor();
    await dialog.getByText('Ursula').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('sends a write with its example', async () => {
    const { api, page, complaints } = await openReader();
    const dialog = await sendAsShown(page, 'Create records of authors');
    await dialog.getByText('201 Created').waitFor();
    const { body } = await api.get('/v1/authors?sort=id');
    expect(body).toHaveLength(2);
    expect(complaints).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import {
  complaintsOf,
  eventually,
  usePages,
  violationsOn,
  type PageOptions,
} from '../support/browser.ts';

const library = `
name: Library
resources:
  authors:
    fields:
      name: { type: string, required: true, maxLength: 40 }
      born: { type: integer }
      books: { type: relation, relation: hasMany, resource: books }
  books:
    fields:
      title: { type: string, required: true }
      status: { type: string, enum: [draft, done] }
      authorId: { type: integer, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
`;
const authors = [
  { name: 'Ursula', born: 1929 },
  { name: 'Octavia', born: 1947 },
];
/** The hash of `password`. */
const hash = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';
const guarded = `auth: { apiKeys: [{ name: a, hash: "sha256:${hash}", roles: [reader] }] }\naccess: { read: reader, create: public }\n`;

const openPage = usePages();
const running: TestApi[] = [];
afterEach(async () => {
  for (const api of running.splice(0)) await api.stop();
});

interface Opened {
  readonly api: TestApi;
  readonly page: Page;
  /** What the page complained of, from its first byte on. */
  readonly complaints: readonly string[];
  /** Every request that it sent: method and URL. */
  readonly asked: readonly string[];
}

async function openReference(
  text = library,
  records: Parameters<typeof serveApi>[1] = { authors },
  options: PageOptions & { readonly hash?: string } = {},
): Promise<Opened> {
  const api = await serveApi(text, records, undefined, { mode: 'dev' });
  running.push(api);
  const page = await openPage('about:blank', options);
  const complaints = complaintsOf(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
  await page.goto(`${api.url}/_docs${options.hash ?? ''}`);
  return { api, page, complaints, asked };
}

const titleOn = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const requestOn = (page: Page) => page.getByRole('region', { name: 'Request' });
const sendOn = (page: Page) => requestOn(page).getByRole('button', { name: 'Send' });
const responseOn = (page: Page) => page.getByRole('region', { name: 'Response', exact: true });

describe('the reference', () => {
  test('finds an operation among 100 resources, signs in and sends a filtered list', async () => {
    const shelves = Array.from(
      { length: 100 },
      (_, at) => `  shelf${at}: { fields: { title: { type: string }, size: { type: integer } } }`,
    );
    const { page, api, asked, complaints } = await openReference(
      `name: Many\nresources:\n${shelves.join('\n')}\n${guarded}`,
      {
        shelf42: [
          { title: 'low', size: 2 },
          { title: 'high', size: 9 },
        ],
      },
    );
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    const key = page.getByLabel('Token or API key');
    await key.fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.login [id$="-error"]').waitFor();
    await key.fill('password');
    await page.getByRole('button', { name: 'Open' }).click();
    await titleOn(page, 'List shelf0').waitFor();
    // Of 100 resources, those of one are loaded until somebody searches.
    expect(asked.filter((one) => one.endsWith('/_openapi.json'))).toEqual([]);
    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('list shelf42');
    await page.getByRole('link', { name: /List shelf42$/u }).waitFor();
    await page.keyboard.press('Enter');
    await titleOn(page, 'List shelf42').waitFor();
    await page.getByRole('combobox', { name: 'Field 1' }).fill('size');
    await page.getByRole('combobox', { name: 'Operator 1' }).selectOption('greater than');
    await page.getByRole('textbox', { name: 'Value 1' }).fill('5');
    await page.getByRole('textbox', { name: 'limit', exact: true }).fill('3');
    const url = `${api.url}/v1/shelf42?limit=3&size_gt=5`;
    expect(await requestOn(page).getByLabel('The request as code').textContent()).toContain(url);
    await sendOn(page).focus();
    await page.keyboard.press('Enter');
    await requestOn(page).getByRole('status').getByText('200').waitFor();
    await responseOn(page).getByText('"high"').first().waitFor();
    await eventually(() => responseOn(page).getByText('"low"').count()).toBe(0);
    expect(asked.filter((one) => one.includes('/v1/shelf42'))).toEqual([`GET ${url}`]);
    expect(
      asked.filter((one) => !one.includes(` ${api.url}/`) && !/ (?:about|data):/u.test(one)),
    ).toEqual([]);
    // Only the refused credential.
    expect(complaints.filter((one) => !one.includes('401'))).toEqual([]);
  });

  test('sends a POST with an invalid body and shows its problems', async () => {
    const { page, api, complaints } = await openReference(
      library,
      { authors },
      {
        hash: '#v1/authors/createAuthor',
      },
    );
    await titleOn(page, 'Create records of authors').waitFor();
    const body = page.getByRole('textbox', { name: 'Body', exact: true });
    await body.fill('{ "born": "long ago" }');
    await sendOn(page).click();
    await requestOn(page).getByRole('status').getByText('400').waitFor();
    const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem');
    expect(await problems.allTextContents()).toEqual(['born must be a number', 'name is required']);
    await body.fill('{ "name": "Iain", "born": 1954 }');
    await sendOn(page).click();
    await requestOn(page).getByRole('status').getByText('201').waitFor();
    expect((await api.get('/v1/authors?name=Iain')).body).toHaveLength(1);
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
  });

  test('sends what was filled in and nothing else', async () => {
    const { page, api, asked } = await openReference();
    await titleOn(page, 'List authors').waitFor();
    await sendOn(page).click();
    await requestOn(page).getByRole('status').getByText('200').waitFor();
    const sent = (): readonly string[] => asked.filter((one) => one.includes('/v1/authors'));
    expect(sent()).toEqual([`GET ${api.url}/v1/authors`]);
    await page.getByRole('link', { name: /Get one$/u }).click();
    await titleOn(page, 'Get one of authors').waitFor();
    await page.getByRole('textbox', { name: 'id', exact: true }).fill('');
    expect(await sendOn(page).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'id', exact: true }).fill('2');
    await page.locator('summary', { hasText: 'Headers' }).first().click();
    await page.getByRole('textbox', { name: 'If-None-Match' }).fill('"no"');
    await sendOn(page).click();
    await responseOn(page).getByText('"Octavia"').waitFor();
    await eventually(() => sent().at(-1)).toBe(`GET ${api.url}/v1/authors/2`);
  });

  test('writes the request for curl, fetch and the typed client', async () => {
    const { page, api } = await openReference();
    await titleOn(page, 'List authors').waitFor();
    await page.getByRole('combobox', { name: 'Field 1' }).fill('name');
    await page.getByRole('textbox', { name: 'Value 1' }).fill('Ursula');
    const code = requestOn(page).getByLabel('The request as code');
    for (const [language, text] of [
      ['curl', `curl '${api.url}/v1/authors?name=Ursula'`],
      ['fetch', `await fetch("${api.url}/v1/authors?name=Ursula"`],
      ['Typed client', 'await api.authors.list({'],
    ] as const) {
      await requestOn(page).getByText(language, { exact: true }).click();
      await eventually(() => code.textContent()).toContain(text);
    }
  });

  test.each<PageOptions>([
    { width: 1440 },
    { width: 1024, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
  ])('breaks no rule of accessibility (%o)', async (options) => {
    const { page } = await openReference(library, { authors }, options);
    await titleOn(page, 'List authors').waitFor();
    await sendOn(page).click();
    await responseOn(page).getByText('"Ursula"').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${page.url().split('#')[0]}#v1/books/createBook`);
    await titleOn(page, 'Create records of books').waitFor();
    await page.getByRole('textbox', { name: 'Body', exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
  });
});

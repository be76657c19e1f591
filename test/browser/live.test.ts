import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import type { RequestDetail, RequestRow } from '../../src/http/dashboard/wire.ts';
import { asCurl, asFetch } from '../../dashboard/src/requests/copy/commands.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { complaintsOf, settled, usePages, violationsOn } from '../support/browser.ts';
import { readEvents } from '../support/events.ts';
import { library, makeFolder, servePlinth } from '../support/command.ts';

const shell = promisify(execFile);
const openPage = usePages();
const running: TestApi[] = [];
afterEach(async () => {
  for (const api of running.splice(0)) await api.stop();
});
async function serving(): Promise<TestApi> {
  const long = `${'x'.repeat(60)}: { type: string }, ${'y'.repeat(60)}: { type: array, items: { type: string } }`;
  const things = `resources: { things: { fields: { name: { type: string }, ${long} } } }`;
  const api = await serveApi(things, {}, undefined, { mode: 'dev' });
  running.push(api);
  return api;
}
async function rowsOf(api: TestApi): Promise<readonly RequestRow[]> {
  const stream = await readEvents(`${api.url}/_dashboard/api/events`);
  const rows = (await stream.next('requests')) as readonly RequestRow[];
  stream.close();
  return rows;
}
const opening = (api: TestApi, hash: string, width?: number): Promise<Page> =>
  openPage(`${api.url}/_dashboard${hash}`, width === undefined ? {} : { width, height: 812 });

describe('dev', () => {
  test('shows a bad edit with its place until it is mended, and stops while pages are open', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const server = await servePlinth(['dev', '--no-generate'], { cwd: folder.path });
    const { origin } = new URL(server.url);
    const page = await openPage(`${origin}/_dashboard#/schema`);
    await page.getByRole('heading', { level: 1, name: 'Schema' }).waitFor();
    folder.write('plinth.yaml', library.replace('type: string', 'type: strin'));
    const alert = page.getByRole('alert');
    await alert.getByText('plinth.yaml is not served as it was saved').waitFor();
    const line = library.split('\n').findIndex((text) => text.includes('type: string')) + 1;
    await alert.getByText(new RegExp(`plinth\\.yaml:${line}:\\d+`, 'u')).waitFor();
    await alert.getByText('strin').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // Who comes later sees it too.
    await page.reload();
    await alert.getByText('plinth.yaml is not served as it was saved').waitFor();
    const shelves = `${library}  shelves: { fields: { height: { type: integer } } }\n`;
    folder.write('plinth.yaml', shelves);
    await alert.waitFor({ state: 'detached' });
    await page.locator('.node').getByRole('link', { name: 'shelves' }).waitFor();
    const { code, err } = await server.stop('SIGTERM');
    expect(code, err).toBe(0);
    await alert.getByText('The server does not answer').waitFor();
  });

  test('shows failures and problems of own code, and sandboxes, and keeps what is typed when the file changes', async () => {
    const code = `export default { resources: { authors: { beforeCreate(author) {
      if (author.name === 'Nobody') throw new Error('nobody writes');
    } } } };\n`;
    const folder = makeFolder({ 'plinth.yaml': `code: ./api.ts\n${library}`, 'api.ts': code });
    const server = await servePlinth(['dev', '--no-generate'], { cwd: folder.path });
    const { origin } = new URL(server.url);
    const post = (headers: Record<string, string>, name = 'Ursula'): Promise<Response> =>
      fetch(`${origin}/v1/authors`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name }),
      });
    expect((await post({})).status).toBe(201);
    expect((await post({ 'x-sandbox': 'mine' })).status).toBe(201);
    const page = await openPage(`${origin}/_dashboard#/requests`);
    await page
      .getByRole('row', { name: /authors/u })
      .getByRole('img', { name: /sandbox: mine$/iu })
      .waitFor();
    expect((await post({}, 'Nobody')).status).toBe(500);
    await page
      .getByRole('row', { name: /authors.*500/u })
      .getByRole('link')
      .click();
    await page.getByText('Caused by: own code').waitFor();
    await page.getByLabel('Cause', { exact: true }).getByText('nobody writes').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    const development = page.getByRole('region', { name: 'Development' });
    await development.getByText('mine', { exact: true }).waitFor();
    await page.goto(`${origin}/_dashboard#/data/authors/1`);
    const name = page
      .getByRole('complementary')
      .getByRole('textbox', { name: 'name', exact: true });
    await name.fill('Octavia');
    folder.write('api.ts', 'export default { resources: { nobody: {} } };\n');
    const alert = page.getByRole('alert').filter({ hasText: 'is not served as it was saved' });
    await alert
      .getByText(/api\.ts/u)
      .first()
      .waitFor();
    await alert
      .getByText(/nobody/u)
      .first()
      .waitFor();
    expect(await name.inputValue()).toBe('Octavia');
    const shelves = `${library}  shelves: { fields: { height: { type: integer } } }\n`;
    folder.write('plinth.yaml', shelves.replace('email:', 'mail:'));
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Resources' }).getByText('shelves').waitFor();
    await page.getByRole('complementary').getByRole('textbox', { name: 'mail' }).waitFor();
    expect(await name.inputValue()).toBe('Octavia');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved 1').waitFor();
    expect((await server.stop('SIGTERM')).code).toBe(0);
  });

  test('shows what the terminal asks', async () => {
    const api = await serving();
    const page = await opening(api, '#/overview');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const event = {
      file: 'plinth.yaml',
      problems: [{ message: 'things.name loses 3 values' }],
      question: 'Change the database, and lose these values?',
    };
    for (const { reloaded } of api.readers) reloaded?.(event);
    await page.getByRole('alert').getByText('the terminal asks you').waitFor();
    await page.getByText('things.name loses 3 values').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    for (const { reloaded } of api.readers) reloaded?.({ file: 'plinth.yaml', problems: [] });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

test.each([
  'plain',
  `it's "quoted" \\ $HOME \`id\` !! %s`,
  'two\nlines\r\n\ttab',
  '-X DELETE @/etc/passwd',
  '</script>\u2028 \u202E {a,b}[1-3] é 🙂',
])('what is copied sends the same bytes again: %j', async (value) => {
  const api = await serving();
  const request = {
    method: 'POST',
    path: '/v1/things',
    query: `name=${encodeURIComponent(value)}&x[]={y}'`,
    tellsValues: true,
    requestHeaders: {
      'content-type': 'application/json',
      'x-odd': `it's "quoted" \\ $HOME \`id\``,
      'x-none': '',
      host: 'elsewhere',
    },
    requestBody: { text: JSON.stringify({ name: value }) },
  } as unknown as RequestDetail;
  const received = async (send: () => unknown): Promise<RequestDetail> => {
    const seen = new Set((await rowsOf(api)).map(({ id }) => id));
    await send();
    const row = (await rowsOf(api)).find(({ id }) => !seen.has(id));
    return (await api.get(`/_dashboard/api/requests/${row?.id}`)).body as RequestDetail;
  };
  const curl = asCurl(request, api.url);
  const byCurl = await received(() => shell('sh', ['-c', `${curl} --silent --output /dev/null`]));
  expect(byCurl).toMatchObject({
    method: 'POST',
    path: request.path,
    query: request.query,
    requestBody: request.requestBody,
    requestHeaders: {
      'content-type': 'application/json',
      'x-odd': `it's "quoted" \\ $HOME \`id\``,
      'x-none': '',
    },
  });
  // Not all of it can be sent by a browser, which walks the dots of a path itself.
  const dotted = asCurl(
    { ...request, path: '/v1/a/../things', method: 'HEAD', requestBody: null },
    api.url,
  );
  const byHead = await received(() => shell('sh', ['-c', `${dotted} --silent --output /dev/null`]));
  expect(byHead).toMatchObject({ method: 'HEAD', path: '/v1/a/../things', query: request.query });
  const whole = asCurl(
    { ...request, path: '*', query: '', method: 'OPTIONS', requestBody: null },
    api.url,
  );
  const byTarget = await received(() =>
    shell('sh', ['-c', `${whole} --silent --output /dev/null`]),
  );
  expect(byTarget).toMatchObject({ method: 'OPTIONS', path: '*', status: 404 });
  const page = await opening(api, '#/requests');
  const byFetch = await received(() =>
    page.evaluate(`(async () => { ${asFetch(request, api.url)} })()`),
  );
  expect(byFetch).toMatchObject({
    path: '/v1/things',
    requestBody: request.requestBody,
    requestHeaders: { 'x-odd': `it's "quoted" \\ $HOME \`id\`` },
  });
});

/** The second one is a screen of 1280 px that is zoomed to 200 %. */
test.each([375, 640])(
  'a screen of %d px has room for long names in every view, and leads on by its menu',
  async (width) => {
    const api = await serving();
    await api.send('POST', '/v1/things', { name: 'x'.repeat(300) });
    const page = await opening(api, '#/data/things', width);
    const complaints = complaintsOf(page);
    await page.getByRole('gridcell', { name: 'xxx' }).waitFor();
    for (const view of ['Overview', 'Requests', 'Data', 'Schema', 'Network']) {
      await settled(page);
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBe(width);
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('link', { name: view, exact: true }).click();
      const heading = view === 'Data' ? 'things' : view;
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
    await page.goto(`${api.url}/_dashboard#/data/things/1`);
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.evaluate(`document.querySelector('aside').scrollWidth`)).toBeLessThanOrEqual(
      width,
    );
    expect(complaints).toEqual([]);
  },
);

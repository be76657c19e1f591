import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import type { RequestDetail, RequestRow } from '../../src/http/dashboard/wire.ts';
import { asCurl, asFetch } from '../../dashboard/src/requests/commands.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { complaintsOf, eventually, settled, usePages, violationsOn } from '../support/browser.ts';
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

describe('the list of requests', () => {
  test('is paused and goes on', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await page.getByText('No requests yet').waitFor();
    await api.get('/v1/things?limit=1');
    await page.getByRole('link', { name: /limit=1/u }).waitFor();
    await page.getByRole('switch', { name: 'Pause' }).check();
    await api.get('/v1/things?limit=2');
    await page.getByText('Paused: 1 more have come since.').waitFor();
    expect(await page.getByRole('link', { name: /limit=2/u }).count()).toBe(0);
    await page.getByRole('switch', { name: 'Pause' }).uncheck();
    await page.getByRole('link', { name: /limit=2/u }).waitFor();
  });

  test('has only what is seen in the page, of a thousand', async () => {
    const api = await serving();
    for (let sent = 0; sent < 1_100; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/things?limit=1')));
    const page = await opening(api, '#/requests');
    await page.getByText('The last 1,000 requests').waitFor();
    const rows = page.getByRole('link', { name: /limit=1/u });
    expect(await rows.count()).toBeLessThan(60);
    await api.get('/v1/things?limit=2');
    await page.getByRole('link', { name: /limit=2/u }).waitFor();
    await page.getByText('The last 1,000 requests').waitFor();
    await page.getByRole('region', { name: 'Requests, newest first' }).focus();
    await page.keyboard.press('End');
    await page.locator('[aria-posinset="1000"]').waitFor();
    expect(await rows.count()).toBeLessThan(60);
  });

  test('is one stop for the Tab key, whose rows are reached by arrows; what is opened stays in sight', async () => {
    const api = await serving();
    for (let sent = 1; sent <= 40; sent += 1) await api.get(`/v1/things?limit=${sent}`);
    const page = await opening(api, '#/requests');
    await page.getByText('40 requests.').waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    const list = page.getByRole('region', { name: 'Requests, newest first' });
    await list.focus();
    for (const [key, limit] of [
      ['ArrowDown', 40],
      ['ArrowDown', 39],
      ['End', 1],
      ['ArrowDown', 1],
      ['ArrowUp', 2],
      ['Home', 40],
      ['ArrowUp', 40],
      ['End', 1],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(focused).toMatch(new RegExp(`limit=${limit}200`, 'u'));
    }
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'GET /v1/things?limit=1' });
    await heading.waitFor();
    const row = list.locator('[aria-current]');
    const inSight = async (): Promise<boolean> => {
      const [inner, outer] = [await row.boundingBox(), await list.boundingBox()];
      if (inner === null || outer === null) return false;
      return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height + 1;
    };
    await eventually(inSight).toBe(true);
    await page.keyboard.press('Tab');
    await eventually(focused).toBe('Close');
    await page.goto(`${api.url}/_dashboard#/requests`);
    await heading.waitFor({ state: 'detached' });
    await list.focus();
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: /limit=27/u }).click();
    await page.getByRole('heading', { name: 'limit=27' }).waitFor();
    await eventually(inSight).toBe(true);
  });

  test('asks before a write is sent again', async () => {
    const api = await serving();
    const page = await opening(api, '#/requests');
    await page.getByText('No requests yet').waitFor();
    await api.send('POST', '/v1/things', '{"name":  "once"}');
    await page.getByRole('link', { name: /POST/u }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It may change records once more.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await api.get('/v1/things')).body).toHaveLength(1);
    await page.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText(/Sent again: 201/u).waitFor();
    expect((await api.get('/v1/things')).body).toHaveLength(2);
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

test('a narrow screen has room for long names in every view, and leads on by its menu', async () => {
  const api = await serving();
  await api.send('POST', '/v1/things', { name: 'x'.repeat(300) });
  const page = await opening(api, '#/data/things', 375);
  const complaints = complaintsOf(page);
  await page.getByRole('gridcell', { name: 'xxx' }).waitFor();
  for (const view of ['Overview', 'Requests', 'Data', 'Schema', 'Network']) {
    await settled(page);
    expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBe(375);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: view, exact: true }).click();
    const heading = view === 'Data' ? 'things' : view;
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
  await page.goto(`${api.url}/_dashboard#/data/things/1`);
  const panel = page.getByRole('complementary');
  await panel.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.evaluate(`document.querySelector('aside').scrollWidth`)).toBe(375);
  expect(complaints).toEqual([]);
});

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, violationsOn } from '../support/browser.ts';
import type { TestApi } from '../support/api.ts';
import { cellOf } from '../support/data-page.ts';
import { readEvents } from '../support/events.ts';
import { bossAndHand } from '../support/keys.ts';
import { freePort } from '../support/ports.ts';
import { hashOf } from '../support/tokens.ts';
import { useShop } from '../support/shop.ts';

const { serving, opening, stopping } = useShop();

test('where there is auth, a credential is asked for, and kept in the tab alone', async () => {
  const api = await serving(`
dashboard: { roles: [admin] }
auth:
  apiKeys:
    - { name: boss, hash: "${hashOf('boss-key')}", roles: [admin] }
    - { name: hand, hash: "${hashOf('hand-key')}", roles: [user] }`);
  const page = await opening(api, '#/requests');
  const field = page.getByLabel('Token or API key').first();
  // There is nothing else to do here.
  await eventually(() => page.evaluate('document.activeElement.type')).toBe('password');
  for (const [key, message] of [
    ['wrong', 'not valid'],
    ['hand-key', 'for the roles'],
  ] as const) {
    await field.fill(key);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText(message).waitFor();
  }
  expect(await violationsOn(page)).toEqual([]);
  await field.fill('boss-key');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('boss-key');
  await api.get('/v1/makers?limit=7', { 'x-api-key': 'boss-key' });
  await page
    .getByRole('row', { name: /limit=7.*boss/u })
    .getByRole('link')
    .click();
  await page.getByText('by boss', { exact: true }).waitFor();
  // The reference has the credential and the colours of the dashboard.
  await page.getByRole('button', { name: 'Light or dark' }).click();
  const { url } = api;
  await page.goto(`${url}/_docs`);
  await page.getByRole('heading', { level: 1, name: 'List makers' }).waitFor();
  expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
  await page.goto(`${url}/_dashboard#/requests`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await field.waitFor();
});

test('with auth and no roles, the link of the server opens it, and a credential shows what is not public', async () => {
  const api = await serving(`access: { read: admin, write: admin }\n${bossAndHand}`);
  const hash = (): string => api.dashboardLink?.hash ?? '';
  const first = hash();
  const none = await opening(api, '#/requests');
  await none.getByText('Open the dashboard by the link that `plinth dev` prints').waitFor();
  await eventually(() => none.getByRole('textbox').count()).toBe(0);
  expect(await violationsOn(none)).toEqual([]);
  const page = await opening(api, first);
  await page.getByText('There is no resource that you may use.').waitFor();
  // It is nowhere to be found afterwards.
  expect(page.url()).not.toContain(first);
  expect(await page.context().cookies()).toEqual([]);
  await api.get('/v1/makers', { 'x-api-key': 'hand-key' });
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.getByRole('row', { name: /makers.*hand/u }).waitFor();
  await page.reload();
  await page.getByRole('row', { name: /makers.*hand/u }).waitFor();
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  await button('Sign in').click();
  await button('Back').click();
  await button('Sign in').click();
  const key = page.getByLabel('Token or API key').first();
  await key.fill('wrong');
  await button('Open').click();
  await page.getByText('not valid').waitFor();
  await button('Back').click();
  await button('Sign in').click();
  await key.fill('boss-key');
  await button('Open').click();
  await page.getByRole('link', { name: /^makers/u }).click();
  await page.getByRole('heading', { level: 1, name: 'makers' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await button('Sign out').click();
  await button('Sign in').waitFor();
  // A link that was used opens nothing; the next one does, in a page that is open as well.
  const other = await opening(api, first);
  await other.getByText('Open the dashboard by the link').waitFor();
  await other.evaluate(`location.hash = ${JSON.stringify(hash())}`);
  await other.getByText('There is no resource that you may use.').waitFor();
});

test('a server that goes and comes back is told of', async () => {
  const port = await freePort();
  const api = await serving('', { port });
  const page = await opening(api, '#/overview');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const loaded = () =>
    page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
  for (const view of ['Requests', 'Overview', 'Schema', 'Network'])
    await eventually(async () => String(await loaded())).toContain(`/${view}-`);
  await stopping();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  // What was never shown is there.
  await page.getByRole('link', { name: 'Schema', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Schema' }).waitFor();
  await serving('access: { read: public, write: none }', { port });
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('cell', { name: 'read', exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.getByText('No requests yet').waitFor();
});

test('a write that was only counted is not sent again as another one', async () => {
  const api = await serving('dashboard: true\nlogging: { includeBodies: true }', {
    mode: 'start',
  });
  await api.send('POST', '/v1/makers', { name: 'Unseen' });
  const page = await opening(api, '#/requests');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.getByRole('link', { name: '/v1/makers' }).first().click();
  await page.getByText('What it sent is not known').waitFor();
  for (const name of ['Replay', 'Edit and resend'])
    expect(await button(name).isDisabled()).toBe(true);
  await eventually(() => page.getByRole('button', { name: /^Copy as/u }).count()).toBe(0);
  await eventually(() => page.getByRole('tab', { name: 'Edit' }).count()).toBe(0);
  await page.getByRole('tab', { name: 'Request', exact: true }).click();
  await page.getByText('What it sent is not known').waitFor();
});

test('a list stays in sight while the server is gone', async () => {
  const page = await opening(await serving(), '#/data/products');
  await page.getByRole('gridcell', { name: 'Chair', exact: true }).waitFor();
  await stopping();
  const gone = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
  await gone.waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await eventually(() => gone.count()).toBe(2);
  await eventually(() => page.getByRole('gridcell', { name: 'Chair', exact: true }).count()).toBe(
    1,
  );
});

/** Sets the simulated network of products. */
async function simulator(api: TestApi): Promise<(settings: object | null) => Promise<void>> {
  const stream = await readEvents(`${api.url}/_dashboard/api/events`);
  const { token } = await stream.next('hello');
  stream.close();
  return async (settings) => {
    const body = { resource: 'products', settings };
    const headers = { 'x-dashboard-token': token };
    const { status } = await api.send('PUT', '/_dashboard/api/network', body, headers);
    expect(status).toBe(200);
  };
}

test('a list that a passing fault has kept out is tried again by a button, and one that is wrong is not', async () => {
  const api = await serving();
  const simulate = await simulator(api);
  await simulate({ errorRate: 1, errors: [{ status: 503 }] });
  const page = await opening(api, '#/data/products');
  const refusal = page.getByRole('alert');
  await refusal.getByText('503 SIMULATED_ERROR').waitFor();
  await simulate(null);
  await refusal.getByRole('button', { name: 'Try again' }).click();
  await cellOf(page, 'Chair').waitFor();
  await page.goto(`${api.url}/_dashboard#/data/products?nothing=1`);
  await refusal.getByText(/^400 /u).waitFor();
  expect(await refusal.getByRole('button').count()).toBe(0);
});

test('what turns in a busy button is in its middle, also without motion', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await page.getByRole('button', { name: 'New record' }).click();
  await page.locator('[id="field-name"]').fill('Lamp');
  await page.locator('[id="field-price"]').fill('5.00');
  const simulate = await simulator(api);
  await simulate({ latency: { min: 60_000, max: 60_000 } });
  const button = page.getByRole('button', { name: 'Create', exact: true });
  await button.click();
  const middle = async (what: Locator): Promise<number> => {
    const { y = 0, height = 0 } = (await what.boundingBox()) ?? {};
    return y + height / 2;
  };
  const loader = button.locator('.mantine-Button-loader');
  await loader.waitFor();
  expect(Math.abs((await middle(loader)) - (await middle(button)))).toBeLessThan(4);
});

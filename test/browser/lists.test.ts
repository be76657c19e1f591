import { expect, test } from 'vitest';
import { shellQuoted } from '../../dashboard/src/requests/copy/commands.ts';
import { serveApi } from '../support/api.ts';
import { eventually } from '../support/browser.ts';
import { panelOf, urlOn } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const { serving, opening } = useShop();

test('a version has a form of its own, and a resource with cursors is paged by them', async () => {
  const api = await serveApi(
    `api:
  defaultVersion: 1
  versions: { 1: {}, 2: { resources: { things: { fields: { label: { from: name } } } } } }
resources:
  things:
    pagination: cursor
    fields: { name: { type: string } }
`,
    { things: [{ name: 'one' }, { name: 'two' }, { name: 'three' }] },
    undefined,
    { mode: 'dev' },
  );
  try {
    const page = await opening(api, '#/data/things?limit=2');
    await page.getByRole('gridcell', { name: 'two', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('gridcell', { name: 'three', exact: true }).waitFor();
    await eventually(() => page.getByRole('gridcell', { name: 'one', exact: true }).count()).toBe(
      0,
    );
    expect(await urlOn(page)).toMatch(/^\/v1\/things\?cursor=[^&]+&limit=2$/u);
    await eventually(() => page.getByRole('button', { name: 'Next page' }).count()).toBe(0);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('gridcell', { name: 'one', exact: true }).waitFor();
    expect(await urlOn(page)).toBe('/v1/things?limit=2');
    await eventually(() => page.getByRole('button', { name: 'First page' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Version' }).selectOption('2');
    await page.getByRole('columnheader', { name: 'label' }).waitFor();
    await eventually(() => urlOn(page)).toBe('/v2/things');
  } finally {
    await api.stop();
  }
});

test('a list with numbered pages that is read by cursors begins again with an empty one', async () => {
  const page = await opening(await serving(), '#/data/products?cursor=&limit=2');
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByRole('gridcell', { name: 'Chair', exact: true }).waitFor();
  expect(await urlOn(page)).toBe('/v1/products?cursor=&limit=2');
});

test('related records of every kind are followed, from the list and from the record', async () => {
  const api = await serveApi(
    `access: public
resources:
  actors:
    fields:
      name: { type: string }
      plays: { type: relation, relation: belongsToMany, resource: plays, through: roles, withPivot: [part] }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: actor }
  plays:
    fields:
      title: { type: string }
      cast: { type: relation, relation: belongsToMany, resource: actors, through: roles }
      houses: { type: relation, relation: belongsToMany, resource: houses, through: seasons }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: play }
  houses: { fields: { seats: { type: integer } } }
  seasons: { fields: { playId: { type: integer }, houseId: { type: integer } } }
  roles: { fields: { actorId: { type: integer }, playId: { type: integer }, part: { type: string } } }
  notes:
    fields:
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`,
    {
      actors: ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus'].map((name) => ({ name })),
      plays: [{ title: 'Faust' }, { title: 'Medea' }],
      houses: [{ seats: 90 }],
      seasons: [{ playId: 1, houseId: 1 }],
      roles: [1, 2, 3, 4, 5, 6, 7].map((actorId) => ({ actorId, playId: 1, part: 'lead' })),
      notes: [{ aboutType: 'actor', aboutId: 2 }],
    },
    undefined,
    { mode: 'dev' },
  );
  try {
    const page = await opening(api, '#/data/plays?expand=cast,houses&fields=title');
    const shows = async (link: string, url: string, cell: string): Promise<void> => {
      await page.getByRole('link', { name: link, exact: true }).click();
      await eventually(() => urlOn(page)).toBe(url);
      await page.getByRole('gridcell', { name: cell, exact: true }).first().waitFor();
    };
    await page.getByRole('gridcell', { name: 'Medea', exact: true }).waitFor();
    expect(await page.locator('.grid-cell a').allTextContents()).toEqual([
      '7',
      'Ada',
      'Bo',
      'Cy',
      'Di',
      'Ed',
      '1',
      '#1',
    ]);
    await page.getByText('and 2 more').waitFor();
    await eventually(() => page.getByRole('gridcell', { name: 'none', exact: true }).count()).toBe(
      2,
    );
    await shows('Cy', '/v1/actors?id=3', 'Cy');
    await page.goBack();
    await shows('All 7 of cast', '/v1/actors?plays.id=1', 'Gus');
    await page.goBack();
    await shows('#1', '/v1/houses?id=1', '90');
    await page.goto(`${api.url}/_dashboard#/data/plays?expand=cast&cast.limit=6`);
    await page.getByRole('link', { name: 'All 7 of cast' }).waitFor();
    await page.goto(`${api.url}/_dashboard#/data/plays/1`);
    // What its house does not lead back to is expanded at it.
    await page.getByRole('tab', { name: 'Related' }).click();
    await shows('All of houses', '/v1/plays?id=1&expand=houses', 'Faust');
    await page.goto(`${api.url}/_dashboard#/data/actors/2`);
    await page.getByRole('tab', { name: 'Related' }).click();
    await shows('All of notes', '/v1/notes?aboutType=actor&aboutId=2', 'actor');
    await shows('2', '/v1/actors?id=2', 'Bo');
    await page.goto(`${api.url}/_dashboard#/data/actors?id=2&expand=plays`);
    await page.getByRole('gridcell', { name: /Faust.*part lead/u }).waitFor();
    await page.goto(`${api.url}/_dashboard#/data/notes?expand=about&fields=about,aboutType`);
    await shows('Bo', '/v1/actors?id=2', 'Bo');
    await page.goto(`${api.url}/_dashboard#/data/notes/1`);
    await page.getByRole('tab', { name: 'Related' }).click();
    await shows('All of about', '/v1/actors?id=2', 'Bo');
  } finally {
    await api.stop();
  }
});

test('a list that was built by form is copied as commands', async () => {
  const api = await serving();
  const query = `maker.name_in=Anna,O'Neil&expand=maker&cursor=`;
  const page = await opening(api, `#/data/products?${query}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const url = `${api.url}/v1/products?${query}`;
  await page.getByRole('button', { name: 'URL of the list' }).click();
  for (const [name, command] of [
    ['curl', `curl ${shellQuoted(url)}`],
    ['fetch', `await fetch(${JSON.stringify(url)}, `],
    ['typed client', 'await api.products.list({'],
  ] as const) {
    await page.getByRole('button', { name: /^(?:Copy as|Copied)$/u }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await eventually(copied).toContain(command);
  }
});

test('what was written is told and led to, what is wrong has the focus, and a click beside loses nothing', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products?limit=1');
  await page.getByRole('button', { name: 'New record' }).click();
  const dialog = panelOf(page);
  const input = (name: string) => dialog.getByRole('textbox', { name, exact: true });
  await input('name').fill('Lamp');
  await page.mouse.click(700, 600);
  await input('price').fill('-1');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await eventually(() => page.evaluate('document.activeElement.id')).toBe('field-price');
  expect(await input('name').inputValue()).toBe('Lamp');
  await input('price').fill('1');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  const told = (how: string) => page.getByRole('status').filter({ hasText: how });
  await told('Created 4').getByRole('link', { name: '4' }).click();
  await input('price').fill('2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await told('Saved 4').getByRole('link', { name: '4' }).click();
  await eventually(() => input('price').inputValue()).toBe('2.00');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await told('Deleted 4').waitFor();
  await eventually(() => told('Deleted 4').getByRole('link').count()).toBe(0);
});

test('what was asked for before is told from what is shown now, while that has not come', async () => {
  const page = await opening(await serving(), '#/data/products?limit=1');
  await page.getByRole('gridcell', { name: 'Chair', exact: true }).waitFor();
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route('**/v1/products?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Page 2' }).click();
  const busy = page.locator('.grid[aria-busy=true]');
  await busy.getByRole('gridcell', { name: 'Chair', exact: true }).waitFor();
  answer();
  await page.getByRole('gridcell', { name: 'Table', exact: true }).waitFor();
  await eventually(() => busy.count()).toBe(0);
});

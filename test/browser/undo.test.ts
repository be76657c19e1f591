import { describe, expect, test } from 'vitest';
import { eventually, violationsOn } from '../support/browser.ts';
import { chipOf, openRecord, panelOf, urlIs, writeUrl } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';
import { hashOf } from '../support/tokens.ts';

const { serving, servingOther, opening } = useShop();

const ledger = `
name: Ledger
resources:
  drawn:
    fields:
      name: { type: string, required: true }
      entries: { type: relation, relation: hasMany, resource: entries }
  chosen:
    fields:
      id: { type: id, format: uuid }
      name: { type: string, required: true }
  entries:
    fields:
      drawnId: { type: integer, reference: drawn.id, onDelete: setNull }
`;
const key = '018f0000-0000-7000-8000-000000000001';

describe('a delete is taken back', () => {
  test('with the same id where clients choose it', async () => {
    const api = await servingOther(ledger);
    await api.send('POST', '/v1/chosen', { id: key, name: 'Ada' });
    const page = await opening(api, `#/data/chosen/${key}`);
    await panelOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText(`Deleted ${key}`).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`Restored ${key}`, { exact: true }).waitFor();
    expect((await api.get(`/v1/chosen/${key}`)).body).toEqual({ id: key, name: 'Ada' });
  });

  test('with another id, which is said and led to, where the server draws it', async () => {
    const api = await servingOther(ledger);
    await api.send('POST', '/v1/drawn', [{ name: 'Ada' }, { name: 'Bo' }, { name: 'Cy' }]);
    const page = await opening(api, '#/data/drawn');
    await openRecord(page, 2);
    await panelOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Deleted 2').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 2, without links to it. Its new id is').waitFor();
    const [{ id }] = (await api.get('/v1/drawn?name=Bo')).body as [{ id: number }];
    expect(id).not.toBe(2);
    await page.getByRole('link', { name: String(id), exact: true }).click();
    await panelOf(page).getByRole('textbox', { name: 'name' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select all that match' }).click();
    const bar = page.getByRole('toolbar', { name: 'Selected records' });
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 3' }).click();
    await page.getByText('Deleted 3 records').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 3 records, without links to them. They have new ids').waitFor();
    expect((await api.get('/v1/drawn?sort=name')).body).toMatchObject([
      { name: 'Ada' },
      { name: 'Bo' },
      { name: 'Cy' },
    ]);
    // Off the button, whose tooltip is in no landmark.
    await page.mouse.move(600, 500);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    expect(await violationsOn(page)).toEqual([]);
  });

  test('not at all where records cannot be created, which is said', async () => {
    const api = await servingOther(`name: Ledger
auth:
  apiKeys:
    - { name: maker, hash: "${hashOf('maker-key')}", roles: [maker] }
    - { name: cleaner, hash: "${hashOf('cleaner-key')}", roles: [cleaner] }
dashboard: { roles: [cleaner] }
debug: { roles: [cleaner] }
resources:
  fixed:
    access: { read: public, create: maker, delete: cleaner }
    fields:
      name: { type: string, required: true }
`);
    const maker = { authorization: 'Bearer maker-key' };
    expect((await api.send('POST', '/v1/fixed', { name: 'Ada' }, maker)).status).toBe(201);
    const page = await opening(api, '#/data/fixed/1');
    await page.getByLabel('Token or API key').first().fill('cleaner-key');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await panelOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Deleted 1. There is no undo: you may not create records here').waitFor();
    const undo = page.getByRole('button', { name: 'Undo' });
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
  });
});

test('filters on keys name the records that they lead to', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products?makerId=1');
  await chipOf(page, 'filter 1: maker is Anna').waitFor();
  await writeUrl(page, '/v1/products?maker.id_neq=1&makerId_in=1,2,9');
  await chipOf(page, 'filter 1: maker is not Anna').waitFor();
  await chipOf(page, /^filter 2: maker is one of Anna, <img.*, 9$/u).waitFor();
  await writeUrl(page, '/v1/products?_or=makerId:1,makerId_gt:1');
  await chipOf(page, 'group 1: any of: maker is Anna, makerId > 1').waitFor();
  // An id of the list itself is one, and what is no key stays as it is written.
  await writeUrl(page, '/v1/makers?id=1');
  await chipOf(page, 'filter 1: id = 1').waitFor();
  await writeUrl(page, '/v1/products?makerId=Anna');
  await chipOf(page, 'filter 1: makerId = Anna').waitFor();
  await writeUrl(page, '/v1/products?makerId=99');
  await chipOf(page, 'filter 1: makerId = 99').waitFor();
  // The input beside the grid says it too.
  await writeUrl(page, '/v1/products?id=1');
  await openRecord(page, 1);
  await panelOf(page).getByText('Anna', { exact: true }).waitFor();
  await panelOf(page).locator('[id="field-makerId"]').fill('2');
  await panelOf(page).getByText('Anna', { exact: true }).waitFor({ state: 'detached' });
  await eventually(() => panelOf(page).locator('.picked').textContent()).toContain('<img');
  await urlIs(page, '/v1/products?id=1');
});

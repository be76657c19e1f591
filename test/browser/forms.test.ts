import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { complaintsOf, eventually, usePages, violationsOn } from '../support/browser.ts';
import { cellOf, openRecord, panelOf, urlOn } from '../support/data-page.ts';
import { useShop } from '../support/shop.ts';

const specification = `
name: Workshop
access: public
resources:
  parts:
    fields:
      name: { type: string, required: true, minLength: 2 }
      code: { type: string, nullable: true, unique: true }
      note: { type: text, nullable: true }
      price: { type: decimal, precision: 18, scale: 4 }
      made: { type: datetime, nullable: true }
      day: { type: date }
      at: { type: time }
      grade: { type: enum, values: [a, b], default: a }
      sold: { type: boolean, nullable: true }
      specs:
        type: object
        nullable: true
        properties:
          weight: { type: number, minimum: 0, required: true }
          box: { type: object, properties: { width: { type: integer, minimum: 1 } } }
      sizes: { type: array, items: { type: integer, minimum: 1 }, maxItems: 3 }
      extra: { type: json }
      secret: { type: string, writeOnly: true, default: hush }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: part-tags, withPivot: [role, rank] }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: part }
  tags:
    fields:
      name: { type: string }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: tag }
  part-tags:
    fields:
      partId: { type: integer, required: true, reference: parts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      role: { type: enum, values: [main, side], default: side }
      rank: { type: integer, nullable: true, minimum: 0 }
  notes:
    fields:
      text: { type: string, required: true }
      aboutType: { type: string, nullable: true }
      aboutId: { type: integer, nullable: true }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`;

const openPage = usePages();
const { serving, opening } = useShop();
let both: Both;
beforeAll(async () => {
  both = await serveBoth(
    specification,
    { tags: [{ name: 'red' }, { name: 'green' }, { name: 'blue' }], parts: [{ name: 'Wheel' }] },
    undefined,
    { mode: 'dev' },
  );
});
afterAll(() => both?.stop());

const dialogOf = panelOf;
const field = (page: Page, name: string) => dialogOf(page).locator(`[id="field-${name}"]`);
const press = (page: Page, name: string): Promise<void> =>
  dialogOf(page).getByRole('button', { name, exact: true }).click();
async function choose(page: Page, name: string, option: string): Promise<void> {
  await field(page, name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

describe.each(['SQLite', 'PostgreSQL'])('a record is written by form, on %s', (database) => {
  const open = async (resource: string): Promise<{ page: Page; url: string }> => {
    const side = both.sides[database === 'SQLite' ? 0 : 1];
    if (side === undefined) throw new Error('There are two sides');
    const page = await openPage(`${side.url}/_dashboard#/data/${resource}`);
    return { page, url: side.url };
  };
  const stored = async (url: string, path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}/v1/${path}`)).json()) as Record<string, unknown>;

  test('with values of every type, said at the value where the server refuses them', async () => {
    const { page, url } = await open('parts');
    const complaints = complaintsOf(page);
    await page.getByRole('button', { name: 'New record' }).click();
    await field(page, 'name').fill('x');
    // A text is prose, and has a text area.
    await dialogOf(page).locator('textarea[id="field-note"]').fill('two\nlines');
    await field(page, 'price').fill('12345678901234.0001');
    await field(page, 'made').fill('2026-03-01T14:05:06.007');
    await field(page, 'day').fill('2026-03-01');
    await field(page, 'at').fill('14:05');
    for (const [name, type] of [
      ['made', 'datetime-local'],
      ['day', 'date'],
      ['at', 'time'],
    ])
      expect(await field(page, name ?? '').getAttribute('type')).toBe(type);
    await choose(page, 'grade', 'b');
    await choose(page, 'sold', 'false');
    await press(page, 'Fill in specs');
    await dialogOf(page).getByText('number, at least 0', { exact: true }).waitFor();
    await field(page, 'specs.weight').fill('-1');
    await press(page, 'Fill in specs.box');
    await field(page, 'specs.box.width').fill('0');
    await press(page, 'Fill in sizes');
    for (const [index, size] of ['1', '0', '3'].entries()) {
      await press(page, 'Add an item to sizes');
      await field(page, `sizes[${index}]`).fill(size);
    }
    await field(page, 'extra').fill('{"a": [1');
    await press(page, 'Create');
    await dialogOf(page).getByText('is not valid JSON').waitFor();
    await field(page, 'extra').fill('{"a": [1]}');
    await press(page, 'Create');
    for (const path of ['name', 'specs.weight', 'specs.box.width', 'sizes[1]'])
      await eventually(() => field(page, path).getAttribute('aria-invalid')).toBe('true');
    for (const path of ['price', 'sizes[0]', 'made'])
      expect(await field(page, path).getAttribute('aria-invalid'), path).not.toBe('true');
    expect(await violationsOn(page)).toEqual([]);
    await field(page, 'name').fill('Axle');
    await field(page, 'specs.weight').fill('2.5');
    await field(page, 'specs.box.width').fill('7');
    await press(page, 'Remove sizes[1]');
    await press(page, 'Create');
    await page.getByRole('gridcell', { name: 'Axle', exact: true }).waitFor();
    expect(await stored(url, 'parts/2')).toMatchObject({
      name: 'Axle',
      code: null,
      note: 'two\nlines',
      price: '12345678901234.0001',
      made: '2026-03-01T14:05:06.007Z',
      day: '2026-03-01',
      at: '14:05:00',
      grade: 'b',
      sold: false,
      specs: { weight: 2.5, box: { width: 7 } },
      sizes: [1, 3],
      extra: { a: [1] },
    });
    expect(complaints.filter((line) => !line.includes('422'))).toEqual([]);
  });

  test('where null, an empty text and nothing at all are different, and only what was changed is sent', async () => {
    const { page, url } = await open('parts?id=2');
    await openRecord(page, 2);
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON());
    });
    await field(page, 'name').waitFor();
    await press(page, 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    await openRecord(page, 2);
    await press(page, 'empty for code');
    await press(page, 'null for note');
    await press(page, 'null for specs');
    await press(page, 'Leave out sizes');
    await press(page, 'Fill in sizes');
    await field(page, 'made').fill('');
    expect(await field(page, 'code').getAttribute('placeholder')).toBe('Empty text');
    expect(await field(page, 'note').getAttribute('placeholder')).toBe('null');
    expect(await field(page, 'secret').getAttribute('placeholder')).toBe('Unchanged');
    await press(page, 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(sent).toEqual([{}, { code: '', note: null, made: null, specs: null, sizes: [] }]);
    expect(await stored(url, 'parts/2')).toMatchObject({
      code: '',
      note: null,
      specs: null,
      sizes: [],
    });
  });

  test('closed by a key only once nothing of it is lost, or that is wanted', async () => {
    const { page } = await open('parts?id=2');
    const dialog = dialogOf(page);
    await openRecord(page, 2);
    await field(page, 'name').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openRecord(page, 2);
    await field(page, 'name').fill('Axis');
    await page.keyboard.press('Escape');
    await dialog.getByText('Throw away what was written?').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Go on writing');
    expect(await field(page, 'name').inputValue()).toBe('Axis');
    await press(page, 'Close');
    await press(page, 'Throw it away');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('gridcell', { name: 'Axle', exact: true }).waitFor();
  });

  test('with links and what they carry: added, changed and removed', async () => {
    const { page, url } = await open('parts');
    await page.getByRole('button', { name: 'New record' }).click();
    await field(page, 'name').fill('Bolt');
    await press(page, 'Add a link to tags');
    await field(page, 'tags[0]').fill('re');
    await page.getByRole('option', { name: '1 red' }).click();
    await choose(page, 'tags[0].pivot.role', 'main');
    await field(page, 'tags[0].pivot.rank').fill('-1');
    await press(page, 'Add a link to tags');
    await field(page, 'tags[1]').fill('2');
    await press(page, 'Create');
    await eventually(() => field(page, 'tags[0].pivot.rank').getAttribute('aria-invalid')).toBe(
      'true',
    );
    await field(page, 'tags[0].pivot.rank').fill('4');
    await press(page, 'Create');
    await page.getByRole('gridcell', { name: 'Bolt', exact: true }).waitFor();
    const tags = async (): Promise<unknown> => (await stored(url, 'parts/3?expand=tags'))['tags'];
    expect(await tags()).toMatchObject([
      { id: 1, pivot: { role: 'main', rank: 4 } },
      { id: 2, pivot: { role: 'side', rank: null } },
    ]);

    await openRecord(page, 3);
    await dialogOf(page).getByText('role main, rank 4').waitFor();
    await press(page, 'Remove link 2 of tags');
    await press(page, 'Remove link 1 of tags');
    await press(page, 'Keep link 1 of tags');
    await press(page, 'Change link 1 of tags');
    await choose(page, 'tags.add[0].pivot.role', 'side');
    await press(page, 'Add a link to tags');
    await field(page, 'tags.add[1]').fill('99');
    await press(page, 'Save');
    await eventually(() => field(page, 'tags.add[1]').getAttribute('aria-invalid')).toBe('true');
    expect(await violationsOn(page)).toEqual([]);
    await field(page, 'tags.add[1]').fill('3');
    await page.keyboard.press('Tab');
    await press(page, 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await tags()).toMatchObject([
      { id: 1, pivot: { role: 'side', rank: 4 } },
      { id: 3, pivot: { role: 'side', rank: null } },
    ]);
  });

  test('with an owner of any of its resources', async () => {
    const { page, url } = await open('notes');
    await page.getByRole('button', { name: 'New record' }).click();
    await field(page, 'text').fill('Round');
    await choose(page, 'aboutType', 'part');
    await field(page, 'aboutId').fill('Whe');
    await page.getByRole('option', { name: '1 Wheel' }).click();
    await press(page, 'Create');
    await page.getByRole('gridcell', { name: 'Round', exact: true }).waitFor();
    expect(await stored(url, 'notes/1')).toMatchObject({ aboutType: 'part', aboutId: 1 });
    await openRecord(page, 1);
    await choose(page, 'aboutType', 'tag');
    await field(page, 'aboutId').fill('77');
    await page.keyboard.press('Tab');
    await press(page, 'Save');
    await eventually(() => field(page, 'aboutId').getAttribute('aria-invalid')).toBe('true');
    await press(page, 'null for aboutType');
    await press(page, 'null for aboutId');
    await press(page, 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await stored(url, 'notes/1')).toMatchObject({ aboutType: null, aboutId: null });
  });
});

test('names, ids and values that mean something elsewhere mean themselves', async () => {
  const id = 'v1/a\nb\u202Ec';
  const api = await serveApi(
    `
access: public
resources:
  odd:
    fields:
      id: { type: id, format: string }
      constructor: { type: string, writeOnly: true, default: hush }
      state: { type: enum, values: ['', '1'], default: '1' }
  plain:
    fields:
      state: { type: integer, enum: [1] }
  notes:
    fields:
      aboutType: { type: string }
      aboutId: { type: string }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId, resources: [odd, plain] }
`,
    { odd: [{ id }], notes: [{ aboutType: 'odd', aboutId: id }] },
    undefined,
    { mode: 'dev' },
  );
  try {
    const page = await openPage(`${api.url}/_dashboard#/data/odd/`);
    const complaints = complaintsOf(page);
    const opens = cellOf(page, String.raw`v1/a b\u202ec`);
    await opens.waitFor();
    await eventually(() => dialogOf(page).count()).toBe(0);
    await opens.click();
    await field(page, 'constructor').waitFor();
    expect(await page.evaluate('location.hash')).toBe(`#/data/${encodeURIComponent(`odd/${id}`)}`);
    expect(await dialogOf(page).getByRole('heading').textContent()).toBe(
      `odd ${id.replace('\u202E', String.raw`\u202e`)}`,
    );
    expect(await field(page, 'constructor').inputValue()).toBe('');
    await press(page, 'empty for state');
    await press(page, 'Save');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect((await api.get('/v1/odd')).body).toEqual([{ id, state: '' }]);
    await page.getByRole('button', { name: 'New record' }).click();
    await dialogOf(page).waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/data/odd.new');
    expect(complaints).toEqual([]);
    for (const [list, told] of [
      ['notes?about.state=1', 'No record fits.'],
      ['notes?sort=--id', 'there is no field -id'],
      ['odd?id=a#b', 'No record fits.'],
    ]) {
      await page.goto(`${api.url}/_dashboard#/data/${list}`);
      await page
        .getByText(told ?? '')
        .first()
        .waitFor();
    }
    expect(await urlOn(page)).toBe('/v1/odd?id=a%23b');
    await page.goto(`${api.url}/_dashboard#/data/notes?expand=about`);
    const turned = page.getByRole('gridcell', { name: String.raw`\u202ec` });
    await eventually(() => turned.count()).toBe(2);
    // Somebody else is faster: what is deleted is what was shown.
    await api.send('POST', '/v1/odd', { id: 'n', constructor: 'mine' });
    await page.goto(`${api.url}/_dashboard#/data/odd/n`);
    await press(page, 'Delete');
    await api.send('PATCH', '/v1/odd/n', { state: '' });
    await press(page, 'Delete it');
    await dialogOf(page).getByText('has changed since it was read').waitFor();
    expect((await api.get('/v1/odd/n')).status).toBe(200);
    await page.goto(`${api.url}/_dashboard#/requests?method=POST`);
    await page
      .getByRole('link', { name: /\/v1\//u })
      .first()
      .click();
    // What is withheld would be another request.
    const replays = page.getByRole('button', { name: 'Replay' });
    await replays.waitFor();
    expect(await replays.isDisabled()).toBe(true);
    await page.getByText('so it cannot be sent again as it was').waitFor();
  } finally {
    await api.stop();
  }
});

test('creates, says what the server refuses at the field, changes and deletes', async () => {
  const api = await serving();
  const page = await opening(api, '#/data/products');
  await page.getByRole('button', { name: 'New record' }).click();
  const dialog = panelOf(page);
  const input = (label: string) => dialog.getByRole('textbox', { name: label, exact: true });
  const [name, price] = [input('name'), input('price')];
  await name.fill('ab');
  await price.fill('-1');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').waitFor();
  for (const one of [name, price]) expect(await one.getAttribute('aria-invalid')).toBe('true');
  expect(await violationsOn(page)).toEqual([]);
  await name.fill('Lamp');
  await price.fill('12.5');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('gridcell', { name: 'Lamp', exact: true }).waitFor();
  expect((await api.get('/v1/products?name=Lamp')).body).toMatchObject([
    { price: '12.50', state: 'draft', about: null },
  ]);

  await openRecord(page, 4);
  await input('price').fill('13');
  await input('about').fill('Bright');
  // Somebody else is faster.
  await api.send('PATCH', '/v1/products/4', { name: 'Lantern' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  // Who has changed another field is no conflict: both changes hold.
  await page.getByRole('gridcell', { name: '13.00', exact: true }).waitFor();
  expect((await api.get('/v1/products/4')).body).toMatchObject({
    name: 'Lantern',
    price: '13.00',
    about: 'Bright',
  });

  await openRecord(page, 4);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await page.getByRole('gridcell', { name: 'Lantern', exact: true }).waitFor({ state: 'detached' });
  expect((await api.get('/v1/products/4')).status).toBe(404);
});

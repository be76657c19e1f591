import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { layout } from '../../dashboard/src/schema/layout.ts';
import type { ResourceInfo } from '../../src/http/dashboard/wire-model.ts';
import { eventually, settled } from '../support/browser.ts';
import { useShop } from '../support/shop.ts';

const { serving, servingOther, opening } = useShop();

/** Presses in the middle of something, moves by so much, and lets go. */
async function drag(page: Page, what: Locator, x: number, y: number): Promise<void> {
  const box = await what.boundingBox();
  if (box === null) throw new Error('There is nothing to drag');
  const [left, top] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  // What is dragged begins to move once it is sure that it is no click.
  for (let step = 1; step <= 4; step += 1)
    await page.mouse.move(left + (x * step) / 4, top + (y * step) / 4);
  await page.mouse.up();
}

describe('the schema', () => {
  const nodeOf = (page: Page, name: string) =>
    page.locator('.react-flow__node', { has: page.getByRole('link', { name, exact: true }) });
  const placeOf = async (what: Locator): Promise<{ x: number; y: number; width: number }> => {
    const { x = 0, y = 0, width = 0 } = (await what.boundingBox()) ?? {};
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width) };
  };
  const openSchema = async (): Promise<Page> => {
    const page = await opening(await serving(), '#/schema');
    await nodeOf(page, 'products').waitFor();
    // It is fitted to the screen once its boxes are measured.
    await settled(page);
    return page;
  };

  test('is searched: what is found is marked, brought into view, and kept in the URL', async () => {
    const page = await openSchema();
    await page.getByLabel('Search').fill('price');
    await page.locator('.node.found').getByRole('link', { name: 'products' }).waitFor();
    expect(await page.locator('.node.found').count()).toBe(1);
    expect(await page.evaluate('location.hash')).toBe('#/schema?text=price');
    await page.getByLabel('Search').fill('maker');
    await eventually(() => page.locator('.node.found').count()).toBe(2);
    await page.getByLabel('Search').fill('nothing like it');
    await eventually(() => page.locator('.node.found').count()).toBe(0);
  });

  test('is moved as a whole, and box by box, by mouse and by key', async () => {
    const page = await openSchema();
    const [makers, products] = [nodeOf(page, 'makers'), nodeOf(page, 'products')];
    const before = { makers: await placeOf(makers), products: await placeOf(products) };
    await page.mouse.move(700, 760);
    const pane = await page.locator('.react-flow__pane').boundingBox();
    if (pane === null) throw new Error('There is no diagram');
    await page.mouse.move(pane.x + 300, pane.y + 20);
    await page.mouse.down();
    for (const part of [10, 40, 60])
      await page.mouse.move(pane.x + 300 + part, pane.y + 20 + part / 2);
    await page.mouse.up();
    await eventually(() => placeOf(makers)).toEqual({
      ...before.makers,
      x: before.makers.x + 60,
      y: before.makers.y + 30,
    });
    const moved = await placeOf(products);
    expect(moved).toEqual({
      ...before.products,
      x: before.products.x + 60,
      y: before.products.y + 30,
    });
    await drag(page, makers.locator('ul'), -80, 40);
    await eventually(async () => (await placeOf(makers)).x).toBeLessThan(before.makers.x + 30);
    expect(await placeOf(products)).toEqual(moved);
    await products.focus();
    await page.keyboard.press('Enter');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
    await eventually(async () => (await placeOf(products)).y).toBeGreaterThan(moved.y + 10);
  });

  test('is zoomed by wheel, by button and by key, and fitted again', async () => {
    const page = await openSchema();
    const makers = nodeOf(page, 'makers');
    const width = async (): Promise<number> => (await placeOf(makers)).width;
    const fitted = await width();
    const button = (name: string) => page.getByRole('button', { name });
    await button('Zoom Out').click();
    await eventually(width).toBeLessThan(fitted);
    const out = await width();
    await button('Zoom In').focus();
    await page.keyboard.press('Enter');
    await eventually(width).toBeGreaterThan(out);
    await button('Fit View').click();
    await eventually(width).toBe(fitted);
    await page.locator('.react-flow__pane').hover();
    await page.mouse.wheel(0, 400);
    await eventually(width).toBeLessThan(fitted);
    const wheeled = await width();
    await page.mouse.wheel(0, -200);
    await eventually(width).toBeGreaterThan(wheeled);
  });

  test('draws what a line says beside the boxes: of one that points to itself, and to an owner of any kind', async () => {
    const api = await servingOther(`resources:
  notes:
    fields:
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
  animals:
    fields:
      motherId: { type: integer, nullable: true, reference: animals.id }
      notes: { type: relation, relation: morphMany, resource: notes, typeField: aboutType, idField: aboutId, typeValue: animal }
`);
    const page = await opening(api, '#/schema');
    await nodeOf(page, 'animals').waitFor();
    await settled(page);
    const animals = await placeOf(nodeOf(page, 'animals'));
    const end = animals.x + animals.width;
    for (const label of ['motherId', 'about']) {
      const text = page.locator('.react-flow__edge-text', { hasText: label });
      expect((await placeOf(text)).x, label).toBeGreaterThanOrEqual(end);
    }
    expect((await placeOf(nodeOf(page, 'notes'))).x).toBeGreaterThan(end);
  });

  test('leads on to the records of a resource', async () => {
    const page = await openSchema();
    await page.getByRole('row', { name: 'products maker belongsTo makers' }).waitFor();
    await nodeOf(page, 'makers').getByRole('link', { name: 'makers', exact: true }).click();
    await page.getByRole('gridcell', { name: 'Anna' }).waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/data/makers');
  });
});

describe('very many resources', () => {
  const fields = Array.from({ length: 40 }, (_, at) => `f${at}: { type: string }`).join(', ');
  const chain = Array.from({ length: 20 }, (_, at) => {
    const key = at === 0 ? '' : `, nextId: { type: integer, reference: r${at - 1}.id }`;
    return `  r${at}: { fields: { ${fields}${key} } }`;
  });
  const open = async (hash: string): Promise<Page> =>
    opening(await servingOther(`resources:\n${chain.join('\n')}\n`), hash);

  test('begin with their keys, on a screen that can be read, and show what is searched for', async () => {
    const page = await open('#/schema');
    const box = (name: string) =>
      page.locator('article.node').filter({ has: page.getByRole('link', { name, exact: true }) });
    await box('r19').waitFor();
    await settled(page);
    expect((await box('r19').innerText()).split('\n')).toEqual([
      'r19',
      'id',
      'id',
      'nextId',
      '→ r18',
      '40 more fields',
    ]);
    const boxes = await Promise.all(
      (await page.locator('article.node').all()).map((one) => one.boundingBox()),
    );
    const lefts = boxes.map((one) => one?.x ?? 0);
    const tops = boxes.map((one) => one?.y ?? 0);
    const [width, height] = [lefts, tops].map((all) => Math.max(...all) - Math.min(...all)) as [
      number,
      number,
    ];
    expect(width / height).toBeLessThan(6);
    await page.getByLabel('Search').fill('f39');
    await box('r0').getByText('f39').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByRole('switch', { name: 'Keys only' }).press(' ');
    await box('r0').getByText('f17').waitFor();
  });

  test('fill the room that there is for the diagram', () => {
    const resources = Array.from({ length: 150 }, (_, at) => ({
      name: `r${at}`,
      fields: Array.from({ length: 8 }, (__, field) => ({ name: `f${field}`, type: 'string' })),
      relations: [],
    })) as unknown as readonly ResourceInfo[];
    for (const isBrief of [true, false]) {
      const places = [...layout(resources, isBrief).values()];
      const [width, height] = [
        Math.max(...places.map(({ x }) => x)),
        Math.max(...places.map(({ y }) => y)),
      ];
      expect(width / height).toBeGreaterThan(1.3);
      expect(width / height).toBeLessThan(3);
    }
  });

  test('are found among the sliders of the network', async () => {
    const page = await open('#/network');
    await page.getByLabel('Search').fill('r17');
    await eventually(() => page.getByRole('button', { name: 'Reset' }).count()).toBe(2);
    await page.getByRole('region', { name: 'r17' }).waitFor();
  });
});

describe('the network', () => {
  test('is changed by slider, at once', async () => {
    const api = await serving();
    const page = await opening(api, '#/network');
    expect((await api.get('/v1/makers')).status).toBe(200);
    await page.getByRole('slider', { name: 'Error rate of makers in percent' }).focus();
    await page.keyboard.press('End');
    await page.getByText('Errors: 100 % of the requests').waitFor();
    await eventually(async () => (await api.get('/v1/makers')).status).toBe(500);
    expect((await api.get('/v1/products')).status).toBe(200);
    await page
      .getByRole('region', { name: 'makers' })
      .getByRole('button', { name: 'Reset' })
      .click();
    await eventually(async () => (await api.get('/v1/makers')).status).toBe(200);
    await page.getByRole('slider', { name: 'Longest latency of All resources in ms' }).focus();
    await page.keyboard.press('ArrowRight');
    const settings = async (): Promise<unknown> =>
      (await api.get('/_dashboard/api/network')).body.overall.settings;
    await eventually(settings).toEqual({ latency: { min: 0, max: 10 } });
  });

  test('is throttled by slider, by key and by mouse, from the next request on', async () => {
    const api = await serving();
    const page = await opening(api, '#/network');
    const slider = (name: string) => page.getByRole('slider', { name, exact: true });
    const settings = async (): Promise<unknown> => {
      const { overall, resources } = (await api.get('/_dashboard/api/network')).body;
      const { settings: own } = resources.find(({ name }: { name: string }) => name === 'makers');
      return [overall.settings, own];
    };
    const own = slider('Throttling of makers');
    await own.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: 'makers' }).getByText('Throttling: 2 kB/s').waitFor();
    await eventually(() => own.getAttribute('aria-valuetext')).toBe('2 kB/s');
    await eventually(settings).toEqual([{}, { throttling: { rate: 2_000 } }]);
    await page.keyboard.press('End');
    await eventually(settings).toEqual([{}, { throttling: { rate: 10_000_000 } }]);
    await page.keyboard.press('Home');
    await eventually(settings).toEqual([{}, {}]);

    const all = slider('Throttling of All resources');
    await drag(page, all, 3_000, 0);
    await eventually(settings).toEqual([{ throttling: { rate: 10_000_000 } }, {}]);
    const overall = page.getByRole('region', { name: 'All resources' });
    await overall.getByText('Throttling: 10 MB/s').waitFor();
    await drag(page, slider('Error rate of All resources in percent'), 3_000, 0);
    await drag(page, slider('Longest latency of All resources in ms'), 3_000, 0);
    const full = { errorRate: 1, latency: { min: 0, max: 5_000 } };
    await eventually(settings).toEqual([{ throttling: { rate: 10_000_000 }, ...full }, {}]);
    await drag(page, all, -3_000, 0);
    await eventually(settings).toEqual([full, {}]);
  });
});

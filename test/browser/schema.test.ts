import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { layout } from '../../dashboard/src/schema/layout.ts';
import type { ResourceInfo } from '../../src/http/dashboard/wire-model.ts';
import { eventually, settled, violationsOn } from '../support/browser.ts';
import type { TestApi } from '../support/api.ts';
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
    await eventually(() => page.locator('.node.found').count()).toBe(1);
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
    await page.getByRole('button', { name: 'Reset layout' }).waitFor();
    // By key, the one that is in focus.
    await products.focus();
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate('location.hash')).toBe('#/schema/products');
    await settled(page);
    const between = async (): Promise<number> =>
      (await placeOf(products)).y - (await placeOf(makers)).y;
    const far = await between();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
    await eventually(between).toBeGreaterThan(far + 10);
    // The layout is remembered, until it is reset.
    await page.goto('about:blank');
    await page.goBack();
    await nodeOf(page, 'makers').waitFor();
    await page.getByRole('button', { name: 'Reset layout' }).click();
    await eventually(() => page.getByRole('button', { name: 'Reset layout' }).isDisabled()).toBe(
      true,
    );
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

  test('tells keys and cardinality at each line: of one that points to itself, and to an owner of any kind', async () => {
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
    const lines = page.locator('.relation');
    await eventually(async () =>
      (await lines.all()).length === 2
        ? Promise.all((await lines.all()).map((line) => line.locator('text').allTextContents()))
        : [],
    ).toEqual(
      expect.arrayContaining([
        ['about', 'n', '1'],
        ['motherId', 'n', '0..1'],
      ]),
    );
    // Beside the box, which would hide it.
    const animals = await placeOf(nodeOf(page, 'animals'));
    const own = lines.locator('text', { hasText: 'motherId' });
    expect((await placeOf(own)).x).toBeGreaterThanOrEqual(animals.x + animals.width);
  });

  test('leads on to the records of a resource, and is a table too', async () => {
    const page = await openSchema();
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('row', { name: 'products maker belongsTo makers' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByText('Diagram', { exact: true }).click();
    await nodeOf(page, 'makers').getByRole('link', { name: 'makers', exact: true }).click();
    await eventually(() => page.evaluate('location.hash')).toBe('#/data/makers');
  });

  test('is exported as pictures and for other tools', async () => {
    const page = await openSchema();
    const exported = async (name: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'Export' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name, exact: true }).click();
      return readFile(await (await saved).path());
    };
    const svg = String(await exported('SVG'));
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^]*>products<[^]*<\/svg>$/u,
    );
    expect([...(await exported('PNG')).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(String(await exported('Mermaid'))).toContain('"products" }o--o| "makers" : "makerId"');
    const dbml = String(await exported('DBML'));
    expect(dbml).toContain(
      'Table "products" {\n  "id" id [pk]\n  "name" string [unique, not null]',
    );
    expect(dbml).toContain('Ref: "products"."makerId" > "makers"."id"');
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
      const places = [...layout(resources, [], isBrief).values()];
      const [width, height] = [
        Math.max(...places.map(({ x }) => x)),
        Math.max(...places.map(({ y }) => y)),
      ];
      expect(width / height).toBeGreaterThan(1.3);
      expect(width / height).toBeLessThan(3);
    }
  });

  const many = Array.from({ length: 100 }, (_, at) => {
    const key = at < 10 ? '' : `, upId: { type: integer, reference: t${at % 10}.id }`;
    return `  t${at}: { fields: { name: { type: string }${key} } }`;
  });

  test('one among a hundred is found, with its neighbours; the others are faded', async () => {
    const page = await opening(await servingOther(`resources:\n${many.join('\n')}\n`), '#/schema');
    await page.getByText('100 resources, 90 relations').waitFor();
    await page.getByLabel('Search').last().fill('t42');
    await page.getByText('1 resource found').waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate('location.hash')).toBe('#/schema/t42?text=t42');
    await page.getByText('t42 and 1 neighbour').waitFor();
    const node = (name: string) =>
      page.locator('article.node', { has: page.getByRole('link', { name, exact: true }) });
    await eventually(() => node('t42').getAttribute('class')).toContain('focused');
    expect(await node('t2').getAttribute('class')).not.toContain('faded');
    await page.locator('article.node.faded').first().waitFor({ state: 'attached' });
    await page.locator('.relation.focused text', { hasText: 'upId' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // Opened by its URL it is in view as well, as large as it is drawn.
    await page.reload();
    await eventually(async () => (await node('t42').boundingBox())?.width).toBeGreaterThan(200);
    await page.getByRole('button', { name: /^Only t42/u }).click();
    await eventually(() => page.locator('article.node.faded').count()).toBe(0);
  });

  test('begin with one that can be read on a narrow screen; all others are reached by key', async () => {
    const api = await servingOther(`resources:\n${many.join('\n')}\n`);
    const page = await opening(api, '#/schema', { width: 390, height: 844 });
    const box = (name: string) =>
      page.locator('article.node', { has: page.getByRole('link', { name, exact: true }) });
    /** The height of the letters of a name, which is 13 px in a box of 230 px; 0: it is not on the screen. */
    const heightOnScreen = async (name: string): Promise<number> => {
      const [place] = await Promise.all((await box(name).all()).map((one) => one.boundingBox()));
      if (place === null || place === undefined) return 0;
      const { x, y, width } = place;
      return x < 0 || y < 0 || x + width > 390 || y > 800
        ? 0
        : Math.round((1_300 * width) / 230) / 100;
    };
    await eventually(() => heightOnScreen('t0')).toBeGreaterThanOrEqual(12);
    await page.getByLabel('Search').last().fill('t4');
    await eventually(() => heightOnScreen('t4')).toBeGreaterThanOrEqual(12);
    await page.getByLabel('Search').last().fill('t42');
    await page.keyboard.press('Enter');
    await page.getByText('t42 and 1 neighbour').waitFor();
    await eventually(() => heightOnScreen('t42')).toBeGreaterThanOrEqual(12);
    const place = async (): Promise<number> => Math.round((await box('t42').boundingBox())?.x ?? 0);
    const before = await place();
    const focused = (): Promise<unknown> =>
      page.evaluate('document.activeElement.getAttribute("aria-label")');
    for (let tabs = 0; tabs < 12; tabs += 1) {
      if (String(await focused()).startsWith('Diagram:')) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('ArrowLeft');
    await eventually(place).toBe(before + 80);
    await page.keyboard.press('ArrowRight');
    await eventually(place).toBe(before);
    await page.keyboard.press('-');
    await eventually(() => heightOnScreen('t42')).toBeLessThan(12);
    await page.keyboard.press('+');
    await eventually(() => heightOnScreen('t42')).toBeGreaterThanOrEqual(12);
    expect(await violationsOn(page)).toEqual([]);
  });
});

describe('the network', () => {
  const settingsOf = async (api: TestApi): Promise<unknown> => {
    const { overall, resources } = (await api.get('/_dashboard/api/network')).body;
    const { settings: own } = resources.find(({ name }: { name: string }) => name === 'makers');
    return [overall.settings, own];
  };
  const badge = (page: Page) => page.locator('.network-badge').last();

  test('is changed by number, for one resource alone; every view says so', async () => {
    const api = await serving();
    const page = await opening(api, '#/network');
    const lines = page.getByRole('navigation', { name: 'Resources of the network' });
    await lines.getByRole('link', { name: 'makers' }).click();
    const form = page.getByRole('region', { name: 'makers' });
    const set = async (name: string, value: string): Promise<void> => {
      await form.getByLabel(name, { exact: true }).fill(value);
      await page.keyboard.press('Enter');
    };
    await set('Longest latency in ms', '80');
    await set('Error rate in percent', '100');
    await set('Status of errors', '418');
    await eventually(() => settingsOf(api)).toEqual([
      {},
      { latency: { min: 0, max: 80 }, errorRate: 1, errors: [{ status: 418, weight: 1 }] },
    ]);
    expect((await api.get('/v1/makers')).status).toBe(418);
    expect((await api.get('/v1/products')).status).toBe(200);
    await eventually(() => page.getByRole('textbox', { name: 'YAML' }).textContent()).toContain(
      'errors: [{ status: 418 }]',
    );
    expect(await violationsOn(page)).toEqual([]);
    for (const view of ['requests', 'schema', 'overview', 'data/products']) {
      await page.goto(`${api.url}/_dashboard#/${view}`);
      await badge(page).getByText('makers: 0–80 ms, 100 % errors 418').waitFor();
    }
    await badge(page).click();
    await form.getByRole('button', { name: 'Reset' }).click();
    await badge(page).waitFor({ state: 'detached' });
    expect((await api.get('/v1/makers')).status).toBe(200);
  });

  test('has presets for all resources', async () => {
    const api = await serving();
    const page = await opening(api, '#/network', { width: 390, height: 844, colorScheme: 'dark' });
    const preset = (name: string) => page.getByRole('button', { name, exact: true });
    await preset('Offline').click();
    await eventually(async () => (await api.get('/v1/products')).status).toBe(503);
    await eventually(() => preset('Offline').getAttribute('aria-pressed')).toBe('true');
    expect(await violationsOn(page)).toEqual([]);
    await preset('Slow 3G').click();
    const slow = { latency: { min: 2_000, max: 2_000 }, throttling: { rate: 50_000 } };
    await eventually(() => settingsOf(api)).toMatchObject([slow, slow]);
    await preset('Flaky').click();
    const flaky = { latency: { min: 100, max: 1_500 }, errorRate: 0.2 };
    await eventually(() => settingsOf(api)).toMatchObject([flaky, flaky]);
    await preset('Fast').click();
    await eventually(async () => (await api.get('/v1/products')).status).toBe(200);
  });

  test('is changed by slider, by key and by pointer', async () => {
    const api = await serving();
    const page = await opening(api, '#/network/makers');
    const slider = (name: string) => page.getByRole('slider', { name });
    const own = slider('Throttling of makers');
    await own.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await eventually(() => settingsOf(api)).toEqual([{}, { throttling: { rate: 2_000 } }]);
    await page.keyboard.press('End');
    await eventually(() => settingsOf(api)).toEqual([{}, { throttling: { rate: 10_000_000 } }]);
    await page.keyboard.press('Home');
    await eventually(() => settingsOf(api)).toEqual([{}, {}]);
    await page.getByRole('link', { name: 'All resources' }).click();
    const all = slider('Error rate of All resources in percent');
    await drag(page, all, 3_000, 0);
    await eventually(() => settingsOf(api)).toEqual([{ errorRate: 1 }, {}]);
    await drag(page, slider('Longest latency of All resources in ms'), 3_000, 0);
    const full = { errorRate: 1, latency: { min: 0, max: 5_000 } };
    await eventually(() => settingsOf(api)).toEqual([full, {}]);
  });
});

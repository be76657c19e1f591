import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { colourWalk, complaintsOf, usePages } from '../support/browser.ts';
import { makeFolder, root, servePlinth, type Serving } from '../support/command.ts';
import { openRecord, panelOf, writeUrl } from '../support/data-page.ts';

/** Where the pictures go, by name and colours; CONTRIBUTING.md says how those of the guide are taken from here. */
const pictures = join(root, 'screenshots');

const openPage = usePages();
let server: Serving;
let origin = '';
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  const folder = makeFolder();
  cpSync(join(root, 'examples/chinook'), folder.at('chinook'), {
    recursive: true,
    filter: (path) => !path.endsWith('.plinth'),
  });
  server = await servePlinth(['dev', 'chinook/plinth.yaml'], { cwd: folder.path });
  ({ origin } = new URL(server.url));
});

const nested = 'album.title_ilike=zeppelin&milliseconds_gt=300000';
const list = `/v1/tracks?${nested}&sort=-milliseconds&expand=album.artist,genre`;

async function ask(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { status } = await fetch(`${origin}${path}`, { headers });
  return status;
}

/** What a front end asks for while it is developed, some of it wrong, and some of it slow. */
async function traffic(): Promise<void> {
  for (let turn = 1; turn <= 12; turn += 1) {
    await ask(`/v1/albums?page=${turn}&limit=10&expand=artist`);
    await ask(`/v1/tracks/${turn}?expand=album,genre`);
    await ask(`/v1/invoices?customerId=${turn}&sort=-invoiceDate`);
    await ask(`/v1/customers?country=${encodeURIComponent('Brazil')}&limit=${turn}`);
  }
  await ask('/v1/artists/99999');
  await ask('/v1/tracks?price_gt=1');
  await ask('/v1/playlists', { 'x-simulate': 'latency=120' });
  await ask('/v1/genres', { 'x-simulate': 'error=503' });
  await fetch(`${origin}/v1/invoices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customerId: 1, invoiceDate: '2026-03-01T12:00:00Z', total: '-1.00' }),
  });
  // The first search of a server starts a process, which others do not: the second one is shown.
  await ask(list);
  await ask(list);
}

const pressOn = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const tab = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('tab', { name }).click();

/** What a page can show, each reached from the one before it, and what it is like to be there. */
const states: readonly (readonly [name: string, reach: (page: Page) => Promise<void>])[] = [
  [
    'data',
    async (page) => {
      await page.getByRole('gridcell', { name: 'AC/DC', exact: true }).waitFor();
    },
  ],
  [
    'overview',
    async (page) => {
      await page.goto(`${origin}/_dashboard#/overview`);
      await page.getByRole('cell', { name: '3,503' }).waitFor();
      await page.getByText(/\d ms\/s$/u).waitFor();
    },
  ],
  [
    'menu of views',
    async (page) => {
      const menu = page.getByRole('button', { name: 'Menu', exact: true });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole('link', { name: 'Requests', exact: true }).hover();
    },
  ],
  ['palette', (page) => page.keyboard.press('Control+k')],
  [
    'palette searched',
    async (page) => {
      await page.getByRole('textbox', { name: 'Go to' }).fill('tra');
      await page.getByText('tracks', { exact: true }).last().waitFor();
    },
  ],
  ['palette without a find', (page) => page.getByRole('textbox', { name: 'Go to' }).fill('zzz')],
  [
    'requests',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.goto(`${origin}/_dashboard#/requests`);
      await page
        .getByRole('link', { name: /album\.title_ilike/u })
        .first()
        .waitFor();
    },
  ],
  [
    'requests, menu of filters',
    async (page) => {
      await pressOn(page, 'Filter');
      await page.getByRole('combobox', { name: 'Column' }).waitFor();
    },
  ],
  [
    'requests that were slow',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Slow' }).press(' ');
      await page
        .getByRole('link', { name: /playlists/u })
        .first()
        .waitFor();
    },
  ],
  [
    'requests, none that fits',
    async (page) => {
      await page.getByLabel('Search').fill('nothing like it');
      await page.getByText('No request fits').waitFor();
    },
  ],
  [
    'request',
    async (page) => {
      await pressOn(page, 'Clear the filter');
      await page
        .getByRole('link', { name: /album\.title_ilike/u })
        .first()
        .click();
      await page.getByText('"How Many More Times"').waitFor();
    },
  ],
  [
    'request, trace',
    async (page) => {
      await tab(page, 'Trace');
      await page.getByRole('table', { name: 'Trace' }).getByText('fetch_tracks').waitFor();
    },
  ],
  [
    'request, SQL and plan',
    async (page) => {
      await tab(page, /^SQL/u);
      await pressOn(page, 'Explain');
      await page.getByText('Plan of statement 1').waitFor();
    },
  ],
  ['request, what was sent', (page) => tab(page, 'Request')],
  ['request, to be changed', (page) => pressOn(page, 'Edit and resend')],
  [
    'request, changed and sent',
    async (page) => {
      await pressOn(page, 'Send');
      await page
        .getByRole('region', { name: 'Its response' })
        .getByText(/^200 in [\d.,]+ ms/u)
        .waitFor();
    },
  ],
  [
    'request, compared',
    async (page) => {
      await page.getByRole('link', { name: 'compare it with the first' }).click();
      await page.getByRole('heading', { name: 'Response body' }).waitFor();
    },
  ],
  [
    'request, a write to be sent again',
    async (page) => {
      await page.goto(`${origin}/_dashboard#/requests?method=POST&path=invoices`);
      await page.getByRole('link', { name: '/v1/invoices' }).first().click();
      await page.getByRole('heading', { name: 'POST /v1/invoices' }).waitFor();
      await pressOn(page, 'Replay');
      await page.getByText('It may change records once more.').waitFor();
    },
  ],
  [
    'data of tracks',
    async (page) => {
      await pressOn(page, 'Leave it');
      await page.goto(`${origin}/_dashboard#/data/tracks?${list.split('?')[1]}`);
      await page.getByRole('gridcell', { name: 'How Many More Times', exact: true }).waitFor();
    },
  ],
  [
    'data, a filter',
    async (page) => {
      await page.getByRole('button', { name: /^filter 1/u }).click();
      await page.getByRole('combobox', { name: 'Field of filter 1' }).click();
    },
  ],
  [
    'data, expansions and their order',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await writeUrl(
        page,
        '/v1/artists?_or=name_ilike:zep,albums.title_in:"Rock, Live"&nulls=last&expand=albums.tracks&albums.sort=-title&albums.tracks.limit=2',
      );
      await page.getByRole('button', { name: /^Expand/u }).click();
      await page.getByRole('group', { name: 'Order of albums.tracks' }).waitFor();
    },
  ],
  [
    'data, JSON',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByText('JSON', { exact: true }).click();
      await page.locator('pre', { hasText: '"Led Zeppelin"' }).waitFor();
      await page.getByText('Grid', { exact: true }).click();
    },
  ],
  [
    'data, refused',
    async (page) => {
      await writeUrl(page, '/v1/tracks?milliseconds_gt=long');
      await page.getByRole('alert').getByText('milliseconds_gt').waitFor();
    },
  ],
  [
    'data, no record fits',
    async (page) => {
      await writeUrl(page, '/v1/tracks?milliseconds_gt=999999999');
      await page.getByText('No record fits.').waitFor();
    },
  ],
  [
    'data, rows selected',
    async (page) => {
      await writeUrl(page, '/v1/invoices?sort=-total');
      await page.getByRole('link', { name: 'Helena Holý' }).first().waitFor();
      for (const row of [1, 2, 4])
        await page.getByRole('row').nth(row).getByRole('checkbox').click();
      await page.getByText('3 records selected').waitFor();
    },
  ],
  [
    'data, a summary',
    async (page) => {
      await writeUrl(
        page,
        '/v1/invoices?group=billingCountry&aggregate=count,sum:total&sort=-count',
      );
      await page.getByRole('figure').getByText('USA').waitFor();
    },
  ],
  [
    'record, new and refused',
    async (page) => {
      await page.goto(`${origin}/_dashboard#/data/tracks`);
      await page.getByRole('gridcell', { name: 'Balls to the Wall', exact: true }).waitFor();
      await pressOn(page, 'New record');
      await panelOf(page).locator('[id="field-milliseconds"]').fill('-1');
      await pressOn(page, 'Create');
      await panelOf(page).getByRole('alert').first().waitFor();
    },
  ],
  [
    'record',
    async (page) => {
      await panelOf(page).getByRole('button', { name: 'Close' }).click();
      await pressOn(page, 'Throw it away');
      await page.goto(`${origin}/_dashboard#/data/playlists?id=18`);
      await openRecord(page, 18);
      await panelOf(page).getByText('597').first().waitFor();
    },
  ],
  [
    'record, a link to be added',
    async (page) => {
      await pressOn(page, 'Add a link to tracks');
      await panelOf(page).locator('[id="field-tracks.add[0]"]').fill('dazed');
      await page.getByRole('option').first().waitFor();
    },
  ],
  [
    'record, to be deleted',
    async (page) => {
      await page.keyboard.press('Tab');
      await panelOf(page).getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('Delete playlists 18?').waitFor();
    },
  ],
  [
    'schema',
    async (page) => {
      await panelOf(page).getByRole('button', { name: 'Close' }).click();
      await pressOn(page, 'Throw it away');
      await page.goto(`${origin}/_dashboard#/schema`);
      await page.locator('.node').getByRole('link').first().waitFor();
    },
  ],
  [
    'schema, searched',
    async (page) => {
      await page.getByLabel('Search').fill('playlist');
      await page.locator('.node.found').first().waitFor();
    },
  ],
  [
    'schema, one in focus',
    async (page) => {
      await page.keyboard.press('Enter');
      await page.getByText('playlists and 1 neighbour').waitFor();
    },
  ],
  [
    'network',
    async (page) => {
      await page.goto(`${origin}/_dashboard#/network/tracks`);
      await page.getByRole('button', { name: 'Flaky' }).click();
      await page.getByText('changed here').waitFor();
    },
  ],
  [
    'nothing here',
    async (page) => {
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByText('changed here').waitFor({ state: 'detached' });
      await page.goto(`${origin}/_dashboard#/nowhere`);
      await page.getByText('There is nothing here').waitFor();
    },
  ],
];

/** Colours are the same on a narrow screen. */
const screens = [
  { prefix: '', width: 1280, height: 900, schemes: ['light', 'dark'] },
  { prefix: 'narrow ', width: 375, height: 812, schemes: ['light'] },
] as const;

describe('every view, panel and menu', () => {
  test.each(screens)(
    'is usable by all, and has its picture taken: $width wide',
    async ({ prefix, width, height, schemes }) => {
      const page = await openPage(`${origin}/_dashboard`, { width, height });
      const complaints = complaintsOf(page);
      await page.getByRole('heading', { level: 1, name: 'artists' }).waitFor();
      await traffic();
      const look = colourWalk(page, schemes);
      for (const [name, reach] of states) {
        await reach(page).catch((error: unknown) => {
          throw new Error(`${name}: ${String(error)}`, { cause: error });
        });
        await look(name, (colorScheme) => {
          const file = `${prefix}${name} ${colorScheme}.png`.replaceAll(/[^a-z.]+/giu, '-');
          return page.screenshot({ path: join(pictures, file), animations: 'disabled' });
        });
        const widths = 'document.documentElement.scrollWidth';
        expect.soft(await page.evaluate(widths), `${name} is as wide as the screen`).toBe(width);
      }
      // The browser tells of each answer that reports an error.
      expect(complaints.filter((line) => !/status of (?:400|422)/u.test(line))).toEqual([]);
    },
    900_000,
  );
});

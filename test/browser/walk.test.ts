import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complaintsOf, eventually, usePages } from '../support/browser.ts';
import { makeFolder, root, servePlinth, type Serving } from '../support/command.ts';
import { cellOf, columnsOn, openRecord, panelOf, urlIs, writeUrl } from '../support/data-page.ts';
import { hashOf } from '../support/tokens.ts';

/** Relations of every kind, links that carry something, and rows and fields that the caller may not see. */
const gallery = `name: Gallery
auth:
  apiKeys:
    - { name: ada, hash: "${hashOf('ada-key')}", roles: [editor] }
    - { name: root, hash: "${hashOf('root-key')}", roles: [admin] }
dashboard: { roles: [editor] }
debug: { roles: [editor] }
rateLimit: false
server: { bodyLimit: 4MB }
resources:
  rooms:
    fields:
      name: { type: string, required: true }
      works: { type: relation, relation: hasMany, resource: works }
  works:
    access:
      read: [{ role: editor, where: "state=open" }, { role: admin }]
      delete: [editor]
    fields:
      title: { type: string, required: true, minLength: 2 }
      about: { type: text }
      link: { type: string }
      state: { type: enum, values: [open, closed], default: open }
      worth: { type: integer, access: { read: [admin], write: [admin] } }
      roomId: { type: integer, reference: rooms.id }
      room: { type: relation, relation: belongsTo, resource: rooms }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: work-tags, withPivot: [rank] }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: work }
  tags:
    fields:
      name: { type: string, required: true }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: tag }
  work-tags:
    fields:
      workId: { type: integer, required: true, reference: works.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer, minimum: 0 }
  notes:
    fields:
      text: { type: string, required: true }
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`;

interface World {
  readonly name: string;
  readonly serve: () => Promise<Serving>;
  readonly key?: string;
  /** A list with a filter on related records and an expansion, as the form makes it. */
  readonly nested: {
    readonly resource: string;
    readonly path: string;
    readonly value: string;
    readonly expand: string;
  };
  /** A record that is refused, mended, saved, followed along a relation, and deleted. */
  readonly record: {
    readonly resource: string;
    readonly field: string;
    readonly wrong: string;
    readonly right: string;
    readonly key: string;
    readonly search: string;
    readonly relation: string;
    readonly follows: string;
  };
}

const worlds: readonly World[] = [
  {
    name: 'Chinook',
    serve: () => {
      const folder = makeFolder();
      const filter = (path: string): boolean => !path.endsWith('.plinth');
      cpSync(join(root, 'examples/chinook'), folder.at('chinook'), { recursive: true, filter });
      return servePlinth(['dev', 'chinook/plinth.yaml'], { cwd: folder.path });
    },
    nested: { resource: 'tracks', path: 'album.title', value: 'zeppelin', expand: 'album' },
    record: {
      resource: 'albums',
      field: 'title',
      wrong: 'x'.repeat(161),
      right: 'Walk',
      key: 'artistId',
      search: 'zeppelin',
      relation: 'artist',
      follows: 'Led Zeppelin',
    },
  },
  {
    name: 'a gallery with pivots, morphs and rules',
    serve: async () => {
      const folder = makeFolder({ 'plinth.yaml': gallery });
      const server = await servePlinth(['dev', '--no-generate'], { cwd: folder.path });
      const send = async (path: string, body: object): Promise<void> => {
        const headers = { authorization: 'Bearer root-key', 'content-type': 'application/json' };
        const sent = { method: 'POST', headers, body: JSON.stringify(body) };
        const { status } = await fetch(`${new URL(server.url).origin}/v1/${path}`, sent);
        expect(status, path).toBe(201);
      };
      await send('rooms', { name: 'North' });
      for (const name of ['oil', 'ink']) await send('tags', { name });
      const hung = { roomId: 1, tags: [{ id: 1, pivot: { rank: 7 } }] };
      await send('works', { title: 'Harbour', worth: 900, ...hung });
      await send('works', { title: 'Locked away', state: 'closed', ...hung });
      await send('works', { title: 'Forest', tags: [2] });
      await send('notes', { text: 'Seen from the pier', aboutType: 'work', aboutId: 1 });
      return server;
    },
    key: 'ada-key',
    nested: { resource: 'works', path: 'tags.name', value: 'oil', expand: 'notes' },
    record: {
      resource: 'works',
      field: 'title',
      wrong: 'x',
      right: 'Walk',
      key: 'roomId',
      search: 'nor',
      relation: 'room',
      follows: 'North',
    },
  },
];

const openPage = usePages();

describe.each(worlds)('$name', ({ serve, key, nested, record }) => {
  let server: Serving;
  let origin = '';
  const credential: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  beforeAll(async () => {
    server = await serve();
    ({ origin } = new URL(server.url));
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
  });
  const send = (path: string, sent: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, {
      ...sent,
      headers: { ...credential, ...(sent.headers as Record<string, string>) },
    });
  const opening = async (hash: string): Promise<Page> => {
    const page = await openPage(`${origin}/_dashboard${hash}`);
    if (key !== undefined) {
      await page.getByLabel('Token or API key').first().fill(key);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
    }
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
    return page;
  };
  const field = (page: Page, name: string) => panelOf(page).locator(`[id="field-${name}"]`);
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const choose = async (page: Page, input: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: input }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  test('a slow request is found, and its SQL and plan are read', async () => {
    const page = await opening('#/requests');
    const path = `/v1/${nested.resource}?expand=${nested.expand}&limit=3`;
    await send(path.replace('limit=3', 'limit=2'));
    await send(path, { headers: { 'x-simulate': 'latency=1500' } });
    await page.getByRole('columnheader', { name: 'Duration' }).getByRole('button').click();
    const list = page.getByRole('grid', { name: 'Requests' });
    await list.getByRole('link').first().getByText('limit=3').waitFor();
    await page.getByRole('checkbox', { name: 'Slow' }).press(' ');
    const row = list.getByRole('link', { name: /limit=3/u });
    await row.waitFor();
    await page.getByLabel('Search').fill(`${nested.resource} 200`);
    await row.click();
    await page.getByRole('tab', { name: 'Trace' }).click();
    const trace = page.getByRole('table', { name: 'Trace' });
    await trace.getByText(`fetch_${nested.resource}`).waitFor();
    await trace.getByText('network', { exact: true }).waitFor();
    await page.getByRole('tab', { name: /^SQL/u }).click();
    await page
      .getByText(new RegExp(`FROM "${nested.resource}" AS t`, 'u'))
      .first()
      .waitFor();
    await press(page, 'Explain');
    await page.getByText('Plan of statement 1').waitFor();
    await page
      .getByText(/(?:SCAN|SEARCH) t/u)
      .first()
      .waitFor();
  });

  test('a filter on related records, with an expansion, is the same by form and by hand', async () => {
    const page = await opening(`#/data/${nested.resource}`);
    await press(page, 'Add filter');
    const [relation = '', leaf = ''] = nested.path.split('.');
    await choose(page, 'Field of the filter', relation);
    await choose(page, `Field of ${relation} in the filter`, leaf);
    await choose(page, 'Operator of the filter', 'contains, case-insensitive');
    await page.getByRole('textbox', { name: 'Value of the filter' }).fill(nested.value);
    await page.keyboard.press('Enter');
    await press(page, 'Expand');
    await choose(page, 'Expand', nested.expand);
    const url = `/v1/${nested.resource}?${nested.path}_ilike=${nested.value}&expand=${nested.expand}`;
    await urlIs(page, url);
    const answer = await send(url);
    const total = Number(answer.headers.get('x-total-count'));
    expect(total).toBeGreaterThan(0);
    await page
      .getByText(`${total.toLocaleString('en')} ${total === 1 ? 'record' : 'records'},`)
      .waitFor();
    const [first] = (await answer.json()) as readonly Readonly<Record<string, unknown>>[];
    expect(first).toHaveProperty(nested.expand);
    await eventually(() => columnsOn(page)).toEqual(Object.keys(first ?? {}));

    const other = await opening(`#/data/${nested.resource}`);
    await writeUrl(other, url);
    await eventually(() => columnsOn(other)).toEqual(Object.keys(first ?? {}));
    await other.getByRole('button', { name: /^filter 1/u }).click();
    const stepOf = (name: string) => other.getByRole('combobox', { name });
    expect(await stepOf('Field of filter 1').inputValue()).toBe(relation);
    expect(await stepOf(`Field of ${relation} in filter 1`).inputValue()).toBe(leaf);
    const value = other.getByRole('textbox', { name: 'Value of filter 1' });
    expect(await value.inputValue()).toBe(nested.value);
  });

  test('a record is refused, mended, saved, followed along a relation, and deleted', async () => {
    const { resource, right } = record;
    const page = await opening(`#/data/${resource}`);
    await press(page, 'New record');
    await field(page, record.field).fill(record.wrong);
    await field(page, record.key).fill(record.search);
    await page.getByRole('option', { name: record.follows }).click();
    await press(page, 'Create');
    const refused = field(page, record.field);
    await eventually(() => refused.getAttribute('aria-invalid')).toBe('true');
    // In the words of the server.
    const answer = await send(`/v1/${resource}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [record.field]: record.wrong, [record.key]: 1 }),
    });
    const { errors } = (await answer.json()) as {
      errors: readonly { readonly message: string }[];
    };
    await panelOf(page)
      .getByText(errors[0]?.message ?? '?')
      .waitFor();
    await field(page, record.field).fill(right);
    await press(page, 'Create');
    await panelOf(page).waitFor({ state: 'detached' });
    const stored = async (): Promise<readonly { readonly id: number }[]> =>
      (await (await send(`/v1/${resource}?${record.field}=${right}`)).json()) as [];
    const [made] = await stored();
    expect(made).toBeDefined();

    await writeUrl(page, `/v1/${resource}?id=${made?.id}`);
    await page.getByRole('link', { name: record.follows, exact: true }).first().waitFor();
    await openRecord(page, made?.id ?? 0);
    await page.getByRole('link', { name: record.follows, exact: true }).first().click();
    await cellOf(page, record.follows).waitFor();
    // Back at the record, as it was left.
    await page.goBack();
    await page.getByRole('complementary', { name: `${resource} ${made?.id}` }).waitFor();
    await press(page, 'Delete');
    await press(page, 'Delete it');
    await page.getByText('No record fits.').waitFor();
    expect(await stored()).toEqual([]);
  });

  test('a latency that is set by slider shows in the next trace', async () => {
    const { resource } = nested;
    const page = await opening('#/network');
    await page
      .getByRole('navigation', { name: 'Resources of the network' })
      .getByRole('link', { name: resource, exact: true })
      .click();
    const region = page.getByRole('region', { name: resource, exact: true });
    for (const which of ['Longest', 'Shortest']) {
      await region.getByRole('slider', { name: new RegExp(which, 'u') }).focus();
      for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
    }
    const settings = async (): Promise<string> => (await send('/_dashboard/api/network')).text();
    await eventually(settings).toContain('"latency":{"min":120,"max":120}');
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await send(`/v1/${resource}?limit=4`);
    await page.getByRole('link', { name: `/v1/${resource}?limit=4`, exact: true }).click();
    await page.getByRole('tab', { name: 'Trace' }).click();
    const step = page.getByRole('row', { name: /^network/u });
    await step.waitFor();
    const [, , time] = await step.getByRole('cell').allTextContents();
    expect(Number(time?.replaceAll(',', ''))).toBeGreaterThanOrEqual(115);
    await page.locator('.network-badge').last().click();
    await region.getByRole('button', { name: 'Reset' }).click();
    await region.getByText('as all resources').waitFor();
  });

  test.runIf(key !== undefined)('what the caller may not see is nowhere', async () => {
    const page = await opening('#/data/works?expand=tags,notes');
    await cellOf(page, 'Harbour').waitFor();
    await page.getByText('2 records,').waitFor();
    await cellOf(page, /rank 7/u).waitFor();
    await cellOf(page, /Seen from the pier/u).waitFor();
    await eventually(() => page.getByText('Locked away').count()).toBe(0);
    await openRecord(page, 1);
    await field(page, 'title').waitFor();
    await eventually(() => field(page, 'worth').count()).toBe(0);
    await page.getByRole('tab', { name: 'Related' }).click();
    await page.getByRole('link', { name: 'All of notes' }).click();
    await cellOf(page, 'Seen from the pier').waitFor();
    await page.goto(`${origin}/_dashboard#/data/works`);
    await cellOf(page, 'Harbour').waitFor();
    await press(page, 'Add filter');
    await page.getByRole('combobox', { name: 'Field of the filter' }).click();
    await page.getByRole('option', { name: 'title', exact: true }).waitFor();
    await eventually(() => page.getByRole('option', { name: 'worth' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Schema', exact: true }).click();
    await page.locator('.node').getByRole('link', { name: 'works' }).waitFor();
    await eventually(() => page.locator('.node').getByText('worth').count()).toBe(0);
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('cell', { name: 'morphTo' }).waitFor();
  });

  test.runIf(key !== undefined)('what is hostile, or very long, is shown as text', async () => {
    const values = {
      title: '<script>globalThis.ran=1</script><img src=x onerror="globalThis.ran=1">',
      link: 'javascript:globalThis.ran=1',
      about: `left \u202Eright\u2066${'long '.repeat(200_000)}`,
    };
    const page = await opening('#/requests');
    const complaints = complaintsOf(page);
    const made = await send('/v1/works?%3Cscript%3E', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-odd': values.title },
      body: JSON.stringify(values),
    });
    expect(made.status).toBe(400);
    const right = await send('/v1/works', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-odd': values.title },
      body: JSON.stringify(values),
    });
    expect(right.status).toBe(201);
    const { id } = (await right.json()) as { id: number };
    await page.locator(`a[href*="${right.headers.get('x-request-id')}"]`).click();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByRole('cell', { name: values.title }).waitFor();
    await page.goto(`${origin}/_dashboard#/data/works?id=${id}`);
    await cellOf(page, values.title).waitFor();
    const [link, about] = [cellOf(page, values.link), cellOf(page, /^left/u)];
    await link.waitFor();
    await eventually(() => link.getByRole('link').count()).toBe(0);
    const text = await about.textContent();
    expect(text).toContain(String.raw`left \u202eright\u2066long`);
    expect(text?.length).toBeLessThan(400);
    await page.getByText('JSON', { exact: true }).click();
    await page.getByText(String.raw`left \u202eright\u2066long`).waitFor();
    await page.getByText('Grid', { exact: true }).click();
    await openRecord(page, id);
    await eventually(() => field(page, 'about').inputValue()).toBe(values.about);
    await field(page, 'state').click();
    await page.getByRole('option', { name: 'closed', exact: true }).click();
    await press(page, 'Save');
    // Which hides it from who has saved it.
    await page.getByText('No record fits.').waitFor();
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});

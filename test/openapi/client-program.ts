/** A program over the client of the specification `everything`: what compiles, what does not, and what it prints. */
export const everythingProgram = `
import { createClient, etagOf, PlinthError, type Thing } from './client.ts';

const baseUrl = process.argv[2] ?? '';
const api = createClient({ baseUrl });
const told: unknown[] = [];

const owner = await api.owners.create({ name: 'Ann' });
const tags = await api.tags.createMany([{ name: 'red' }, { name: 'blue' }]);
const [red, blue] = tags;
if (red === undefined || blue === undefined) throw new Error('two were created');
const thing = await api.things.create({
  name: 'a thing', on: true, price: '9.90', level: 'high', words: ['x', 'y'], ownerId: owner.id,
  specs: { weight: 1.5, size: { width: 3 } }, extra: { a: [1] }, secret: 's',
  tags: [{ id: red.id, pivot: { position: 1 } }],
});
await api.things.create({ name: 'with "marks", and: colons', on: false, price: 20, parentId: thing.id }).catch((error: unknown) => {
  if (!(error instanceof PlinthError)) throw error;
  // The union is told apart by its code.
  if (error.body.code === 'INVALID_VALUE') told.push(['refused', error.body.errors?.map(({ field }) => field)]);
});
for (const body of [{ name: 'with "marks", and: colons', on: true, price: 'dear' }, { name: 'x', on: null, nme: 1 }])
  // @ts-expect-error -- a field is unknown, and one may not be null
  await api.things.create(body).catch((error: unknown) => told.push(['by field', error instanceof PlinthError && error.errors, error instanceof PlinthError && error.problems.map(({ field, rule, params }) => [field, rule, params])]));
const second = await api.things.create({ name: 'other thing', on: false, price: 20, parentId: thing.id });
await api.notes.create({ text: 'of a thing, "quoted": yes', aboutType: 'things', aboutId: String(thing.id) });
await api.notes.create({ text: 'of an owner', aboutType: 'owners', aboutId: owner.id });
// Things count, owners have a text: behind a morphTo it may be either.
await api.notes.list({ where: { 'about.id': owner.id } });
await api.notes.list({ where: { 'about.id': thing.id } });

// Filters, sorts and pages.
const cheap = await api.things.list({
  where: { price_lt: '10', level_in: ['high', 'low'], 'specs.weight_gte': 1, 'owner.name': 'Ann', 'tags.pivot.position': 1, words_contains: 'x', owner_exists: true, limit_null: true },
  sort: ['-price', 'owner.name'], nulls: 'last',
});
told.push(['filtered', cheap.data.map(({ id }) => id), cheap.total, cheap.page, cheap.totalPages]);
const inJson = await api.things.list({ where: { 'extra.a_exists': true }, or: [{ 'extra.b_in': [1, 'x'], 'extra.b.c': true, name: 'a thing' }] });
told.push(['in JSON', inJson.data.map(({ name }) => name)]);
const absent: string | undefined = undefined;
const deep = await api.things.list({ where: { 'parent.owner.name': 'Ann', 'parent.owner.notes.text_like': 'of an', name_ilike: absent, price_gt: absent }, sort: absent, page: absent });
told.push(['deep', deep.data.map(({ id }) => id)]);
const totals = await api.things.aggregate({
  group: ['level', 'owner.name'], sum: ['price'], avg: ['price'], max: ['name'], countDistinct: ['ownerId'],
  where: { price_exists: true }, having: { count_gte: 1, 'sum.price_in': ['9.90', '20.00'], 'max.name_neq': 'a,b' }, sort: ['-sum.price', 'level'], limit: 5,
});
for (const { group: of, count, sum, avg, max, countDistinct } of totals.data) {
  const level: 'high' | 'low' | null = of.level;
  const exact: string | null = sum.price;
  const most: string | null = max.name;
  const each: number = countDistinct.ownerId;
  told.push(['totals', level, of['owner.name'], count, exact, avg.price, most, each]);
}
const [counted] = (await api.things.aggregate()).data;
told.push(['counted', counted?.count]);
// @ts-expect-error -- there is no such field, texts have no sum, and what was not asked for is not there
told.push(['not there', await api.things.aggregate({ group: ['nmae'], sum: ['name'] }).catch((error: unknown) => error instanceof PlinthError && error.errors), counted?.sum]);
told.push(['union', (await api.things.list({ where: { id: [thing.id, second.id] } })).data.length]);
told.push(['or', (await api.notes.list({ or: [{ text: 'of a thing, "quoted": yes', text_in: ['of an owner', 'a,b'] }], sort: ['id'] })).data.length]);
told.push(['search', (await api.notes.list({ search: 'OF ówner' })).data.length]);
told.push(['groups', (await api.notes.list({ and: [{ text_like: 'of', _not: [{ text: 'of an owner' }, { text: '(a)' }], _or: [{ text_exists: true }] }], not: [{ text_ieq: 'none' }] })).data.length]);
const all: string[] = [];
for await (const { name } of api.things.each({ limit: 1, sort: ['name'] })) all.push(name);
told.push(['each', all]);
for await (const page of api.owners.pages({ limit: 1 })) told.push(['page', page.length]);
const byCursor = await api.owners.list();
told.push(['cursor by default', byCursor.data.length, byCursor.total]);

// What is shown follows what was asked.
const shown = await api.things.get(thing.id, {
  expand: ['owner', 'tags', 'children', 'notes'], fields: ['name', 'owner.name', 'tags.*', 'specs.weight', 'children', 'notes.text'],
});
const ownerName: string | null | undefined = shown.owner?.name;
const position: number | undefined = shown.tags[0]?.pivot.position;
const weight: number | undefined = shown.specs?.weight;
const child: Thing | undefined = shown.children[0];
told.push(['selected', shown.name, ownerName, position, weight, child?.name, shown.notes[0]?.text]);
const linked = await api.things.get(thing.id, { expand: ['tags'], fields: ['tags.name', 'tags.pivot.position'] });
const place: number | undefined = linked.tags[0]?.pivot.position;
told.push(['of a link', place, linked.tags[0]?.name]);
const links = await api.things.get(thing.id, { expand: ['tags'], fields: ['tags.pivot'] });
told.push(['a link alone', links.tags[0]?.pivot.position, Object.keys(links.tags[0] ?? {})]);
const notes = await api.notes.list({ expand: ['about.owner'], sort: ['id'] });
told.push(['morph', notes.data.map(({ about }) => about !== null && ('price' in about ? about.owner?.name : about.name))]);
const paged = await api.things.get(thing.id, { expand: ['tags'], collections: { tags: { limit: 1, sort: ['-name'] } } });
told.push(['collection', paged._pagination?.tags?.total]);
const some = await api.things.get(thing.id, { expand: ['tags'], where: { 'tags.name_in': ['no such tag'] }, nulls: 'last' });
told.push(['items of a collection', some.tags.map(({ name }) => name)]);
const deeper = await api.things.get(thing.id, { expand: ['children.tags'], where: { 'children.tags.name': 'no such tag' } });
told.push(['items of a deeper one', deeper.children.map(({ tags }) => tags.length)]);
const below = await api.things.get(thing.id, { expand: ['children.tags'], collections: { children: { limit: 3 }, 'children.tags': { limit: 2 } } });
told.push(['collection above another', below._pagination?.children?.limit, below.children[0]?._pagination?.tags?.limit]);
const without = await api.things.get(thing.id, { exclude: ['price', 'specs'] });
told.push(['excluded', 'price' in without]);
const group = await api.things.get(thing.id, { fields: ['@short'] });
const price: string | null = group.price;
told.push(['group', price, Object.keys(group)]);

// Writes of what was read.
const read = await api.things.get(thing.id);
told.push(['tag', typeof etagOf(read)]);
const changed = await api.things.update(read, { name: 'changed', tags: { add: [{ id: blue.id, pivot: { position: 2 } }] } });
const lost = await api.things.update(read, { name: 'lost' }).catch((error: unknown) => error instanceof PlinthError && error.body.code);
told.push(['changed', changed.name, lost]);
const merged = await api.things.merge(changed, { specs: { size: { width: 9 } } });
told.push(['merged', merged.specs]);
const replaced = await api.things.replace(merged, { name: 'replaced', on: false });
told.push(['replaced', replaced.price, replaced.level]);
await api.things.delete(second.id);
await api.things.delete(second.id).catch((error: unknown) => {
  if (error instanceof PlinthError) told.push(['gone', error.body.code, error.body.status, error.message]);
});
await api.things.update(await api.things.get(thing.id, { fields: ['name'] }), {}).catch((error: unknown) => told.push(['not plain', error instanceof TypeError]));
const original = await api.things.get(thing.id);
const copy = { ...original };
await api.things.update(copy, {}).catch((error: unknown) => told.push(['a copy', error instanceof TypeError && error.message.includes('etagOf(record)')]));
const ofCopy = await api.things.update(copy, { name: 'of a copy' }, { ifMatch: etagOf(original) });
const late = await api.things.update(copy, { name: 'late' }, { ifMatch: etagOf(original) }).catch((error: unknown) => error instanceof PlinthError && error.body.code);
told.push(['a copy with its tag', ofCopy.name, late]);

// Batches.
const [made, line, renamed, spare, dropped, several] = await api.batch([
  { method: 'POST', resource: 'owners', body: { name: 'Bea' }, as: 'owner' },
  { method: 'POST', resource: 'things', body: { name: 'of bea', on: true, ownerId: '{owner.id}', price: 3, notes: { create: [{ text: '{owner.name}' }] } }, expand: ['owner', 'notes'], as: 'thing' },
  { method: 'PATCH', resource: 'things', id: '{thing.id}', body: { count: { increment: 1 }, ownerId: '{owner.id}', specs: { weight: 2 } }, fields: ['count', 'specs.weight'] },
  { method: 'POST', resource: 'tags', body: { name: 'spare' }, as: 'tag' },
  { method: 'DELETE', path: '/tags/{tag.id}' },
  { method: 'POST', path: '/tags', body: [{ name: 'green' }, { name: '{owner.name}' }] },
], { idempotencyKey: 'batch-1' });
const ownerId: string = made.body.id;
const noteText: string | undefined = line.body.notes[0]?.text;
const count: number | null = renamed.body.count;
const gone: null = dropped.body;
const tagNames: (string | null)[] = several.body.map(({ name }) => name);
told.push(['batch', typeof ownerId, line.body.owner?.name, line.body.price, noteText, count, renamed.body.specs?.weight, gone, tagNames, several.status, spare.headers['location']?.endsWith('/v1/tags/' + spare.body.id)]);
told.push(['batch, remembered', (await api.owners.update(made.body, { name: 'Cleo' })).name, etagOf(line.body)]);
const stale = await api.batch([{ method: 'PATCH', resource: 'owners', id: made.body, body: { name: 'late' } }]).catch((error: unknown) => error instanceof PlinthError && [error.body.code, error.operation]);
told.push(['batch, stale', stale]);
const [, current] = await api.batch([{ method: 'PATCH', resource: 'things', id: thing.id, body: { specs: { weight: 1.5 } } }, { method: 'PATCH', resource: 'things', id: thing.id, body: { specs: { size: { width: 4 } } }, merge: true }]);
told.push(['batch, merged', current.body.specs]);
const names = ['x', 'y'];
const manyMade = await api.batch(names.map((name) => ({ method: 'POST', resource: 'tags', body: { name } })));
told.push(['batch, mapped', manyMade.map(({ body }) => body.name)]);
told.push(['many', await api.tags.updateMany({ search: 'x', or: [{ name: 'x', _and: [{ name: 'y' }] }], not: [{ name: 'z' }] }, { name: 'z' })]);
const wrong = await api.batch([
  { method: 'POST', resource: 'tags', body: { name: 'not kept' } },
  { method: 'PUT', path: '/things/1', body: { name: 'no such', on: true, ownerId: '{nobody.id}' } },
]).catch((error: unknown) => error instanceof PlinthError && [error.operation, error.errors]);
told.push(['batch, wrong', wrong]);
told.push(['none of it', (await api.tags.list({ where: { name: 'not kept' } })).total]);
const failing = createClient({ baseUrl, token: () => null, apiKey: undefined, fetch: async (_url, init) => {
  told.push(['no credential', new Headers(init?.headers).has('authorization')]);
  const body = { status: 429, error: 'Too Many Requests', message: 'm', path: '/', code: 'RATE_LIMITED', requestId: 'r' };
  return new Response(JSON.stringify(body), { status: 429, headers: { 'retry-after': '7' } });
} });
await failing.tags.list().catch((error: unknown) => told.push(['limited', error instanceof PlinthError && error.retryAfter]));
const once = { idempotencyKey: 'k1' };
told.push(['key', typeof (await api.tags.create({ name: 'once' }, once)).id]);
const stop = new AbortController();
stop.abort();
await api.tags.list({ signal: stop.signal }).catch((error: unknown) => told.push(['aborted', (error as Error).name]));

export function refused(): unknown {
  return [
    // @ts-expect-error -- there is no such field
    api.things.list({ where: { nme: 'x' } }),
    // @ts-expect-error -- there is no such relation to go through
    api.things.list({ where: { 'ownr.notes.text': 'x' } }),
    // @ts-expect-error -- a boolean takes no order
    api.things.list({ where: { on_gt: true } }),
    // @ts-expect-error -- a value of another type
    api.things.list({ where: { count: 'x' } }),
    // @ts-expect-error -- no value of the enum
    api.things.list({ where: { level: 'middle' } }),
    // @ts-expect-error -- it has no keys
    api.things.list({ where: { 'name.first': 'x' } }),
    // @ts-expect-error -- its keys are known
    api.things.list({ where: { 'specs.wight': 1 } }),
    // @ts-expect-error -- a list is needed
    api.things.list({ where: { level_in: 'low' } }),
    // @ts-expect-error -- objects are not sorted
    api.things.list({ sort: ['specs'] }),
    // @ts-expect-error -- there is no such relation
    api.things.get(1, { expand: ['ownr'] }),
    // @ts-expect-error -- a single record is not filtered
    api.things.get(1, { where: { count: 1 } }),
    // @ts-expect-error -- nor by what one relation leads to
    api.things.get(1, { expand: ['owner'], where: { 'owner.name': 'x' } }),
    // @ts-expect-error -- this is not expanded
    api.things.get(1, { expand: ['children'], where: { 'tags.name': 'x' } }),
    // @ts-expect-error -- a write answers with whole collections
    api.things.update(1, {}, { expand: ['tags'], collections: { tags: { limit: 1 } } }),
    // @ts-expect-error -- nothing is expanded that could be paged
    api.things.get(1, { collections: { tags: { limit: 1 } } }),
    // @ts-expect-error -- this is not expanded
    api.things.get(1, { expand: ['children'], collections: { tags: { limit: 1 } } }),
    // @ts-expect-error -- nor below that one
    api.things.get(1, { expand: ['owner.tags'] }),
    // @ts-expect-error -- it is not expanded
    api.things.get(1, { fields: ['owner.name'] }),
    // @ts-expect-error -- there is no such field in it
    api.things.get(1, { expand: ['owner'], fields: ['owner.price'] }),
    // @ts-expect-error -- there is no such field of a link
    api.things.get(1, { expand: ['tags'], fields: ['tags.pivot.place'] }),
    // @ts-expect-error -- its links have nothing to say
    api.things.get(1, { expand: ['labels'], fields: ['labels.pivot'] }),
    // @ts-expect-error -- nothing else of the tag was selected
    links.tags[0]?.name,
    // @ts-expect-error -- the id cannot be left out
    api.things.get(1, { exclude: ['id'] }),
    // @ts-expect-error -- the id of an owner is a text
    api.owners.get(1),
    // @ts-expect-error -- a name is needed
    api.things.create({ on: true }),
    // @ts-expect-error -- null is not taken
    api.things.create({ name: null, on: true }),
    // @ts-expect-error -- it is only read
    api.things.create({ name: 'a', on: true, hits: 1 }),
    // @ts-expect-error -- the position of a new link cannot be left out
    api.things.create({ name: 'a', on: true, tags: [1] }),
    // @ts-expect-error -- nor said here
    api.tags.create({ name: 'a', things: [1] }),
    // @ts-expect-error -- it is only written
    shown.secret,
    // @ts-expect-error -- it was not selected
    shown.price,
    // @ts-expect-error -- it was not expanded
    shown.parent,
    // @ts-expect-error -- it was left out
    without.price,
    // @ts-expect-error -- there is no such group
    api.things.get(1, { fields: ['@long'] }),
    // @ts-expect-error -- there is no such resource
    api.nothing,
    // @ts-expect-error -- nor one to write to
    api.batch([{ method: 'POST', resource: 'nothing', body: {} }]),
    // @ts-expect-error -- a name is needed
    api.batch([{ method: 'POST', resource: 'things', body: { on: true } }]),
    // @ts-expect-error -- there is no such field
    api.batch([{ method: 'POST', resource: 'things', body: { name: 'a', on: true, nme: 'b' } }]),
    // @ts-expect-error -- nor in what is nested
    api.batch([{ method: 'POST', resource: 'things', body: { name: 'a', on: true, notes: { create: [{ text: 'b', txt: 'c' }] } } }]),
    // @ts-expect-error -- a value of another type, which is no reference
    api.batch([{ method: 'PATCH', resource: 'things', id: 1, body: { count: 'owner.id' } }]),
    // @ts-expect-error -- the id of a thing is a number
    api.batch([{ method: 'PATCH', resource: 'things', id: 'a', body: { count: 3 } }]),
    // @ts-expect-error -- a single record is meant
    api.batch([{ method: 'DELETE', resource: 'things' }]),
    // @ts-expect-error -- there is no such field at a path
    api.batch([{ method: 'PATCH', path: '/things/1', body: { nme: 'b' } }]),
    // @ts-expect-error -- nor a value of that type
    api.batch([{ method: 'POST', path: '/things', body: { name: 'a', on: 1 } }]),
    // @ts-expect-error -- there is no such field to show
    api.batch([{ method: 'PATCH', resource: 'things', id: 1, body: {}, fields: ['nme'] }]),
    // @ts-expect-error -- nor such a relation
    api.batch([{ method: 'PATCH', resource: 'things', id: 1, body: {}, expand: ['ownr'] }]),
  ];
}
process.stdout.write(told.map((line) => JSON.stringify(line)).join('\\n'));
`;

/** What it prints, a line each. */
export const everythingOutput: readonly unknown[] = [
  // It is too long, and has marks that its pattern does not take.
  ['refused', ['name', 'name']],
  // A 422, and a 400.
  [
    'by field',
    {
      name: 'must have at most 20 characters; must match the pattern ^[a-z ]+$',
      price: 'must be a plain decimal number such as "19.90"',
    },
    [
      ['name', 'maxLength', { max: 20 }],
      ['name', 'pattern', { pattern: '^[a-z ]+$' }],
      ['price', 'format', { format: 'decimal' }],
    ],
  ],
  [
    'by field',
    {
      name: 'must have at least 2 characters',
      on: 'must not be null',
      nme: 'there is no field nme; did you mean name?',
    },
    [
      ['name', 'minLength', { min: 2 }],
      ['on', 'notNull', {}],
      ['nme', 'unknown', { nearest: 'name' }],
    ],
  ],
  ['filtered', [1], 1, 1, 1],
  ['in JSON', ['a thing']],
  ['deep', [2]],
  ['totals', 'low', null, 1, '20.00', '20.00000000', 'other thing', 0],
  ['totals', 'high', 'Ann', 1, '9.90', '9.90000000', 'a thing', 1],
  ['counted', 2],
  [
    'not there',
    {
      group: 'there is no field nmae; did you mean name?',
      aggregate: 'name is of type string, of which there is no sum',
    },
    undefined,
  ],
  ['union', 2],
  ['or', 2],
  ['search', 1],
  ['groups', 1],
  ['each', ['a thing', 'other thing']],
  ['page', 1],
  ['cursor by default', 1, null],
  ['selected', 'a thing', 'Ann', 1, 1.5, 'other thing', 'of a thing, "quoted": yes'],
  ['of a link', 1, 'red'],
  ['a link alone', 1, ['id', 'pivot']],
  ['morph', ['Ann', 'Ann']],
  ['collection', 1],
  ['items of a collection', []],
  ['items of a deeper one', [0]],
  ['collection above another', 3, 2],
  ['excluded', false],
  ['group', '9.90', ['id', 'name', 'price']],
  ['tag', 'string'],
  ['changed', 'changed', 'PRECONDITION_FAILED'],
  ['merged', { weight: 1.5, size: { width: 9 } }],
  ['replaced', null, 'low'],
  ['gone', 'RESOURCE_NOT_FOUND', 404, 'There is no record in things with id 2'],
  ['not plain', true],
  ['a copy', true],
  ['a copy with its tag', 'of a copy', 'PRECONDITION_FAILED'],
  ['batch', 'string', 'Bea', '3.00', 'Bea', 5, 2, null, ['green', 'Bea'], 201, true],
  ['batch, remembered', 'Cleo', undefined],
  ['batch, stale', ['PRECONDITION_FAILED', 0]],
  ['batch, merged', { weight: 1.5, size: { width: 4 } }],
  ['batch, mapped', ['x', 'y']],
  ['many', 1],
  ['batch, wrong', [1, { ownerId: '{nobody.id}: no earlier operation is named nobody' }]],
  ['none of it', 0],
  ['no credential', false],
  ['limited', 7],
  ['key', 'number'],
  ['aborted', 'AbortError'],
];

/** A program over the client of Chinook. */
export const chinookProgram = `
import { createClient, UnexpectedAnswer } from './client.ts';

const api = createClient({ baseUrl: process.argv[2] ?? '', token: async () => 't', headers: { 'x-own': '1' } });
const artist = await api.artists.create({ name: 'AC/DC' });
const album = await api.albums.create({ title: 'Power up', artistId: artist.id });
const type = await api['media-types'].create({ name: 'MPEG' });
const track = await api.tracks.create({ name: 'Realize', albumId: album.id, mediaTypeId: type.id, milliseconds: 1, unitPrice: '0.99' });
const list = await api.playlists.create({ name: 'Loud', tracks: [track.id] }, { expand: ['tracks.album.artist'] });
const name: string | null | undefined = list.tracks[0]?.album?.artist?.name;
const found = await api.tracks.list({ expand: ['album.artist'], fields: ['name', 'album.artist.name'], where: { 'album.title_like': 'Power' } });
// @ts-expect-error -- of the album nothing else was selected
export const title: unknown = found.data[0]?.album?.title;
const other = createClient({ baseUrl: 'http://x', fetch: async () => new Response('<p>', { status: 502 }) });
const odd = await other.tracks.get(1).catch((error: unknown) => error instanceof UnexpectedAnswer && error.status);
process.stdout.write(JSON.stringify([name, found.data, found.limit, odd]));
`;

/** What the pages of a front end would ask of the shop and of media: it has to compile as strictly as anyone compiles. */
export const frontEndProgram = `
import { createClient, PlinthError, type Selected, type Product, type ProductCreate, type ProductUpdate, type Page, type ErrorBody, type ResourceName, type Resources } from './shop.ts';
import { createClient as mediaClient } from './media.ts';
declare const search: string | undefined;
declare const pageNo: number | undefined;
declare const signal: AbortSignal | undefined;
declare const token: string | undefined;
const api = createClient({ baseUrl: '', token: () => token, headers: { 'x-sandbox': 'a' } });
export const api2 = createClient({ baseUrl: '', token, apiKey: undefined, fetch: undefined });
export async function main(): Promise<void> {
  const a = await api.products.list({ where: { name_ilike: search, 'supplier.country': 'DE', 'reviews.rating_gte': 4, 'reviews.customer.lastName_like': 'x', 'categories.pivot.position_lte': 3, 'attributes.size_in': ['S'], labels_containsAny: ['sale'], price_gte: 10, description_null: false }, page: pageNo, sort: search ? ['-price'] : undefined, signal });
  const p: Product | undefined = a.data[0]; void p;
  await api.products.list({ or: [{ price_gt: 100, 'supplier.name_like': 'Bob' }, { stock: 0 }], nulls: 'last' });
  for await (const x of api.orders.each({ where: { status_in: ['paid'], shippedAt_null: true, orderedAt_gte: '2025-01-01' }, expand: ['items.product', 'customer'], limit: 100 })) {
    const names: (string | undefined)[] = x.items.map((i) => i.product?.name);
    const s: 'open' | 'paid' | 'shipped' | 'returned' | null = x.status;
    void [names, s];
    break;
  }
  const c = await api.customers.list({ fields: ['@card', 'address.city'], expand: ['address'] });
  const city: string | undefined = c.data[0]?.address?.city; const em: string | undefined = c.data[0]?.email; void [city, em];
  const body: ProductCreate = { name: 'x', sku: 'ABC-1234', price: '1.00', stock: 1, supplierId: 1, description: search, categories: [1, { id: 2, pivot: { position: undefined } }], attributes: { color: search, size: 'S' } };
  const made = await api.products.create(body, { idempotencyKey: 'x', expand: ['categories'] });
  const pos: number | null | undefined = made.categories[0]?.pivot.position; void pos;
  const ch: ProductUpdate = { description: null, categories: { add: [{ id: 3, pivot: { position: 2 } }], remove: [1] } };
  await api.products.update(made.id, ch, { ifMatch: undefined, signal });
  await api.products.merge(made, { attributes: { color: null } });
  await api.products.delete(made.id, { signal });
  try { await api.products.get(1); } catch (error) {
    if (!(error instanceof PlinthError)) throw error;
    const b: ErrorBody = error.body;
    switch (b.code) {
      case 'VALIDATION_FAILED': console.log(b.validationErrors?.map(({ field }) => field)); break;
      case 'INVALID_VALUE': console.log(b.errors?.map((one) => one.rule === 'minLength' ? one.params.min + 1 : one.message)); break;
      case 'HAS_DEPENDENTS': console.log(b.dependents?.[0]?.count); break;
      case 'RATE_LIMITED': console.log(error.retryAfter); break;
      default: if (b.status === 404) console.log('gone');
    }
  }
  const media = mediaClient({ baseUrl: '' });
  const cs = await media.comments.list({ expand: ['subject'], where: { 'subject:articles.title_like': 'x', subjectType: 'article' } });
  for (const { subject, subjectType } of cs.data) {
    if (subject !== null && 'title' in subject) console.log(subject.title, subjectType);
    if (subject !== null && 'venue' in subject) console.log(subject.capacity);
  }
  await media.images.list({ where: { 'owner.name_like': 'x' }, collections: { comments: { limit: pageNo } }, expand: ['comments'] });
  await media.authors.create({ name: 'a', email: 'b@c.de', follows: [1, 2] });
  await api.products.list({ query: { 'supplier.products.reviews.rating': '5' } , count: 'none', headers: { x: 'y' } });
}
export type Row = Selected<'products', 'supplier'>;
export const f = (r: Row): string | undefined => r.supplier?.name;
export type P = Page<Row>;
export function table<R extends ResourceName>(name: R): Resources[R]['record'] | undefined { void name; return undefined; }
`;

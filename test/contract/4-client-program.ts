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
const second = await api.things.create({ name: 'other thing', on: false, price: 20, parentId: thing.id });
await api.notes.create({ text: 'of a thing, "quoted": yes', aboutType: 'things', aboutId: String(thing.id) });
await api.notes.create({ text: 'of an owner', aboutType: 'owners', aboutId: owner.id });

// Filters, sorts and pages.
const cheap = await api.things.list({
  where: { price_lt: '10', level_in: ['high', 'low'], 'specs.weight_gte': 1, 'owner.name': 'Ann', 'tags.pivot.position': 1, words_contains: 'x', owner_exists: true, limit_null: true },
  sort: ['-price', 'owner.name'], nulls: 'last',
});
told.push(['filtered', cheap.data.map(({ id }) => id), cheap.total, cheap.page, cheap.totalPages]);
told.push(['union', (await api.things.list({ where: { id: [thing.id, second.id] } })).data.length]);
told.push(['or', (await api.notes.list({ or: [{ text: 'of a thing, "quoted": yes', text_in: ['of an owner', 'a,b'] }], sort: ['id'] })).data.length]);
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
const notes = await api.notes.list({ expand: ['about.owner'], sort: ['id'] });
told.push(['morph', notes.data.map(({ about }) => about !== null && ('price' in about ? about.owner?.name : about.name))]);
const paged = await api.things.get(thing.id, { expand: ['tags'], collections: { tags: { limit: 1, sort: ['-name'] } } });
told.push(['collection', paged._pagination?.tags?.total]);
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
const once = { idempotencyKey: 'k1' };
told.push(['key', typeof (await api.tags.create({ name: 'once' }, once)).id]);
const stop = new AbortController();
stop.abort();
await api.tags.list({ signal: stop.signal }).catch((error: unknown) => told.push(['aborted', (error as Error).name]));

export function refused(): unknown {
  return [
    // @ts-expect-error -- there is no such field
    api.things.list({ where: { nme: 'x' } }),
    // @ts-expect-error -- a boolean takes no order
    api.things.list({ where: { on_gt: true } }),
    // @ts-expect-error -- a value of another type
    api.things.list({ where: { count: 'x' } }),
    // @ts-expect-error -- no value of the enum
    api.things.list({ where: { level: 'middle' } }),
    // @ts-expect-error -- a list is needed
    api.things.list({ where: { level_in: 'low' } }),
    // @ts-expect-error -- objects are not sorted
    api.things.list({ sort: ['specs'] }),
    // @ts-expect-error -- there is no such relation
    api.things.get(1, { expand: ['ownr'] }),
    // @ts-expect-error -- nor below that one
    api.things.get(1, { expand: ['owner.tags'] }),
    // @ts-expect-error -- it is not expanded
    api.things.get(1, { fields: ['owner.name'] }),
    // @ts-expect-error -- there is no such field in it
    api.things.get(1, { expand: ['owner'], fields: ['owner.price'] }),
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
  ];
}
process.stdout.write(told.map((line) => JSON.stringify(line)).join('\\n'));
`;

/** What it prints, a line each. */
export const everythingOutput: readonly unknown[] = [
  // It is too long, and has marks that its pattern does not take.
  ['refused', ['name', 'name']],
  ['filtered', [1], 1, 1, 1],
  ['union', 2],
  ['or', 2],
  ['each', ['a thing', 'other thing']],
  ['page', 1],
  ['cursor by default', 1, null],
  ['selected', 'a thing', 'Ann', 1, 1.5, 'other thing', 'of a thing, "quoted": yes'],
  ['morph', ['Ann', 'Ann']],
  ['collection', 1],
  ['excluded', false],
  ['group', '9.90', ['id', 'name', 'price']],
  ['tag', 'string'],
  ['changed', 'changed', 'PRECONDITION_FAILED'],
  ['merged', { weight: 1.5, size: { width: 9 } }],
  ['replaced', null, 'low'],
  ['gone', 'RESOURCE_NOT_FOUND', 404, 'There is no record in things with id 2'],
  ['not plain', true],
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

import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import type { DebugBody } from '../observability/debug.ts';

/** Whatever else is indexed: of each value there may be many, where SQLite, which has no statistics, expects few. */
const cinema = `
resources:
  films:
    fields:
      kind: { type: string, index: true }
      year: { type: integer }
      cast: { type: relation, relation: belongsToMany, resource: actors, through: roles, withPivot: [part] }
      shows: { type: relation, relation: hasMany, resource: shows }
      notes: { type: relation, relation: morphMany, resource: notes, typeField: aboutType, idField: aboutId }
    indexes: [[kind, year]]
  actors:
    fields:
      name: { type: string, required: true }
      films: { type: relation, relation: belongsToMany, resource: films, through: roles, withPivot: [part] }
  roles:
    fields:
      filmId: { type: integer, reference: films.id, required: true }
      actorId: { type: integer, reference: actors.id, required: true }
      part: { type: string, index: true }
  shows:
    fields:
      filmId: { type: integer, reference: films.id, required: true }
      hall: { type: string, index: true }
      price: { type: integer }
      code: { type: string, unique: true }
      state: { type: string, index: true }
    indexes: [[filmId, state], [hall, price]]
  notes:
    fields:
      aboutType: { type: string }
      aboutId: { type: integer }
      tone: { type: string }
      stars: { type: integer }
      mood: { type: string }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
    indexes: [[tone, stars, mood]]
`;
const both = await serveBoth(
  cinema,
  {
    films: [
      { kind: 'short', year: 1 },
      { kind: 'long', year: 2 },
    ],
    actors: [{ name: 'a' }, { name: 'b' }],
    roles: [
      { filmId: 1, actorId: 1, part: 'x' },
      { filmId: 1, actorId: 2, part: null },
      { filmId: 2, actorId: 2, part: 'x' },
    ],
    shows: [
      { filmId: 1, hall: 'A', price: 1, code: 'c', state: 'on' },
      { filmId: 2, hall: 'A', price: 2, code: null, state: null },
    ],
    notes: [
      { aboutType: 'films', aboutId: 1, tone: 't', stars: 1, mood: 'm' },
      { aboutType: 'films', aboutId: 2, tone: 't', stars: 2, mood: null },
    ],
  },
  undefined,
  { mode: 'dev' },
);
afterAll(() => both.stop());

/** What SQLite is going to do for the related rows. */
async function planOf(path: string): Promise<string> {
  const [sqlite = both] = both.sides;
  const { queries } = ((await sqlite.get(path)).body as DebugBody)._debug.database;
  return queries.map(({ plan }) => plan?.join('\n')).join('\n');
}

const byFilm = /SEARCH j_1\b.* INDEX \S*filmId\S* \(filmId=\?\)/u;
const byActor = /SEARCH j_1\b.* INDEX \S*actorId\S* \(actorId=\?\)/u;
const showsOfFilm = /SEARCH t_1\b.* INDEX \S*filmId\S* \(filmId=\?\)/u;
const notesOfFilm = /SEARCH t_1\b.* INDEX \S* \(aboutType=\? AND aboutId=\?\)/u;

const cases: readonly [path: string, found: RegExp, ids: readonly number[]][] = [
  ['films?cast.id=2', byFilm, [1, 2]],
  ['films?cast.id=2&cast.pivot.part=x', byFilm, [2]],
  ['films?cast.pivot.part=x', byFilm, [1, 2]],
  ['films?cast.pivot.part_null=true', byFilm, [1]],
  ['films?cast.name=a', byFilm, [1]],
  ['films?cast.id=1&cast.id=2', byFilm, [1]],
  ['actors?films.kind=long&films.year_lt=5', byActor, [2]],
  ['films?sort=-cast.name', byFilm, [2, 1]],
  ['films?shows.hall=A', showsOfFilm, [1, 2]],
  ['films?shows.hall=A&shows.price=2', showsOfFilm, [2]],
  ['films?shows.hall_in=A,B&shows.price_in=1,7', showsOfFilm, [1]],
  ['films?notes.tone=t&notes.stars=2&notes.mood_null=true', notesOfFilm, [2]],
  // One index serves both, or the value is of one row at most.
  ['films?shows.state=on', /SEARCH t_1\b.* \(filmId=\? AND state=\?\)/u, [1]],
  ['films?shows.code=c', /SEARCH t_1\b.* \(code=\?\)/u, [1]],
  ['films?shows.id=2', /SEARCH t_1\b.* \(rowid=\?\)/u, [2]],
];

async function idsOf(path: string): Promise<readonly number[]> {
  const body = (await both.get(path)).body as { readonly data?: unknown };
  return ((body.data ?? body) as readonly { id: number }[]).map(({ id }) => id);
}

describe('of records that are found themselves, the related ones are found by the key that leads to them', () => {
  test.each(cases)('%s', async (path, found, ids) => {
    const own = `/${path}&id_in=1,2`;
    expect(await planOf(`${own}&_debug=plan`)).toMatch(found);
    expect(await idsOf(own)).toEqual(ids);
  });

  test.each([
    ['films?expand=shows&shows.hall=A&shows.price=2', /SEARCH t\b.*\(filmId=\?\)/u],
    ['films?expand=shows&shows.hall=A&shows.price=2&shows.limit=1', /SEARCH t2\b.*\(filmId=\?\)/u],
    ['films?expand=cast&cast.pivot.part=x&cast.limit=1', /SEARCH j2\b.*\(filmId=\?\)/u],
  ])('%s', async (path, found) => {
    expect(await planOf(`/${path}&_debug=plan`)).toMatch(found);
    await both.get(`/${path}`);
  });
});

/** Found by what an index of the related records tells, and their records by them. */
const lookups: readonly [path: string, found: RegExp, ids: readonly number[]][] = [
  ['films?cast.id=2', /SEARCH j_1\b.* INDEX \S*actorId\S* \(actorId=\?\)/u, [1, 2]],
  ['films?cast.pivot.part=x', /SEARCH j_1\b.* INDEX \S*part\S* \(part=\?\)/u, [1, 2]],
  ['films?cast.id=2&cast.pivot.part=x', /SEARCH j_1\b.* INDEX \S*(?:actorId|part)\S* \(/u, [2]],
  ['films?shows.hall=A', /SEARCH t_1\b.* INDEX \S*hall\S* \(hall=\?/u, [1, 2]],
  ['films?shows.hall_in=A,B&shows.price_in=1,7', /SEARCH t_1\b.* \(hall=\?/u, [1]],
  ['films?shows.code=c', /SEARCH t_1\b.* \(code=\?\)/u, [1]],
  ['films?notes.tone=t&notes.stars=2&notes.mood_null=true', /SEARCH t_1\b.* \(tone=\?/u, [2]],
  ['actors?films.kind=long&films.year_lt=5', /SEARCH t_1\b.* \(kind=\?/u, [2]],
  ['actors?films.shows.code=c', /SEARCH t_2\b.* \(code=\?\)/u, [1, 2]],
  ['actors?films.shows.hall=A&sort=-name', /SEARCH t_2\b.* \(hall=\?/u, [2, 1]],
  ['notes?about:films.kind=short', /SEARCH t_1\b.* \(kind=\?/u, [1]],
  ['films?shows.hall=A&sort=-year', /SEARCH t_1\b.* \(hall=\?/u, [2, 1]],
  ['films?shows.hall=A&sort=-id&limit=1&page=2', /SEARCH t_1\b.* \(hall=\?/u, [1]],
];

/** Nothing is looked up by these: it would be as many records as there are, or says nothing of those above. */
const noLookups: readonly [path: string, ids: readonly number[]][] = [
  ['films?cast.name=a', [1]],
  ['films?shows.hall_neq=B', [1, 2]],
  ['films?shows.hall_exists=false', []],
  ['films?shows_exists=false', []],
  ['films?_or=shows.hall:A,year:2', [1, 2]],
];

describe('records are found by those that they are related to', () => {
  test.each(lookups)('%s', async (path, found, ids) => {
    const plan = await planOf(`/${path}&_debug=plan`);
    expect(plan).toMatch(/LIST SUBQUERY/u);
    expect(plan).toMatch(found);
    expect(await idsOf(`/${path}`)).toEqual(ids);
    if (!path.includes('page')) expect(await idsOf(`/${path}&cursor=`)).toEqual(ids);
  });

  test.each(noLookups)('but not %s', async (path, ids) => {
    expect(await planOf(`/${path}&_debug=plan`)).not.toMatch(/LIST SUBQUERY/u);
    expect(await idsOf(`/${path}`)).toEqual(ids);
  });
});

describe('where many records have what is asked for, the first of them are looked for in the order of the list', async () => {
  const lots = await serveBoth(
    `
resources:
  lots:
    fields:
      name: { type: string, unique: true }
  parts:
    fields:
      size: { type: integer, index: true }
      note: { type: string }
      lotId: { type: integer, reference: lots.id }
      lot: { type: relation, relation: belongsTo, resource: lots }
`,
    {
      lots: [{ name: 'many' }, { name: 'few' }],
      parts: Array.from({ length: 1_010 }, (_, index) => ({
        size: (index * 7) % 100,
        note: `n${(index * 13) % 50}`,
        lotId: index % 200 === 0 ? 2 : 1,
      })),
    },
    undefined,
    { mode: 'dev' },
  );
  afterAll(() => lots.stop());

  test.each([
    ['parts?lot.name=many&sort=size', false],
    ['parts?lot.name=few&sort=size', true],
    // No index has this order: all have to be found.
    ['parts?lot.name=many&sort=note', true],
  ])('%s', async (path, isLookup) => {
    const [sqlite = lots] = lots.sides;
    const { _debug } = (await sqlite.get(`/${path}&limit=5&_debug=plan`)).body as DebugBody;
    const pages = _debug.database.queries.filter(({ sql }) => sql?.includes('ORDER BY'));
    expect(pages.map(({ plan }) => plan?.join('\n').includes('LIST SUBQUERY'))).toEqual([isLookup]);
    for (const page of ['', '&page=2', '&page=3&limit=100', '&cursor='])
      await lots.get(`/${path}${page}`);
  });
});

import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import type { DebugBody } from './4-debug.ts';

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

describe('related records are found by the key that leads to them', () => {
  test.each(cases)('%s', async (path, found, ids) => {
    expect(await planOf(`/${path}&_debug=plan`)).toMatch(found);
    const { body } = await both.get(`/${path}`);
    expect((body as readonly { id: number }[]).map(({ id }) => id)).toEqual(ids);
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

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

/** A junction whose rows exclude each other, and have rules of their own. */
const specification = `
api:
  versions:
    1: {}
    2: { resources: { entries: { fields: { colour: false } } } }
    3: { resources: { entries: { fields: { subjectId: false } } } }
resources:
  lists:
    fields:
      songs:
        type: relation
        relation: belongsToMany
        resource: songs
        through: entries
        withPivot: [place, colour, addedBy, subjectType, subjectId, updatedAt, origin]
      stars: { type: relation, relation: belongsToMany, resource: songs, through: starred, withPivot: [id, listId, songId, mark] }
      near: { type: relation, relation: belongsToMany, resource: songs, through: nears, foreignKey: listCode, withPivot: [id] }
      ranked: { type: relation, relation: belongsToMany, resource: songs, through: ranks, withPivot: [place, label, weight] }
      code: { type: decimal, unique: true }
  songs: { fields: { name: { type: string }, day: { type: date, unique: true } } }
  ranks:
    unique: [[listId, place, label], [listId, weight]]
    fields:
      listId: { type: integer, required: true, reference: lists.id }
      songId: { type: integer, required: true, reference: songs.id }
      place: { type: integer, required: true, minimum: 1 }
      label: { type: string, required: true, maxLength: 3 }
      weight: { type: decimal, nullable: false, default: 1 }
  nears:
    fields:
      listCode: { type: decimal, reference: lists.code }
      songDay: { type: date, reference: songs.day }
  entries:
    timestamps: true
    unique: [[listId, place], [place, colour]]
    fields:
      listId: { type: integer, required: true, reference: lists.id }
      songId: { type: integer, required: true, reference: songs.id }
      place: { type: integer }
      colour: { type: string, default: red }
      addedBy: { type: string, immutable: true }
      origin: { type: object, properties: { by: { type: string }, year: { type: integer }, more: { type: json } } }
      subjectType: { type: string }
      subjectId: { type: integer }
      subject: { type: relation, relation: morphTo, resources: [songs] }
  starred:
    unique: [[listId, mark]]
    fields:
      id: { type: id, format: string }
      listId: { type: integer, required: true, reference: lists.id }
      songId: { type: integer, required: true, reference: songs.id, unique: true }
      mark: { type: string }
`;

let time = Date.parse('2026-01-01T00:00:00Z');
let both: Both;
let path: string;

beforeAll(async () => {
  const songs = Array.from({ length: 5 }, (_, index) => ({ name: `s${index + 1}` }));
  both = await serveBoth(specification, { songs }, () => new Date(time));
});
afterAll(async () => {
  expect(both?.failures).toEqual([]);
  await both?.stop();
});
beforeEach(async () => {
  for (const { id } of (await both.get('/v1/lists')).body)
    await both.send('DELETE', `/v1/lists/${id}`);
  time += 1000;
  const { headers } = await both.send('POST', '/v1/lists', {
    songs: [at(1, 1), at(2, 2), { id: 3, pivot: { place: 3, addedBy: 'ann' } }],
  });
  path = headers.get('location') ?? '';
  time += 1000;
});

const at = (id: number, place: number): object => ({ id, pivot: { place } });

interface Entry {
  readonly songId: number;
  readonly place: number | null;
  readonly addedBy: string | null;
  readonly updatedAt: string;
}

const entries = async (): Promise<readonly Entry[]> => (await both.get('/v1/entries')).body;
const places = async (): Promise<readonly string[]> =>
  (await entries()).map(({ songId, place }) => `${songId} ${place}`);

describe('links that exclude each other', () => {
  test('change places where a place may not be empty, unless no other value can stand there meanwhile', async () => {
    const ranked = (...all: readonly (readonly [number, number, string, string])[]): object => ({
      ranked: all.map(([id, place, label, weight]) => ({ id, pivot: { place, label, weight } })),
    });
    const seen = async (): Promise<readonly unknown[]> =>
      (await both.get(`${path}?expand=ranked`)).body['ranked'].map(
        ({ id, pivot }: { id: number; pivot: Record<string, unknown> }) => [
          id,
          ...['place', 'label', 'weight'].map((name) => pivot[name]),
        ],
      );
    const before = [
      [1, 1, 'a', '1.00'],
      [2, 2, 'a', '2.00'],
      [3, 2, 'b', '3.00'],
    ] as const;
    const after = [
      [1, 2, 'a', '1.00'],
      [2, 2, 'b', '2.00'],
      [3, 1, 'a', '3.00'],
    ] as const;
    expect((await both.send('PATCH', path, ranked(...before))).status).toBe(200);
    expect((await both.send('PATCH', path, ranked(...after))).status).toBe(200);
    expect(await seen()).toEqual(after);
    const weights = ranked([1, 1, 'a', '2.00'], [2, 2, 'a', '1.00'], [3, 3, 'a', '3.00']);
    const refused = await both.send('PATCH', path, weights);
    expect([refused.status, ...problemsOf(refused)]).toEqual([
      422,
      'ranked[0].pivot.weight: is taken: listId, weight must be unique together',
      'ranked[1].pivot.weight: is taken: listId, weight must be unique together',
    ]);
    expect(await seen()).toEqual(after);
  });

  test.each<readonly [string, unknown, readonly string[]]>([
    ['one takes the place of one that goes', [at(4, 1)], ['4 1']],
    ['two change places', [at(1, 2), at(2, 1), 3], ['1 2', '2 1', '3 3']],
    ['all move on', [at(1, 2), at(2, 3), at(3, 1)], ['1 2', '2 3', '3 1']],
    [
      'one comes before all',
      [at(5, 1), at(1, 2), at(2, 3), at(3, 4)],
      ['1 2', '2 3', '3 4', '5 1'],
    ],
    ['one comes for another', { add: [at(4, 2)], remove: [2] }, ['1 1', '3 3', '4 2']],
  ])('%s', async (_name, songs, expected) => {
    const answer = await both.send('PATCH', path, { songs });
    expect(answer.status, answer.text).toBe(200);
    expect(await places()).toEqual(expected);
  });

  const together = (...names: string[]): string =>
    `is taken: ${names.join(', ')} must be unique together`;

  test.each<readonly [string, string, object, readonly string[]]>([
    [
      'of two that want one place the second is told of, for every rule',
      '/v1',
      { songs: [at(1, 4), at(2, 4)] },
      [
        `songs[1].pivot.place: ${together('listId', 'place')}`,
        `songs[1].pivot.place: ${together('place', 'colour')}`,
      ],
    ],
    [
      'what another list has',
      '/v1',
      { songs: { add: [{ id: 4, pivot: { place: 7 } }] } },
      [
        `songs.add[0].pivot.place: ${together('place', 'colour')}`,
        `songs.add[0].pivot.colour: ${together('place', 'colour')}`,
      ],
    ],
    [
      'a field that a version hides has no part in it',
      '/v2',
      { songs: { add: [{ id: 4, pivot: { place: 7 } }] } },
      ['songs.add[0].pivot.place: is taken: it must be unique'],
    ],
    [
      'a record that can be linked once',
      '/v1',
      { stars: [{ id: 5, pivot: { mark: 'x' } }] },
      ['stars[0]: is taken: it must be unique'],
    ],
  ])('%s: 422', async (_name, version, body, problems) => {
    await both.send('POST', '/v1/lists', { songs: [at(5, 7)], stars: [5] });
    const before = await entries();
    const answer = await both.send('PATCH', path.replace('/v1', version), body);
    expect([answer.status, ...problemsOf(answer)]).toEqual([422, ...problems]);
    expect(await entries()).toEqual(before);
  });
});

describe('the pivot of a link that is there', () => {
  test('keeps what is immutable, which may be sent as it is', async () => {
    const pivot = { place: 9, addedBy: 'ann' };
    const answer = await both.send('PATCH', path, { songs: { add: [{ id: 3, pivot }] } });
    expect(answer.status, answer.text).toBe(200);
    expect((await entries())[2]).toMatchObject(pivot);
    const other = await both.send('PATCH', path, {
      songs: { add: [{ id: 3, pivot: { addedBy: 'bob' } }] },
    });
    expect([other.status, ...problemsOf(other)]).toEqual([
      400,
      'songs.add[0].pivot.addedBy: is immutable: it is set on create only',
    ]);
    expect((await entries())[2]).toMatchObject(pivot);
  });

  test('may be sent as a GET gave it; on create what is read-only is refused', async () => {
    const { body } = await both.get(`${path}?expand=songs`);
    const songs = body.songs.map(({ id, pivot }: { id: number; pivot: object }) => ({ id, pivot }));
    const before = await places();
    const answer = await both.send('PATCH', path, { songs });
    expect(answer.status, answer.text).toBe(200);
    expect(await places()).toEqual(before);
    const created = await both.send('POST', '/v1/lists', { songs: songs.slice(0, 1) });
    expect([created.status, ...problemsOf(created)]).toEqual([
      400,
      'songs[0].pivot.updatedAt: is read-only',
    ]);
  });

  test('has the id and the keys that its link has', async () => {
    const star = (pivot: object): object => ({ stars: [{ id: 4, pivot }] });
    const made = await both.send(
      'POST',
      '/v1/lists?expand=stars',
      star({ id: 'first', mark: 'a' }),
    );
    expect(made.body.stars).toMatchObject([{ id: 4, pivot: { id: 'first', mark: 'a' } }]);
    const own = made.headers.get('location') ?? '';
    const [{ pivot }] = made.body.stars;
    for (const sent of [pivot, { listId: 1 }, { songId: 5, mark: 'a' }]) {
      const { status, body, text } = await both.send('PATCH', `${own}?expand=stars`, star(sent));
      expect(status, text).toBe(200);
      expect(body.stars).toMatchObject([{ id: 4, pivot }]);
    }
    const renamed = await both.send('PATCH', own, star({ id: 'second' }));
    expect([renamed.status, ...problemsOf(renamed)]).toEqual([
      400,
      'stars[0].pivot.id: is immutable: it is set on create only',
    ]);
    const counted = { code: '9', near: [{ id: 1, pivot: { id: 77 } }] };
    for (const [body, problem] of [
      [counted, 'near[0].pivot.id: is read-only'],
      [star({ listId: 1 }), 'stars[0].pivot.listId: is read-only'],
      [star({ songId: 1 }), 'stars[0].pivot.songId: is read-only'],
    ] as const) {
      const answer = await both.send('POST', '/v1/lists', body);
      expect([answer.status, ...problemsOf(answer)]).toEqual([400, problem]);
    }
  });

  test('says when it was changed; the others keep their time', async () => {
    const before = await entries();
    await both.send('PATCH', path, { songs: [1, at(2, 8), 3] });
    const after = await entries();
    const isLater = after.map(
      ({ updatedAt }, index) => updatedAt > (before[index]?.updatedAt ?? ''),
    );
    expect(isLater).toEqual([false, true, false]);
    const { body } = await both.get(`${path}?expand=songs&fields=songs.pivot.updatedAt`);
    expect(body.songs).toEqual(
      after.map(({ songId, updatedAt }) => ({ id: songId, pivot: { updatedAt } })),
    );
  });
});

describe('an object in a pivot', () => {
  const origin = { by: 'eva', year: 1999, more: { a: [1], b: 2 } };

  test.each<readonly [string, object]>([
    ['fields=songs.pivot.origin.by', { origin: { by: 'eva' } }],
    ['fields=songs.pivot.origin.y*,songs.pivot.place', { place: 1, origin: { year: 1999 } }],
    ['fields=songs.pivot.or*.more.b', { origin: { more: { b: 2 } } }],
    [
      'exclude=songs.pivot.origin.more,songs.pivot.*d*,songs.pivot.s*,songs.pivot.colour',
      { place: 1, origin: { by: 'eva', year: 1999 } },
    ],
  ])('%s', async (query, pivot) => {
    await both.send('PATCH', path, { songs: [{ id: 1, pivot: { origin } }] });
    const { body } = await both.get(`${path}?expand=songs&${query}`);
    expect(body.songs[0].pivot).toEqual(pivot);
  });

  test.each([
    ['origin.bx', 'there is no member origin.bx; did you mean origin.by?'],
    ['place.x', 'place is not an object, so it has no members'],
  ])('songs.pivot.%s is 400', async (name, problem) => {
    const answer = await both.get(`${path}?expand=songs&fields=songs.pivot.${name}`);
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      400,
      `fields: songs.pivot.${name}: ${problem}`,
    ]);
  });
});

describe('a morph pair in a pivot', () => {
  const half = 'must be given as well, or subjectType be null';
  const nowhere = 'there is no record in songs with id 77';

  test.each<readonly [string, string, object, number, string]>([
    [
      'half of one, new',
      'POST',
      { subjectType: 'songs' },
      400,
      `songs[0].pivot.subjectId: ${half}`,
    ],
    ['half of one', 'PATCH', { subjectType: 'songs' }, 400, `songs[0].pivot.subjectId: ${half}`],
    [
      'an owner that is not there, new',
      'POST',
      { subjectType: 'songs', subjectId: 77 },
      422,
      `songs[0].pivot.subjectId: ${nowhere}`,
    ],
    [
      'an owner that is not there',
      'PATCH',
      { subjectType: 'songs', subjectId: 77 },
      422,
      `songs[0].pivot.subjectId: ${nowhere}`,
    ],
  ])('%s: %s %j is %i', async (_name, method, pivot, status, problem) => {
    const before = await entries();
    const target = method === 'POST' ? '/v1/lists' : path;
    const answer = await both.send(method, target, { songs: [{ id: 1, pivot }] });
    expect([answer.status, ...problemsOf(answer)]).toEqual([status, problem]);
    expect(await entries()).toEqual(before);
  });

  test.each(['POST', 'PATCH'])('half of one, the version hides the other: %s', async (method) => {
    const target = method === 'POST' ? '/v3/lists' : path.replace('v1', 'v3');
    const answer = await both.send(method, target, {
      songs: [{ id: 1, pivot: { subjectType: 'songs' } }],
    });
    const problem = 'must be null, as the other half of its pair is';
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      400,
      `songs[0].pivot.subjectType: ${problem}`,
    ]);
  });

  test('that is whole is kept, and half of it may change', async () => {
    const linked = (pivot: object): object => ({ songs: { add: [{ id: 1, pivot }] } });
    await both.send('PATCH', path, linked({ subjectType: 'songs', subjectId: 2 }));
    const answer = await both.send('PATCH', path, linked({ subjectId: 3 }));
    expect(answer.status, answer.text).toBe(200);
    expect((await entries())[0]).toMatchObject({ subjectType: 'songs', subjectId: 3 });
  });
});

describe('a link that leads by a field which may be null', () => {
  test('is made between those that have a value alone', async () => {
    const day = '2026-03-01';
    await both.send('PATCH', '/v1/songs/1', { day });
    const near = async (target: string, body: object): Promise<unknown> => {
      const answer = await both.send('PATCH', `${target}?expand=near&fields=near.day`, body);
      return answer.status === 200 ? answer.body.near : problemsOf(answer);
    };
    const nobody = 'cannot be linked: links lead by';
    expect(await near(path, { near: [1, 2] })).toEqual([
      `near[0]: ${nobody} code, which is null`,
      `near[1]: ${nobody} day, which is null`,
    ]);
    expect(await near(path, { near: [1], code: '1.50' })).toMatchObject([{ id: 1, day }]);
    expect(await near(path, { near: { add: [2] } })).toEqual([
      `near.add[0]: ${nobody} day, which is null`,
    ]);
    const created = await both.send('POST', '/v1/lists', { near: [1] });
    expect([created.status, ...problemsOf(created)]).toEqual([
      422,
      `near[0]: ${nobody} code, which is null`,
    ]);
    expect((await both.get('/v1/nears')).body).toMatchObject([{ listCode: '1.50', songDay: day }]);
  });
});

test('links of which one needs another go together', async () => {
  const own = await serveBoth(
    `
resources:
  routes: { fields: { stops: { type: relation, relation: belongsToMany, resource: stops, through: legs, withPivot: [afterId] } } }
  stops: { fields: { name: { type: string } } }
  legs:
    fields:
      routeId: { type: integer, reference: routes.id }
      stopId: { type: integer, reference: stops.id }
      afterId: { type: integer, reference: legs.id, onDelete: restrict }
`,
    { stops: [{}, {}], routes: [{ stops: [1] }] },
  );
  const stops = [1, { id: 2, pivot: { afterId: 1 } }];
  expect((await own.send('PATCH', '/v1/routes/1', { stops })).status).toBe(200);
  expect((await own.send('PATCH', '/v1/routes/1', { stops: [] })).status).toBe(200);
  expect((await own.get('/v1/legs')).body).toEqual([]);
  await own.stop();
});

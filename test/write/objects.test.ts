import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
resources:
  places:
    fields:
      address:
        type: object
        properties:
          city: { type: string, required: true }
          geo: { type: object, properties: { lat: { type: number }, lng: { type: number } } }
          lines: { type: array, items: { type: object, properties: { text: { type: string } } } }
      extra:
        type: object
        additionalProperties: true
        properties: { level: { type: integer }, box: { type: object, properties: { deep: { type: boolean } } } }
      any: { type: object }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(async () => {
  await both?.stop();
});

const places = '/v1/places';
const make = async (record: object): Promise<string> =>
  (await both.send('POST', places, record)).headers.get('location') ?? '';
const merge = (path: string, body: unknown): ReturnType<Both['send']> =>
  both.send('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });

describe('an object with properties takes these alone', () => {
  const stray: readonly (readonly [string, object, string])[] = [
    [
      'a name that is nearly one',
      { city: 'Oslo', ctiy: 'x' },
      'address.ctiy: there is no member ctiy; did you mean city?',
    ],
    ['any other name', { city: 'Oslo', planet: null }, 'address.planet: there is no member planet'],
    [
      'inside an object',
      { city: 'Oslo', geo: { lan: 1 } },
      'address.geo.lan: there is no member lan; did you mean lat?',
    ],
    [
      'inside an array',
      { city: 'Oslo', lines: [{ text: 'a' }, { txt: 'b' }] },
      'address.lines[1].txt: there is no member txt; did you mean text?',
    ],
  ];
  test.each(stray)('%s is refused', async (_, address, problem) => {
    const path = await make({ address: { city: 'Rome' } });
    const answers = [
      await both.send('POST', places, { address }),
      await both.send('PUT', path, { address }),
      await both.send('PATCH', path, { address }),
      await merge(path, { address }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(problemsOf(answer)).toEqual([problem]);
      expect(answer.body.validationErrors).toMatchObject([{ rule: 'unknown' }]);
    }
    expect((await both.get(path)).body.address).toEqual({ city: 'Rome' });
  });

  test('one that is to be removed is refused as well', async () => {
    const path = await make({ address: { city: 'Rome', geo: { lat: 1 } } });
    const answer = await merge(path, { address: { geo: { lan: null } } });
    expect(problemsOf(answer)).toEqual([
      'address.geo.lan: there is no member lan; did you mean lat?',
    ]);
  });

  test('none is filtered by or selected', async () => {
    for (const query of ['address.town=x', 'fields=address.town', 'sort=address.town'])
      expect((await both.get(`${places}?${query}`)).status, query).toBe(400);
  });

  test('what was stored before is shown, and stays in a merge', async () => {
    const path = await make({ address: { city: 'Rome' } });
    const stored = `'{"city": "Rome", "old": 1}'`;
    const update = `UPDATE places SET address = ${stored} WHERE id = ${path.split('/').at(-1)} RETURNING id`;
    for (const database of [both.sqlite, both.postgres])
      await database.write(({ all }) => all({ sql: update, parameters: [] }, { bound: [] }));
    expect((await both.get(path)).body.address).toEqual({ city: 'Rome', old: 1 });
    const { body } = await merge(path, { address: { city: 'Bari' } });
    expect(body.address).toEqual({ city: 'Bari', old: 1 });
  });
});

describe('an object with additionalProperties takes others', () => {
  test('which follow those that are declared', async () => {
    const path = await make({ extra: { zz: 1, level: 2, a: { b: [1] } } });
    expect((await both.get(path)).text).toContain('"extra":{"level":2,"a":{"b":[1]},"zz":1}');
  });

  test('but not inside one that has no such attribute', async () => {
    const answer = await both.send('POST', places, { extra: { box: { dep: true } } });
    expect(problemsOf(answer)).toEqual([
      'extra.box.dep: there is no member dep; did you mean deep?',
    ]);
  });

  test('which a merge adds, changes and removes', async () => {
    const path = await make({ extra: { level: 1, a: 1, b: { c: 1 } } });
    const { body } = await merge(path, { extra: { a: null, b: { d: 2 }, e: 'x' } });
    expect(body.extra).toEqual({ level: 1, b: { c: 1, d: 2 }, e: 'x' });
  });

  test('which filters and fields reach by their keys', async () => {
    const [one = '', other = ''] = [
      await make({ extra: { level: 7, colour: 'green', deep: { n: 5 } } }),
      await make({ extra: { level: 8, colour: 'grey', deep: { n: '9' } } }),
    ].map((path) => path.split('/').at(-1));
    const found = async (query: string): Promise<string> =>
      ((await both.get(`${places}?${query}`)).body as unknown as { id: number }[])
        .map(({ id }) => id)
        .join();
    expect(await found('extra.colour=green')).toBe(one);
    expect(await found('extra.colour_like=gre')).toBe(`${one},${other}`);
    expect(await found('extra.deep.n_gt=5')).toBe(other);
    // The suffix belongs to the declared member, not to an undeclared one called level_gt.
    expect(await found('extra.level_gt=7')).toBe(other);
    const { body } = await both.get(`${places}/${one}?fields=extra.colour,extra.level`);
    expect(body.extra).toEqual({ level: 7, colour: 'green' });
    expect((await both.get(`${places}?sort=extra.colour`)).body.code).toBe('INVALID_SORT');
  });
});

test('an object without properties takes any', async () => {
  const path = await make({ any: { a: 1, b: { c: [] } } });
  expect((await both.get(path)).body.any).toEqual({ a: 1, b: { c: [] } });
});

import { afterAll, describe, expect, test } from 'vitest';
import { serveApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { fillAll } from './generate.ts';

const text = `generate: { seed: 5, locale: de, count: 4 }
api: { versions: { 1: { resources: { posts: { fields: { headline: { from: title }, slug: false } } } }, 2: {}, 3: { resources: { users: false } } } }
resources:
  users:
    fields:
      name: { type: string, required: true }
      password: { type: string, writeOnly: true }
  posts:
    table: entries
    generate: { count: 6 }
    timestamps: true
    fields:
      title: { type: string, required: true, maxLength: 90 }
      slug: { type: string, format: slug, unique: true }
      state: { type: enum, values: [draft, live], default: draft }
      level: { type: integer, default: 0, generator: { name: number.int, args: { min: 5, max: 6 } } }
      rank: { type: integer, generator: { name: number.int, args: { min: 1, max: 3 } } }
      label: { type: string, template: "{{self.title}}!", transform: [trim, uppercase] }
      hidden: { type: string, template: "{{self.secret}}" }
      secret: { type: string, writeOnly: true, column: s }
      place: { type: object, properties: { city: { type: string }, zip: { type: string, template: "{{self.secret}}" } } }
      authorId: { type: integer, reference: users.id }
      author: { type: relation, relation: belongsTo, resource: users }
`;

interface Inspect {
  readonly resource: string;
  readonly schema: Record<string, unknown>;
  readonly generation: unknown;
  readonly fields: Record<string, { readonly source: string }>;
}

const both = await serveBoth(text, {}, undefined, { mode: 'dev' });
for (const { servedApi } of both.sides)
  expect(await fillAll(servedApi.api, servedApi.database)).toMatchObject({ ok: true });
afterAll(() => both.stop());

interface Inspected {
  readonly data: Record<string, unknown>[];
  readonly _inspect: Inspect;
}

async function inspect(path: string): Promise<Inspected> {
  const { body, headers } = await both.get(path);
  expect(headers.has('etag')).toBe(false);
  return body as Inspected;
}

const sourcesOf = ({ _inspect }: Inspected): Record<string, string> =>
  Object.fromEntries(Object.entries(_inspect.fields).map(([name, { source }]) => [name, source]));

describe('_inspect=data', () => {
  test('a list of generated records', async () => {
    const answer = await inspect('/v2/posts?_inspect=data&limit=3');
    expect(Object.keys(answer)).toEqual(['data', '_inspect']);
    expect(Object.keys(answer._inspect)).toEqual(['resource', 'schema', 'generation', 'fields']);
    for (const field of Object.values(answer._inspect.fields))
      expect(Object.keys(field)).toEqual([
        'source',
        'generator',
        'args',
        'template',
        'transformations',
      ]);
    expect(answer.data).toHaveLength(3);
    const { resource, generation, fields, schema } = answer._inspect;
    expect({ resource, generation }).toEqual({
      resource: 'posts',
      generation: { seed: 5, locale: 'de', count: 6 },
    });
    expect(new Set(Object.values(sourcesOf(answer)))).toEqual(new Set(['generated']));
    expect(fields).toMatchObject({
      title: { generator: 'text.title', args: null, template: null, transformations: [] },
      rank: { generator: 'number.int', args: { min: 1, max: 3 }, template: null },
      place: { generator: 'object', args: null },
      label: {
        generator: null,
        args: null,
        template: '{{self.title}}!',
        transformations: ['trim', 'uppercase'],
      },
    });
    expect(Object.keys(fields)).toEqual(Object.keys(schema));
    expect(schema['title']).toEqual({ type: 'string', required: true, maxLength: 90 });
    expect(schema['authorId']).toEqual({ type: 'integer', reference: 'users.id' });
  });

  test('only fields that the view may read, under its names, and nothing that names others', async () => {
    const answer = await inspect('/v1/posts?_inspect=data');
    const { fields, schema } = answer._inspect;
    expect(Object.keys(fields)).toEqual(Object.keys(answer.data[0] ?? {}));
    expect(Object.keys(fields)).not.toContain('secret');
    expect(fields['label']).toMatchObject({ template: '{{self.headline}}!' });
    expect(schema['label']).toMatchObject({ template: '{{self.headline}}!' });
    expect(schema['place']).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, zip: { type: 'string' } },
    });
    expect(fields['hidden']).toEqual({
      source: 'generated',
      generator: null,
      args: null,
      template: null,
      transformations: [],
    });
    expect(JSON.stringify(answer._inspect)).not.toMatch(/secret|slug|password/u);
  });

  test('where a key leads only where that is there for the view', async () => {
    for (const [version, authorId] of [
      ['v2', { type: 'integer', reference: 'users.id' }],
      ['v3', { type: 'integer' }],
    ] as const) {
      const { _inspect } = await inspect(`/${version}/posts?_inspect=data&limit=1`);
      expect(_inspect.schema['authorId'], version).toEqual(authorId);
    }
  });

  test('what the file says of a field in another place', async () => {
    const own = await serveBoth(
      `resources:
  users: { fields: { card: { type: relation, relation: hasOne, resource: cards } } }
  cards:
    timestamps: true
    fields:
      user: { type: relation, relation: belongsTo, resource: users, required: true }
      place: { type: relation, relation: belongsTo, resource: places, required: true, nullable: true }
      placeId: { type: integer }
  places: { fields: { name: { type: string } } }
`,
      {},
      undefined,
      { mode: 'dev' },
    );
    const { body } = await own.get('/cards?_inspect=data');
    expect((body as Inspected)._inspect.schema).toEqual({
      id: { type: 'id' },
      placeId: { type: 'integer', required: true, nullable: true, reference: 'places.id' },
      userId: { type: 'integer', required: true, unique: true, reference: 'users.id' },
      createdAt: { type: 'datetime', nullable: false, readOnly: true },
      updatedAt: { type: 'datetime', nullable: false, readOnly: true },
    });
    await own.stop();
  });

  test('what was written into an object that was generated', async () => {
    expect(sourcesOf(await inspect('/v2/posts/4?_inspect=data'))['place']).toBe('generated');
    await both.send('PATCH', '/v2/posts/4', { place: { city: 'Nowhere', zip: null } });
    expect(sourcesOf(await inspect('/v2/posts/4?_inspect=data'))['place']).toBe('written');
    const part = await inspect('/v2/posts/4?_inspect=data&fields=place.city');
    expect(sourcesOf(part)['place']).toBe('written');
  });

  test('what was written, and what is a default', async () => {
    await both.send('PATCH', '/v2/posts/2', { title: 'Mine' });
    expect(sourcesOf(await inspect('/v2/posts/2?_inspect=data'))).toMatchObject({
      id: 'generated',
      title: 'written',
      slug: 'generated',
      place: 'generated',
    });
    expect(sourcesOf(await inspect('/v2/posts?_inspect=data'))).toMatchObject({
      title: 'written',
      slug: 'generated',
    });
    const { body: created } = await both.send('POST', '/v2/posts', { title: 'New' });
    const sources = sourcesOf(await inspect(`/v2/posts/${created.id}?_inspect=data`));
    expect(sources).toMatchObject({
      id: 'default',
      title: 'written',
      level: 'default',
      createdAt: 'default',
    });
    // Of a value that is not shown nothing is known, and nothing is told.
    for (const selection of ['fields=slug', 'exclude=title,label'])
      expect(
        sourcesOf(await inspect(`/v2/posts/${created.id}?_inspect=data&${selection}`)),
      ).not.toHaveProperty('title');
    await both.send('DELETE', `/v2/posts/${created.id}`);
  });

  test('with a selection, an expansion, a cursor, an empty list', async () => {
    const selected = await inspect(
      '/v2/posts/3?_inspect=data&fields=place.city,author.name&expand=author',
    );
    expect(sourcesOf(selected)).toEqual({ id: 'generated', place: 'generated' });
    const page = await inspect('/v2/posts?_inspect=data&cursor=&limit=2');
    expect(Object.keys(page)).toEqual(['data', 'next_cursor', '_inspect']);
    expect((await inspect('/v2/posts?_inspect=data&title=none')).data).toEqual([]);
  });

  test('a write shows it of what it has written', async () => {
    const rank = 987_654;
    const { status, body } = await both.send('PATCH', '/v2/posts/3?_inspect=data', { rank });
    expect([status, body.data]).toMatchObject([200, { id: 3, rank }]);
    expect(sourcesOf(body)).toMatchObject({ id: 'generated', rank: 'written' });
  });

  test('start ignores it and says so; another value is 400', async () => {
    const start = await serveApi(text);
    const { headers, body } = await start.get('/v2/posts?_inspect=data');
    expect([headers.get('x-debug'), body]).toEqual(['disabled', []]);
    await start.stop();
    expect((await both.get('/v2/posts?_inspect=all')).status).toBe(400);
    expect((await both.get('/v2/posts/99?_inspect=data')).status).toBe(404);
  });
});

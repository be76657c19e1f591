import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Generation } from '../../src/http/generation.ts';
import type { Mode } from '../../src/http/edge.ts';
import { startServer, type RunningServer } from '../../src/http/server.ts';
import { uuidv7 } from '../../src/http/uuid.ts';
import { buildValid, makeSqlite } from '../support/api.ts';
import { fillAll } from './4-generate.ts';

const text = `generate: { seed: 5, locale: de, count: 4 }
api: { versions: { 1: { resources: { posts: { fields: { headline: { from: title }, slug: false } } } }, 2: {} } }
resources:
  users:
    fields:
      name: { type: string, required: true }
      password: { type: string, writeOnly: true }
  posts:
    generate: { count: 6 }
    timestamps: true
    fields:
      title: { type: string, required: true, maxLength: 90 }
      slug: { type: string, format: slug, unique: true }
      state: { type: enum, values: [draft, live], default: draft }
      rank: { type: integer, generator: { name: number.int, args: { min: 1, max: 3 } } }
      label: { type: string, template: "{{self.title}}!", transform: [trim, uppercase] }
      hidden: { type: string, template: "{{self.secret}}" }
      secret: { type: string, writeOnly: true, column: s }
      place: { type: object, properties: { city: { type: string }, zip: { type: string } } }
      authorId: { type: integer, reference: users.id }
      author: { type: relation, relation: belongsTo, resource: users }
`;

interface Inspect {
  readonly resource: string;
  readonly schema: Record<string, unknown>;
  readonly generation: unknown;
  readonly fields: Record<string, { readonly source: string }>;
}

let remove: () => Promise<void>;
const servers = new Map<Mode, RunningServer>();

beforeAll(async () => {
  const api = buildValid(text);
  const { database, remove: erase } = await makeSqlite(api);
  await fillAll(api, database);
  for (const mode of ['dev', 'start'] as const)
    servers.set(
      mode,
      await startServer(() => new Generation(api, database), {
        host: '127.0.0.1',
        port: 0,
        draw: { now: () => new Date(), uuid: uuidv7 },
        trace: ({ error }) => expect(error).toBeUndefined(),
        mode,
      }),
    );
  remove = async () => {
    for (const server of servers.values()) await server.close();
    await database.close();
    erase();
  };
});
afterAll(() => remove());

async function ask(path: string, mode: Mode = 'dev', init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${servers.get(mode)?.port}${path}`, init);
}

async function inspect(
  path: string,
): Promise<{ data: Record<string, unknown>[]; _inspect: Inspect }> {
  const response = await ask(path);
  expect(response.headers.has('etag')).toBe(false);
  return (await response.json()) as { data: Record<string, unknown>[]; _inspect: Inspect };
}

const sourcesOf = ({ _inspect }: { _inspect: Inspect }): Record<string, string> =>
  Object.fromEntries(Object.entries(_inspect.fields).map(([name, { source }]) => [name, source]));

describe('_inspect=data', () => {
  test('a list of generated records', async () => {
    const answer = await inspect('/v2/posts?_inspect=data&limit=3');
    expect(Object.keys(answer)).toEqual(['data', '_inspect']);
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
    const { fields } = answer._inspect;
    expect(Object.keys(fields)).toEqual(Object.keys(answer.data[0] ?? {}));
    expect(Object.keys(fields)).not.toContain('secret');
    expect(fields['hidden']).toEqual({
      source: 'generated',
      generator: null,
      args: null,
      template: null,
      transformations: [],
    });
    expect(JSON.stringify(answer._inspect)).not.toMatch(/secret|slug|password/u);
  });

  test('what was written, and what is a default', async () => {
    const send = (method: string, path: string, body: object): Promise<Response> =>
      ask(path, 'dev', {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await send('PATCH', '/v2/posts/2', { title: 'Mine' });
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
    const created = (await (await send('POST', '/v2/posts', { title: 'New' })).json()) as {
      id: number;
    };
    const sources = sourcesOf(await inspect(`/v2/posts/${created.id}?_inspect=data`));
    expect(sources).toMatchObject({ id: 'default', title: 'written', createdAt: 'default' });
    expect(sources['state']).toMatch(/default|generated/u);
    // Of a value that is not shown nothing is known, and nothing is told.
    for (const selection of ['fields=slug', 'exclude=title,label'])
      expect(
        sourcesOf(await inspect(`/v2/posts/${created.id}?_inspect=data&${selection}`)),
      ).not.toHaveProperty('title');
    await ask(`/v2/posts/${created.id}`, 'dev', { method: 'DELETE' });
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

  test('start ignores it and says so; another value is 400', async () => {
    const response = await ask('/v2/posts?_inspect=data', 'start');
    expect(response.headers.get('x-debug')).toBe('disabled');
    expect(Array.isArray(await response.json())).toBe(true);
    expect((await ask('/v2/posts?_inspect=all')).status).toBe(400);
    expect((await ask('/v2/posts/99?_inspect=data')).status).toBe(404);
  });
});

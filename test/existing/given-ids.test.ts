import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillAll } from '../generate/generate.ts';
import { anonymous } from '../../src/model/access.ts';
import { viewOf } from '../../src/model/view.ts';
import { clientSource } from '../../src/openapi/client.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { build, buildValid } from '../support/api.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';
import { Keyed } from '../support/keyed.ts';

// Ids that the database does not draw. See docs/contract/8-existing-databases.md#keys, rule 11.
const specification = `
access: public
database: { managed: false }
generate: { count: 3 }
resources:
  albums:
    fields:
      id: { type: id, required: true, column: album_id }
      title: { type: string }
      tracks: { type: relation, relation: hasMany, resource: tracks }
  tracks:
    fields:
      id: { type: id, required: true, format: bigint }
      albumId: { type: integer, column: album_id, reference: albums.id }
      album: { type: relation, relation: belongsTo, resource: albums }
  units:
    fields:
      id: { type: id, required: true, format: string }
      title: { type: string }
`;

const sql = (int: string, text: string): string => `
CREATE TABLE albums (album_id ${int} PRIMARY KEY NOT NULL, title ${text});
CREATE TABLE tracks (id bigint PRIMARY KEY NOT NULL, album_id ${int} REFERENCES albums);
CREATE TABLE units (id ${text} PRIMARY KEY NOT NULL, title ${text});
INSERT INTO albums VALUES (7, 'seven'), (-2, 'minus two');
INSERT INTO tracks VALUES (9007199254740993, 7);
`;

let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.of(specification, sql('int', 'TEXT'), sql('integer', 'text COLLATE "C"'));
});
afterAll(() => keyed?.stop());

describe('requests', () => {
  test.each([
    ['/albums', { title: 'x' }, 400, [['id', 'is required']]],
    ['/albums', [{ id: 70 }, {}], 400, [['[1].id', 'is required']]],
    ['/albums', { id: 'x' }, 400, [['id', 'must be a number']]],
    ['/albums', { id: null }, 400, [['id', 'must not be null']]],
    ['/albums', { id: 7 }, 422, [['id', 'is taken: it must be unique']]],
    ['/tracks', { albumId: 7 }, 400, [['id', 'is required']]],
    ['/units', { title: 'x' }, 400, [['id', 'is required']]],
  ])('POST %s %j is %d', async (path, body, status, problems) => {
    const answer = await keyed.send('POST', path, body);
    const { errors, validationErrors = [] } = answer.body as {
      errors?: { field: string; message: string }[];
      validationErrors?: { field: string; error: string }[];
    };
    const found =
      errors?.map(({ field, message }) => [field, message]) ??
      validationErrors.map(({ field, error }) => [field, error]);
    expect([answer.status, found]).toEqual([status, problems]);
  });

  test('make records with the ids that they give', async () => {
    const made = await keyed.send('POST', '/albums', [{ id: 12, title: 'b' }, { id: 11 }]);
    expect([made.status, made.body]).toEqual([
      201,
      [
        { id: 12, title: 'b' },
        { id: 11, title: null },
      ],
    ]);
    const large = await keyed.send('POST', '/tracks', { id: '9007199254740995', albumId: 12 });
    expect([large.status, large.body.id]).toEqual([201, '9007199254740995']);
    const nested = await keyed.send('POST', '/albums', {
      id: 13,
      tracks: { create: [{ id: '5' }] },
    });
    expect(nested.status).toBe(201);
    expect((await keyed.get('/tracks?albumId=13')).body).toEqual([{ id: '5', albumId: 13 }]);
    const put = await keyed.send('PUT', '/albums/14', { title: 'c' }, { 'If-None-Match': '*' });
    expect([put.status, put.body]).toEqual([201, { id: 14, title: 'c' }]);
    const other = await keyed.send('PUT', '/albums/15', { id: 16 }, { 'If-None-Match': '*' });
    expect(other.status).toBe(400);
  });

  test('find and change them by number', async () => {
    expect((await keyed.get('/albums/7')).body.title).toBe('seven');
    expect((await keyed.get('/albums/07')).status).toBe(404);
    expect((await keyed.get('/albums?id_lt=0')).body).toHaveLength(1);
    expect((await keyed.get('/albums?id=x')).status).toBe(400);
    const changed = await keyed.send('PATCH', '/albums/-2', { id: -2, title: 'y' });
    expect([changed.status, changed.body]).toEqual([200, { id: -2, title: 'y' }]);
    expect((await keyed.send('PATCH', '/albums/-2', { id: 3 })).status).toBe(400);
    expect((await keyed.send('DELETE', '/albums/-2')).status).toBe(204);
  });
});

test('documents and the client have the id among what a create needs', () => {
  const api = buildValid(specification);
  const version = api.versions.get(api.defaultVersion);
  if (version === undefined) throw new Error('no version');
  const view = viewOf(api, version, anonymous);
  const document = openApiDocument(view);
  const schemas = (document['components'] as { schemas: Record<string, { required?: string[] }> })
    .schemas;
  expect(schemas['AlbumCreate']?.required).toEqual(['id']);
  expect(clientSource(view)).toMatch(/AlbumCreate[^}]*\bid: number/u);
});

test('an id of a managed table cannot be required', () => {
  const { problems } = build(
    'resources: { notes: { fields: { id: { type: id, required: true } } } }',
  );
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    [
      'resources.notes.fields.id.required',
      'a managed table gives its ids itself; take away required, or add managed: false',
    ],
  ]);
});

describe('migrate', () => {
  const loose = specification.replaceAll(', required: true', '');
  test.each<readonly [string, () => Promise<Existing>]>([
    ['SQLite', () => existingSqlite(loose, sql('int', 'TEXT'))],
    ['PostgreSQL', () => existingPostgres(loose, sql('integer', 'text'))],
  ])('names ids that nothing gives on %s', async (_, open) => {
    const { steps, stop } = await open();
    try {
      expect(
        steps.flatMap(({ summary, obstacle }) =>
          obstacle === undefined ? [] : [[summary, obstacle]],
        ),
      ).toEqual(
        [
          ['albums', 'albums.album_id'],
          ['tracks', 'tracks.id'],
        ].map(([resource, column]) => [
          `create records of ${resource}`,
          `nothing gives ${column} its number; let requests give it (id: { type: id, required: true }), or let no request create records: access: { create: none }`,
        ]),
      );
    } finally {
      await stop();
    }
  });
});

test.each<readonly [string, () => Promise<Existing>]>([
  ['SQLite', () => existingSqlite(specification, sql('int', 'TEXT'))],
  ['PostgreSQL', () => existingPostgres(specification, sql('integer', 'text'))],
])('generated records have ids of their own on %s', async (_, open) => {
  const { api, ask, stop } = await open();
  try {
    await ask('DELETE FROM tracks');
    await ask('DELETE FROM albums');
    expect(await fillAll(api.servedApi.api, api.servedApi.database)).toMatchObject({ ok: true });
    const { body } = await api.get('/albums');
    expect(body.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
  } finally {
    await stop();
  }
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillAll } from '../generate/generate.ts';
import { anonymous } from '../../src/model/access.ts';
import { viewOf } from '../../src/model/view.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
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
  lists:
    fields:
      required: { type: relation, relation: belongsToMany, resource: albums, through: required-links }
      counted: { type: relation, relation: belongsToMany, resource: albums, through: counted-links }
      drawn: { type: relation, relation: belongsToMany, resource: albums, through: drawn-links }
      kept: { type: relation, relation: belongsToMany, resource: albums, through: kept-links, withPivot: [code] }
  required-links:
    fields:
      id: { type: id, required: true }
      listId: { type: integer, column: list_id, reference: lists.id }
      albumId: { type: integer, column: album_id, reference: albums.id }
  counted-links:
    fields:
      listId: { type: integer, column: list_id, reference: lists.id }
      albumId: { type: integer, column: album_id, reference: albums.id }
  drawn-links:
    fields:
      id: { type: id, format: string }
      listId: { type: integer, column: list_id, reference: lists.id }
      albumId: { type: integer, column: album_id, reference: albums.id }
  kept-links:
    key: code
    fields:
      code: { type: string }
      listId: { type: integer, column: list_id, reference: lists.id }
      albumId: { type: integer, column: album_id, reference: albums.id }
`;
const junctions = ['required', 'counted', 'drawn', 'kept'] as const;

const sql = (int: string, text: string): string => `
CREATE TABLE albums (album_id ${int} PRIMARY KEY NOT NULL, title ${text});
CREATE TABLE tracks (id bigint PRIMARY KEY NOT NULL, album_id ${int} REFERENCES albums);
CREATE TABLE units (id ${text} PRIMARY KEY NOT NULL, title ${text});
CREATE TABLE lists (id integer PRIMARY KEY);
INSERT INTO lists VALUES (1);
${junctions
  .map((name) => {
    const [key, type] = name === 'kept' ? ['code', text] : ['id', name === 'drawn' ? text : int];
    return `CREATE TABLE "${name}-links" (${key} ${type} PRIMARY KEY NOT NULL, list_id ${int} REFERENCES lists, album_id ${int} REFERENCES albums);`;
  })
  .join('\n')}
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

  // An id that nothing fills is one that requests give, also if the file does not say so.
  test.each([
    ['required', 400, 'required'],
    ['counted', 400, 'required'],
    ['drawn', 200, undefined],
    ['kept', 400, 'required'],
  ] as const)('a link of %s is %d', async (name, status, rule) => {
    for (const links of [[7], { add: [7] }]) {
      const answer = await keyed.send('PATCH', '/lists/1', { [name]: links });
      expect([answer.status, answer.body.validationErrors?.[0]?.rule]).toEqual([status, rule]);
    }
    // Each database draws another.
    if (name === 'drawn') return;
    const key = name === 'kept' ? { code: 'c' } : { id: 4 };
    const path = `/${name}-links`;
    const made = await keyed.send('POST', path, { ...key, listId: 1, albumId: 7 });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining(key)]);
    const { id } = made.body as { id: string | number };
    expect((await keyed.send('POST', path, { listId: 1 })).body.validationErrors).toEqual([
      { field: Object.keys(key)[0], error: 'is required', rule: 'required', params: {} },
    ]);
    expect((await keyed.send('DELETE', `${path}/${id}`)).status).toBe(204);
  });

  test('a link carries an id that is among its pivot', async () => {
    const links = [{ id: 7, pivot: { code: 'k' } }];
    expect((await keyed.send('PATCH', '/lists/1', { kept: links })).status).toBe(200);
    expect((await keyed.get('/kept-links/k')).body).toMatchObject({ listId: 1, albumId: 7 });
    expect((await keyed.send('DELETE', '/kept-links/k')).status).toBe(204);
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

describe('a number that nothing gives is required if the file does not say so', () => {
  const loose = specification.replaceAll(', required: true', '');
  test.each<readonly [string, () => Promise<Existing>]>([
    ['SQLite', () => existingSqlite(loose, sql('int', 'TEXT'))],
    ['PostgreSQL', () => existingPostgres(loose, sql('integer', 'text'))],
  ])('on %s', async (_, open) => {
    const { steps, api, stop } = await open();
    try {
      expect(steps.filter(({ obstacle }) => obstacle !== undefined)).toEqual([]);
      for (const path of ['/albums', '/tracks']) {
        expect((await api.send('POST', path, {})).body.validationErrors[0]).toMatchObject({
          field: 'id',
          rule: 'required',
        });
        expect((await api.send('POST', path, { id: 70 })).status).toBe(201);
      }
      // A string is drawn.
      expect((await api.send('POST', '/units', {})).status).toBe(201);
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

import { expect, test } from 'vitest';
import type { Model, ResourceInfo } from '../../src/http/dashboard/wire-model.ts';
import { serveApi } from '../support/api.ts';
import { ask, boss, hand, open, openToBoth, serving, stopAfterEach } from './dashboard.ts';

stopAfterEach();

test('the model is what the caller may do, by the same functions as the API itself', async () => {
  const api = await serving(openToBoth);
  const { resources } = (await ask(api, 'model', hand)).body;
  expect(resources.map(({ name }: { name: string }) => name)).toEqual(['things', 'boxes']);
  const [thing] = resources;
  const field = (name: string): object =>
    thing.fields.find((one: { name: string }) => one.name === name);
  expect(field('id')).toMatchObject({ isReadable: true, isCreatable: false, isUpdatable: false });
  expect(field('name')).toMatchObject({ isRequired: true, constraints: { maxLength: 20 } });
  expect(field('secret')).toMatchObject({ isReadable: false, isCreatable: true });
  expect(field('boxId')).toMatchObject({ reference: { resource: 'boxes', field: 'id' } });
  expect(thing.filters.map(({ path }: { path: string }) => path)).not.toContain('secret');
  expect(thing.filters.map(({ path }: { path: string }) => path)).toContain('box');
  expect(thing.relations[0]).toMatchObject({
    name: 'box',
    foundBy: [{ path: 'id', field: 'boxId' }],
  });
  expect((await ask(api, 'model?version=7', hand)).status).toBe(404);
});

test('the model tells what a form may write of a new record and of one that is there', async () => {
  const api = await serveApi(
    `access: public
resources:
  cards:
    fields:
      id: { type: id, format: string }
      name: { type: string, required: true }
      state: { type: string, required: true, default: new }
      fixed: { type: string, immutable: true }
      made: { type: string, readOnly: true }
      secret: { type: string, writeOnly: true }
  rows:
    fields: { name: { type: string } }
`,
    {},
    undefined,
    { mode: 'dev' },
  );
  open.push(api);
  const { resources } = (await ask(api, 'model')).body as Model;
  const told = resources.map(({ fields }) =>
    fields.map(({ name, ...field }) => [
      name,
      ...(field.isReadable ? ['read'] : []),
      ...(field.isCreatable ? ['create'] : []),
      ...(field.isUpdatable ? ['update'] : []),
      ...(field.isRequired ? ['required'] : []),
    ]),
  );
  expect(told).toEqual([
    [
      ['id', 'read', 'create'],
      ['name', 'read', 'create', 'update', 'required'],
      ['state', 'read', 'create', 'update'],
      ['fixed', 'read', 'create'],
      ['made', 'read'],
      ['secret', 'create', 'update'],
    ],
    [
      ['id', 'read'],
      ['name', 'read', 'create', 'update'],
    ],
  ]);
});

test('the model tells how links and pairs are written, and names nothing that the caller may not know of', async () => {
  const api = await serveApi(
    `${openToBoth}
resources:
  parts:
    access: public
    fields:
      tagId: { type: integer, reference: tags.id }
      secretId: { type: integer, reference: secrets.id }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: part-tags, withPivot: [id, tagId, role] }
      seals: { type: relation, relation: belongsToMany, resource: tags, through: part-seals }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: part }
  tags: { access: public, fields: { name: { type: string } } }
  part-tags:
    access: public
    fields:
      partId: { type: integer, reference: parts.id }
      tagId: { type: integer, reference: tags.id }
      role: { type: string, maxLength: 9 }
      rank: { type: integer }
  part-seals:
    access: { read: public, write: admin }
    fields: { partId: { type: integer, reference: parts.id }, tagId: { type: integer, reference: tags.id } }
  secrets:
    access: { read: admin, write: admin }
    fields:
      name: { type: string }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: secret }
  notes:
    access: public
    fields:
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`,
    {},
    undefined,
    { mode: 'dev' },
  );
  open.push(api);
  const modelFor = async (headers: Record<string, string>): Promise<Model> =>
    (await ask(api, 'model', headers)).body as Model;
  const part = (model: Model): ResourceInfo | undefined =>
    model.resources.find(({ name }) => name === 'parts');
  const relation = (model: Model, resource: string, name: string): object | undefined =>
    model.resources
      .find((one) => one.name === resource)
      ?.relations.find((one) => one.name === name);
  const [own, other] = [await modelFor(boss), await modelFor(hand)];
  const pivot = [expect.objectContaining({ name: 'role', constraints: { maxLength: 9 } })];
  expect(relation(other, 'parts', 'tags')).toMatchObject({ link: { id: { type: 'id' }, pivot } });
  expect(relation(other, 'parts', 'seals')).not.toHaveProperty('link');
  expect(relation(own, 'parts', 'seals')).toHaveProperty('link');
  const types = [{ value: 'part', resource: 'parts' }];
  const pair = { type: 'aboutType', id: 'aboutId' };
  expect(relation(other, 'notes', 'about')).toMatchObject({ pair: { ...pair, types } });
  expect(relation(own, 'notes', 'about')).toMatchObject({
    pair: { ...pair, types: [...types, { value: 'secret', resource: 'secrets' }] },
  });
  const references = (model: Model): readonly unknown[] =>
    part(model)?.fields.flatMap(({ reference }) => reference?.resource ?? []) ?? [];
  expect(references(own)).toEqual(['tags', 'secrets']);
  expect(references(other)).toEqual(['tags']);
  expect(JSON.stringify(other)).not.toContain('secrets');
  const typesOf = ({ resources }: Model): unknown =>
    resources.flatMap(({ filters }) => filters.filter(({ path }) => path === 'aboutType'))[0]
      ?.values;
  expect([typesOf(own), typesOf(other)]).toEqual([['part', 'secret'], ['part']]);
});

test('the model tells by which filters the records of a relation are found, where the caller may use them', async () => {
  const api = await serveApi(
    `${openToBoth}
access: public
resources:
  countries:
    fields:
      code: { type: string, unique: true }
      ports: { type: relation, relation: hasMany, resource: ports }
  ports:
    fields:
      countryCode: { type: string, reference: countries.code }
      country: { type: relation, relation: belongsTo, resource: countries, foreignKey: countryCode }
      sends: { type: relation, relation: belongsToMany, resource: ports, through: lines, foreignKey: fromId }
      receives: { type: relation, relation: belongsToMany, resource: ports, through: lines, foreignKey: toId }
      pilots: { type: relation, relation: belongsToMany, resource: pilots, through: licences }
      papers: { type: relation, relation: morphMany, resource: papers, typeValue: port }
  lines: { fields: { fromId: { type: integer, reference: ports.id }, toId: { type: integer, reference: ports.id } } }
  pilots: { fields: { name: { type: string } } }
  licences: { fields: { portId: { type: integer }, pilotId: { type: integer } } }
  papers:
    fields:
      ofType: { type: string, access: { write: admin } }
      ofId: { type: integer }
      of: { type: relation, relation: morphTo, typeField: ofType, idField: ofId }
`,
    {},
    undefined,
    { mode: 'dev' },
  );
  open.push(api);
  const { resources } = (await ask(api, 'model', hand)).body as Model;
  const told = resources.flatMap(({ name, relations }) =>
    relations.map((one) => [`${name}.${one.name}`, one.foundBy ?? one.pair]),
  );
  expect(Object.fromEntries(told)).toEqual({
    'countries.ports': [{ path: 'countryCode', field: 'code' }],
    'ports.country': [{ path: 'code', field: 'countryCode' }],
    'ports.sends': [{ path: 'receives.id', field: 'id' }],
    'ports.receives': [{ path: 'sends.id', field: 'id' }],
    'ports.pilots': undefined,
    'ports.papers': [
      { path: 'ofType', value: 'port' },
      { path: 'ofId', field: 'id' },
    ],
    // Who may not write a pair may follow it.
    'papers.of': { type: 'ofType', id: 'ofId', types: [{ value: 'port', resource: 'ports' }] },
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller, withTokens } from '../support/callers.ts';
import { serveBoth, type Both } from '../support/both.ts';

// Names that every object of JavaScript has, as those of resources, fields, relations, groups, roles, claims, enum values,
// versions and members of JSON: each is a name like any other.
const specification = `
${withTokens}
access: [constructor, __proto__]
dashboard: { roles: [constructor] }
api: { versions: { 1: {}, 2: { resources: { constructor: { fields: { isPrototypeOf: { from: toString } } } } } } }
groups: { toString: [valueOf, then] }
resources:
  constructor:
    access:
      read: [constructor, { role: hasOwnProperty, where: "toString={user.constructor}" }, { role: __proto__, where: "toString={user.__proto__.toString}" }]
    groups: { hasOwnProperty: [toString] }
    fields:
      toString: { type: string, index: true }
      valueOf: { type: integer }
      then: { type: object, properties: { hasOwnProperty: { type: string }, constructor: { type: integer }, toJSON: { type: json } } }
      length: { type: json }
      prototype: { type: enum, values: [constructor, toString, __proto__, hasOwnProperty] }
      toJSON: { type: array, items: { type: string } }
      hasOwnProperty: { type: relation, relation: belongsTo, resource: toString }
      isArray: { type: relation, relation: hasMany, resource: valueOf, foreignKey: ownerId }
      propertyIsEnumerable: { type: relation, relation: belongsToMany, resource: toString, through: then, withPivot: [length] }
      arguments: { type: relation, relation: morphMany, resource: prototype, typeValue: constructor }
  toString:
    fields:
      constructor: { type: string }
      propertyIsEnumerable: { type: relation, relation: belongsToMany, resource: constructor, through: then }
      arguments: { type: relation, relation: morphMany, resource: prototype, typeValue: __proto__ }
  valueOf:
    fields: { ownerId: { type: integer, reference: constructor.id }, name: { type: string } }
  then:
    fields:
      constructorId: { type: integer, reference: constructor.id }
      toStringId: { type: integer, reference: toString.id }
      length: { type: integer }
  prototype:
    fields:
      call: { type: relation, relation: morphTo }
      apply: { type: decimal }
`;

const me = caller({ roles: ['constructor'] });
const stored =
  '{"toString":"a","valueOf":1,"then":{"hasOwnProperty":"h","constructor":3,"toJSON":{"toString":null,"__proto__":{"a":1},"constructor":1}},' +
  '"length":{"then":3,"length":7,"__proto__":1,"constructor":{"prototype":2}},"prototype":"__proto__","toJSON":["constructor","__proto__"],"hasOwnPropertyId":1';

let both: Both;
beforeAll(async () => {
  const at = new Date();
  both = await serveBoth(specification, {}, () => at, { mode: 'dev' });
  const create = async (resource: string, text: string): Promise<string> => {
    const made = await both.send('POST', `/v1/${resource}`, JSON.parse(text), me);
    expect(made.status, made.text).toBe(201);
    return made.text;
  };
  await create('toString', '[{"constructor":"x"},{"constructor":"y"}]');
  const links = '[{"id":1,"pivot":{"length":5}},2]';
  expect(await create('constructor', `${stored},"propertyIsEnumerable":${links}}`)).toBe(
    `{"id":1,${stored.slice(1)}}`,
  );
  await create('constructor', '{"toString":"b","prototype":"constructor"}');
  await create('valueOf', '{"ownerId":1,"name":"n"}');
  await create('prototype', '{"callType":"constructor","callId":1,"apply":"1.50"}');
  await create('prototype', '{"callType":"__proto__","callId":1}');
});
afterAll(() => both?.stop());

test.each([
  'toString=a',
  'valueOf_gte=1',
  'then.hasOwnProperty=h',
  'then.constructor=3',
  'then.toJSON.constructor=1',
  'length.constructor.prototype=2',
  'length.then=3',
  'length.length=7',
  'prototype=__proto__',
  'prototype_in=__proto__,toString',
  'toJSON_contains=__proto__',
  'hasOwnProperty.constructor=x',
  'hasOwnProperty_exists=true',
  'isArray.name=n',
  'propertyIsEnumerable.constructor=x',
  'propertyIsEnumerable.pivot.length=5',
  'arguments.apply=1.5',
  '_or=toString:a,hasOwnProperty.constructor:y',
  'sort=then.constructor,hasOwnProperty.constructor,toString&nulls=last&limit=1',
  'cursor=&sort=toString&limit=1',
])('%s', async (query) => {
  const { body } = await both.get(`/v1/constructor?fields=id&${query}`, me);
  expect(body.data ?? body).toEqual([{ id: 1 }]);
});

test.each([
  ['fields=@toString', '{"id":2,"valueOf":null,"then":null}'],
  ['fields=@hasOwnProperty', '{"id":2,"toString":"b"}'],
  ['fields=to*', '{"id":2,"toString":"b","toJSON":null}'],
  [
    'fields=propertyIsEnumerable.constructor&expand=hasOwnProperty,propertyIsEnumerable',
    '{"id":2,"hasOwnProperty":null,"propertyIsEnumerable":[]}',
  ],
])('%s', async (query, expected) => {
  expect((await both.get(`/v1/constructor/2?${query}`, me)).text).toBe(expected);
});

test('what is expanded', async () => {
  const expand = 'hasOwnProperty,isArray,propertyIsEnumerable,arguments';
  const { text } = await both.get(`/v1/constructor/1?expand=${expand}&exclude=length`, me);
  const pivots =
    '[{"id":1,"constructor":"x","pivot":{"length":5}},{"id":2,"constructor":"y","pivot":{"length":null}}]';
  expect(text).toContain(
    `"hasOwnProperty":{"id":1,"constructor":"x"},"isArray":[{"id":1,"ownerId":1,"name":"n"}],"propertyIsEnumerable":${pivots}`,
  );
  const owners = await both.get(
    '/v1/prototype?expand=call&fields=call.constructor,call.toString',
    me,
  );
  expect(owners.text).toBe(
    '[{"id":1,"call":{"id":1,"toString":"a"}},{"id":2,"call":{"id":1,"constructor":"x"}}]',
  );
});

test.each([
  ['/v1/constructor?constructor=1', 400],
  ['/v1/constructor?__proto__=1', 400],
  ['/v1/constructor?length.__proto__=1', 400],
  ['/v1/constructor?fields=@constructor', 400],
  ['/v1/constructor/__proto__', 404],
  ['/v1/hasOwnProperty', 404],
  ['/v2/constructor?toString=a', 400],
  ['/v2/constructor?isPrototypeOf=a', 200],
  ['/_permissions', 200],
])('%s: %i', async (path, status) => {
  expect((await both.get(path, me)).status).toBe(status);
});

test.each([
  ['a claim', { roles: ['hasOwnProperty'], constructor: 'a' }, [1]],
  ['the claim that every object has', { roles: ['hasOwnProperty'] }, []],
  ['a claim in another', JSON.parse('{"roles":["__proto__"],"__proto__":{"toString":"b"}}'), [2]],
  ['those that every object has', { roles: ['__proto__'] }, []],
])('a rule with %s', async (_, claims, ids) => {
  const { body } = await both.get('/v1/constructor', caller(claims as object as never));
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
});

test('a role that no rule names', async () => {
  expect((await both.get('/v1/constructor', caller({ roles: ['toString'] }))).status).toBe(403);
});

test('changes, and members that no record has', async () => {
  const send = async (method: string, text: string, headers = {}): Promise<unknown> => {
    const answer = await both.send(method, '/v1/constructor/2', JSON.parse(text), {
      ...me,
      ...headers,
    });
    return [answer.status, answer.body.length ?? answer.body.validationErrors?.[0].field];
  };
  const merging = { 'content-type': 'application/merge-patch+json' };
  const merged = '{"length":{"__proto__":{"a":1},"toString":{"constructor":2}}}';
  expect(await send('PATCH', merged, merging)).toEqual([
    200,
    JSON.parse('{"toString":{"constructor":2},"__proto__":{"a":1}}'),
  ]);
  expect(await send('PATCH', '{"length":{"__proto__":null}}', merging)).toEqual([
    200,
    { toString: { constructor: 2 } },
  ]);
  expect(await send('PUT', '{"propertyIsEnumerable":{"add":[1]},"length":7}')).toEqual([200, 7]);
  for (const name of ['__proto__', 'isPrototypeOf'])
    expect(await send('PATCH', `{"${name}":1}`)).toEqual([400, name]);
});

test('the model of the dashboard has them all', async () => {
  for (const { url } of both.sides) {
    const answer = await fetch(`${url}/_dashboard/api/model`, { headers: me });
    const { resources } = (await answer.json()) as { resources: { name: string }[] };
    expect(resources.map(({ name }) => name)).toEqual([
      'constructor',
      'toString',
      'valueOf',
      'then',
      'prototype',
    ]);
  }
});

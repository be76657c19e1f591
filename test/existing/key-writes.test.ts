import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous } from '../../src/model/access.ts';
import { viewOf } from '../../src/model/view.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { build } from '../support/api.ts';
import { idOf, Keyed, names, other } from '../support/keyed.ts';

// See docs/contract/8-existing-databases.md#keys.
let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.open();
});
afterAll(() => keyed?.stop());

describe('writing', () => {
  test('creates, changes and deletes', async () => {
    const made = await keyed.send('POST', '/items', { orderId: 3, lineNo: 1, sku: 'nut' });
    expect([made.status, made.body]).toEqual([
      201,
      { id: '3,1', orderId: 3, lineNo: 1, sku: 'nut', quantity: 1 },
    ]);
    expect(made.headers.get('location')).toBe('/items/3%2C1');
    const path = made.headers.get('location') ?? '';
    const taken = await keyed.send('POST', '/items', { orderId: 3, lineNo: 1 });
    expect([taken.status, taken.body.errors?.map((one: { field: string }) => one.field)])
      .toMatchInlineSnapshot(`
      [
        422,
        [
          "orderId",
          "lineNo",
        ],
      ]
    `);
    const tag = (await keyed.get(path)).headers.get('etag') ?? '';
    expect((await keyed.send('PATCH', path, { quantity: 4 }, { 'If-Match': '"x"' })).status).toBe(
      412,
    );
    const changed = await keyed.send('PATCH', path, { quantity: 4 }, { 'If-Match': tag });
    expect([changed.status, changed.body.quantity]).toEqual([200, 4]);
    expect((await keyed.send('PATCH', path, { lineNo: 2 })).status).toBe(400);
    expect((await keyed.send('PATCH', path, { lineNo: 1, quantity: 5 })).body.quantity).toBe(5);
    expect((await keyed.send('PATCH', path, { id: '3,2' })).status).toBe(400);
    for (const other of [{ lineNo: 2 }, { orderId: 1, lineNo: 1 }, { id: '3,2' }])
      expect((await keyed.send('PUT', path, { ...other, quantity: 4 })).status).toBe(400);
    const put = await keyed.send('PUT', path, { ...changed.body, quantity: 6 });
    expect([put.status, put.body]).toEqual([200, { ...changed.body, quantity: 6 }]);
    expect((await keyed.send('PUT', path, { quantity: 7, sku: null })).body).toEqual({
      ...changed.body,
      sku: null,
      quantity: 7,
    });
    expect((await keyed.send('DELETE', path, undefined, { 'If-Match': '"x"' })).status).toBe(412);
    expect((await keyed.send('DELETE', path)).status).toBe(204);
    expect((await keyed.get(path)).status).toBe(404);
  });

  test.each([
    [{ lineNo: 1 }, ['orderId']],
    [{}, ['orderId', 'lineNo']],
    [{ id: '3,1', orderId: 3, lineNo: 1 }, ['id']],
    [{ orderId: null, lineNo: 1 }, ['orderId']],
    [{ orderId: 3, lineNo: 'x' }, ['lineNo']],
    [{ orderId: 99, lineNo: 1 }, ['orderId']],
  ])('%j is refused', async (body, fields) => {
    const { status, body: problem } = await keyed.send('POST', '/items', body);
    expect([400, 409, 422]).toContain(status);
    expect(
      (problem.errors ?? problem.validationErrors).map((one: { field: string }) => one.field),
    ).toEqual(fields);
  });

  test('several at once', async () => {
    const bodies = [
      { orderId: 3, lineNo: 9 },
      { orderId: 3, lineNo: 8 },
    ];
    const { status, body } = await keyed.send('POST', '/items?expand=order', bodies);
    expect([status, body.map((one: { id: string }) => one.id)]).toEqual([201, ['3,9', '3,8']]);
    const plain = await keyed.send(
      'POST',
      '/items',
      bodies.map((one) => ({ ...one, lineNo: one.lineNo + 10 })),
    );
    expect(plain.body.map((one: { id: string }) => one.id)).toEqual(['3,19', '3,18']);
    for (const id of ['3,9', '3,8', '3,19', '3,18'])
      expect((await keyed.send('DELETE', `/items/${id}`)).status).toBe(204);
  });

  test.each(names)('a label %j', async (name) => {
    const made = await keyed.send('POST', '/labels', { owner: other, name: `${name}!`, note: 'n' });
    const id = idOf(other, `${name}!`);
    expect([made.status, made.body.id]).toEqual([201, id]);
    const path = made.headers.get('location') ?? '';
    expect((await keyed.send('PATCH', path, { note: 'm' })).body).toEqual({
      id,
      owner: other,
      name: `${name}!`,
      note: 'm',
    });
    expect((await keyed.send('DELETE', path)).status).toBe(204);
  });

  test('a key of one field', async () => {
    const made = await keyed.send('POST', '/products', { sku: 'x/y', title: 'X' });
    expect([made.status, made.body.id, made.body.sku]).toEqual([201, 'x/y', 'x/y']);
    const path = made.headers.get('location') ?? '';
    expect((await keyed.send('PATCH', path, { sku: 'z' })).status).toBe(400);
    expect((await keyed.send('PATCH', path, { title: 'Y' })).body.title).toBe('Y');
    expect((await keyed.send('POST', '/products', { sku: 'x/y', title: 'X' })).status).toBe(422);
    expect((await keyed.send('DELETE', path)).status).toBe(204);
  });

  test('a moment and an enum', async () => {
    const made = await keyed.send('POST', '/readings', {
      tenant: 2,
      at: '2026-05-01T10:00:00+02:00',
      code: 'a,b',
      value: '1',
    });
    expect([made.status, made.body.id]).toEqual([201, '2,2026-05-01T08:00:00.000Z,a%2Cb']);
    const path = made.headers.get('location') ?? '';
    expect((await keyed.send('PATCH', path, { value: '2' })).body.value).toBe('2.00');
    expect(
      (
        await keyed.send('POST', '/readings', {
          tenant: 2,
          at: '2026-05-01T08:00:00Z',
          code: 'a,b',
        })
      ).status,
    ).toBe(422);
    expect((await keyed.send('DELETE', path)).status).toBe(204);
    const slot = await keyed.send('POST', '/slots', { day: '2026-04-01', part: 'late' });
    expect([slot.status, slot.body.id]).toEqual([201, '2026-04-01,late']);
    expect((await keyed.send('DELETE', '/slots/2026-04-01,late')).status).toBe(204);
  });

  test('links through it', async () => {
    const made = await keyed.send('POST', '/films', {
      title: 'Delta',
      actors: [{ id: 1, pivot: { billing: 3 } }, 2],
    });
    expect(made.status).toBe(201);
    const path = made.headers.get('location') ?? '';
    const actors = async (): Promise<unknown> =>
      (await keyed.get(`${path}?expand=actors&fields=actors.pivot`)).body.actors;
    expect(await actors()).toEqual([
      { id: 1, pivot: { billing: 3 } },
      { id: 2, pivot: { billing: null } },
    ]);
    expect(
      (
        await keyed.send('PATCH', path, {
          actors: { add: [{ id: 3, pivot: { billing: 1 } }], remove: [2] },
        })
      ).status,
    ).toBe(200);
    expect(
      (await keyed.send('PATCH', path, { actors: [{ id: 1, pivot: { billing: 4 } }, 3] })).status,
    ).toBe(200);
    expect(await actors()).toEqual([
      { id: 1, pivot: { billing: 4 } },
      { id: 3, pivot: { billing: 1 } },
    ]);
    expect((await keyed.send('PATCH', path, { actors: [99] })).status).toBe(422);
    expect((await keyed.send('DELETE', '/actors/3')).status).toBe(409);
    expect((await keyed.send('DELETE', path)).status).toBe(204);
    expect(await keyed.idsOf(`/castings?filmId_gt=3`)).toEqual([]);
  });

  test('row rules', async () => {
    expect((await keyed.get('/entries/yours,1')).status).toBe(404);
    expect((await keyed.send('PATCH', '/entries/yours,1', { text: 'x' })).status).toBe(404);
    expect((await keyed.send('DELETE', '/entries/yours,1')).status).toBe(404);
    expect((await keyed.send('POST', '/entries', { book: 'yours', sheet: 2 })).status).toBe(403);
    expect((await keyed.send('POST', '/entries', { book: 'mine', sheet: 3 })).status).toBe(201);
    expect((await keyed.send('PATCH', '/entries/mine,3', { text: 'x' })).body.text).toBe('x');
    expect((await keyed.send('DELETE', '/entries/mine,3')).status).toBe(204);
  });
});
describe('what the file may say', () => {
  const problemsOf = (resource: string, more = ''): readonly string[] =>
    build(
      `access: public\ndatabase: { managed: false }\nresources:\n  lines: { ${resource} }\n  orders: { fields: { name: { type: string }, lines: { type: relation, relation: hasMany, resource: lines, foreignKey: orderId } } }\n${more}`,
    ).problems.map(({ message }) => message);
  const fields = 'fields: { orderId: { type: integer }, lineNo: { type: integer }';

  test.each([
    [`key: [orderId, lineNo], ${fields} }`, []],
    [`key: lineNo, ${fields} }`, []],
    [
      'key: [orderId, lineNo], fields: { lineNo: { type: integer }, order: { type: relation, relation: belongsTo, resource: orders } }',
      [],
    ],
    [
      `managed: true, key: [orderId, lineNo], ${fields} }`,
      ['only an existing table has a key of its own; add managed: false, or leave out key'],
    ],
    [`key: [orderId, line], ${fields} }`, ['there is no field line; did you mean lineNo?']],
    [`key: line, ${fields} }`, ['there is no field line; did you mean lineNo?']],
    [
      `key: [orderId, lineNo], ${fields}, id: { type: id } }`,
      ['id is made of the fields of key; give this field another name, and its column: id'],
    ],
    [
      `key: [orderId, price], ${fields}, price: { type: number } }`,
      ['price cannot be in a key: it is of type number'],
    ],
    [
      `key: [orderId, note], ${fields}, note: { type: string, nullable: true } }`,
      ['note cannot be in a key: it is nullable'],
    ],
    [
      `key: [orderId, note], ${fields}, note: { type: string, writeOnly: true } }`,
      ['note cannot be in a key: id shows its values to all who may read the record'],
    ],
    [
      `key: [orderId, order], ${fields}, order: { type: relation, relation: belongsTo, resource: orders } }`,
      ['order is a relation; name its foreign key'],
    ],
    [
      `key: [], ${fields} }`,
      ["`key` must be a list of fields' names, not an empty list; it needs at least one item"],
    ],
  ])('%s', (resource, problems) => {
    expect(problemsOf(resource)).toEqual(problems);
  });

  test('no single field refers to it', () => {
    const other =
      '  notes: { fields: { line: { type: relation, relation: belongsTo, resource: lines } } }';
    expect(problemsOf(`key: [orderId, lineNo], ${fields} }`, other)).toEqual([
      'the key of lines has several fields, and one field cannot refer to it; give the relation as many (foreignKey: [<field>, <field>]), or refer to a unique field: reference: lines.<field>',
    ]);
  });
});

/** The lines of an interface of the typed client. */
function interfaceOf(name: string, client: string): readonly string[] {
  const lines = client.split('\n');
  const from = lines.findIndex(
    (line) => /^(?:export )?interface (\w+) \{$/u.exec(line)?.[1] === name,
  );
  return lines.slice(from, lines.indexOf('}', from) + 1);
}

test('documents', () => {
  const [first] = keyed.databases;
  if (first === undefined) throw new Error('no database');
  const { api } = first.api.servedApi;
  const version = api.versions.get(api.defaultVersion);
  if (version === undefined) throw new Error('no version');
  const view = viewOf(api, version, anonymous);
  const client = clientSource(view);
  expect(interfaceOf('Item', client)).toMatchInlineSnapshot(`
    [
      "export interface Item {",
      "  id: string;",
      "  orderId: number;",
      "  lineNo: number;",
      "  sku: string | null;",
      "  quantity: number;",
      "}",
    ]
  `);
  expect(interfaceOf('ItemCreateMembers', client)).toMatchInlineSnapshot(`
    [
      "export interface ItemCreateMembers {",
      "  lineNo: number;",
      "  sku?: string | null | undefined;",
      "  quantity?: number | undefined;",
      "  product?: { create: ProductCreate } | undefined;",
      "}",
    ]
  `);
  expect(interfaceOf('ItemUpdate', client)).toMatchInlineSnapshot(`
    [
      "export interface ItemUpdate {",
      "  id?: string | undefined;",
      "  orderId?: number | undefined;",
      "  lineNo?: number | undefined;",
      "  sku?: string | null | undefined;",
      "  quantity?: number | { readonly increment: number } | undefined;",
      "  product?: { create: ProductCreate } | undefined;",
      "}",
    ]
  `);
  const { paths } = openApiDocument(view) as unknown as {
    paths: Record<string, { parameters: unknown }>;
  };
  expect(Object.entries(paths).find(([path]) => path.endsWith('/items/{id}'))?.[1].parameters)
    .toMatchInlineSnapshot(`
    [
      {
        "description": "The id of the record.",
        "example": "1,1",
        "in": "path",
        "name": "id",
        "required": true,
        "schema": {
          "description": "The values of orderId,lineNo, joined with commas; a comma, % or / inside one is percent-encoded.",
          "type": "string",
        },
      },
    ]
  `);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// What the service itself has written it goes on reading, and as a record that is written now.
const folder = makeFolder();
let server: TestDatabase;
let sides: Readonly<Record<Side['name'], Side>>;
beforeAll(async () => {
  server = await createDatabase();
  sides = { sqlite: sqliteSide(folder.at('kept.db')), postgres: postgresSide(server.url) };
});
afterAll(() => server?.drop());

const of = (field: string): string => `resources: { things: { fields: { a: { ${field} } } } }`;

describe.each(['sqlite', 'postgres'] as const)('%s', (name) => {
  /** The table of the test before goes. */
  const begin = async (field: string): Promise<Side> => {
    const none = 'resources: { none: { fields: { b: { type: string } } } }';
    await sides[name].apply(none, { allowDataLoss: true });
    await sides[name].apply(of(field), { allowDataLoss: true });
    return sides[name];
  };

  test.each([
    ['precision: 15, scale: 11, storedAs: real', ['0.00000000001', '9999.99999999999']],
    ['precision: 15, scale: 15, storedAs: real', ['0.000000000000001', '-0.999999999999999']],
    ['precision: 18, storedAs: real', ['9999999999999.99', '9007199254740991.00', '0.00']],
    ['scale: 17, storedAs: real', ['0.12345678901234568', '-0.00000000000000001']],
    ['storedAs: text', ['9999999999999999.99', '-9999999999999999.99', '0.01', '0.00']],
    ['scale: 18, storedAs: text', ['0.999999999999999999', '-0.000000000000000001']],
  ])('a decimal, %s, is taken to be stored so', async (form, values) => {
    const field = `type: decimal, ${form}`;
    const side = await begin(field);
    await side.write(of(field), { things: values.map((a) => ({ a })) });
    expect(linesOf(await side.plan(of(field)))).toEqual([]);
    const { body } = await side.served(of(field), (api) => api.get('/v1/things'));
    expect(body).toEqual(values.map((a, index) => ({ id: index + 1, a })));
  });

  test('a decimal that a double does not hold is refused', async () => {
    const field = 'type: decimal, storedAs: real';
    const side = await begin(field);
    for (const a of ['9999999999999999.99', '-9007199254740991.01', '9007199254740993.00']) {
      const { status, body } = await side.served(of(field), (api) =>
        api.send('POST', '/v1/things', { a }),
      );
      const message = 'must have fewer digits, since the database keeps only 15 of them exactly';
      expect([status, body.errors], a).toEqual([
        422,
        [{ field: 'a', message, rule: 'digits', params: { max: 15 } }],
      ]);
    }
  });

  test('members come in the order of the file that is served', async () => {
    const object = (properties: string): string =>
      `type: object, properties: { ${properties} }, additionalProperties: true`;
    const [long, short, inner] = [
      'long: { type: integer }',
      'b: { type: integer }',
      'in: { type: object, properties: { z: { type: integer }, y: { type: integer } } }',
    ];
    const before = object(`${long}, ${inner}, ${short}`);
    const side = await begin(before);
    const a = { other: 3, long: 1, é: 5, in: { z: 1, y: 2 }, more: 4, b: 2 };
    await side.write(of(before), { things: [{ a }] });
    const shown = {
      [before]: '{"long":1,"in":{"z":1,"y":2},"b":2,"é":5,"more":4,"other":3}',
      [object(`${short}, ${inner}, ${long}`)]:
        '{"b":2,"in":{"z":1,"y":2},"long":1,"é":5,"more":4,"other":3}',
      [object(`more: { type: integer }`)]:
        '{"more":4,"b":2,"in":{"y":2,"z":1},"é":5,"long":1,"other":3}',
      'type: object': '{"b":2,"in":{"y":2,"z":1},"é":5,"long":1,"more":4,"other":3}',
      'type: json': '{"b":2,"in":{"y":2,"z":1},"é":5,"long":1,"more":4,"other":3}',
    };
    for (const [field, text] of Object.entries(shown)) {
      await side.apply(of(field));
      const answer = await side.served(of(field), (api) => api.get('/v1/things/1'));
      expect(answer.text, field).toBe(`{"id":1,"a":${text}}`);
    }
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/openapi/document/document.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { at, documentOf, sentParameters } from './documents.ts';

const specification = `
resources:
  bounds:
    fields:
      whole: { type: integer }
      odd: { type: integer, enum: [1, 3, 5] }
      over: { type: integer, exclusiveMinimum: 3 }
      half: { type: number, multipleOf: 0.5 }
      tenth: { type: number, multipleOf: 0.1 }
      price: { type: decimal, precision: 6, scale: 2, minimum: "0.50" }
      share: { type: decimal, precision: 2, scale: 2 }
      count: { type: decimal, precision: 3, scale: 0 }
      extra: { type: json, nullable: false, default: {} }
      list: { type: array, items: { type: json } }
      at: { type: time }
      moment: { type: datetime }
      size: { type: object, properties: { width: { type: integer, required: true, minimum: 1 }, unit: { type: string, default: cm }, box: { type: object, properties: { deep: { type: boolean } } } } }
      link: { type: url }
      home: { type: string, format: url }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: bound-tags, withPivot: [position] }
      marks: { type: relation, relation: belongsToMany, resource: tags, through: bound-marks }
  tags:
    fields:
      id: { type: id, format: string }
      bounds: { type: relation, relation: belongsToMany, resource: bounds, through: bound-tags }
  bound-tags:
    fields:
      boundId: { type: integer, reference: bounds.id }
      tagId: { type: string, reference: tags.id }
      position: { type: integer, required: true }
  bound-marks:
    fields:
      boundId: { type: integer, reference: bounds.id }
      tagId: { type: string, reference: tags.id }
`;

/** Of each field values that its schema takes, and values that it does not. */
const values: Readonly<Record<string, readonly [readonly unknown[], readonly unknown[]]>> = {
  whole: [
    [9007199254740991, -9007199254740991],
    [9007199254740992, -9007199254740992, 1.5],
  ],
  odd: [[3], [2]],
  over: [
    [4, 9007199254740991],
    [3, 9007199254740992],
  ],
  half: [[1.5, -2], [0.25]],
  tenth: [[0.3, 744.3, 0.7], []],
  price: [
    ['9999.99', '0001.50', '1.5000', 0.5, 19.9],
    ['10000', '1.505', '1e3', '.5', '+1', 0.4, 10000],
  ],
  share: [
    ['0.99', '00.10', '-0.5'],
    ['1.00', '0.125'],
  ],
  count: [
    ['999', '-12.00', 7],
    ['1000', '1.5'],
  ],
  at: [
    ['23:59:59', '00:00:00'],
    ['24:00:00', '12:60:00', '12:00:60', '12:00'],
  ],
  moment: [
    ['2026-03-01T14:05:00Z', '2026-03-01t14:05:00.120000+02:00'],
    ['2026-03-01T14:05:00.1234Z', '2026-03-01T14:05:00', '2016-12-31T23:59:60Z', '2026-03-01'],
  ],
  link: [
    ['https://example.org/a', 'ftp://h'],
    ['mailto:a@example.org', 'urn:isbn:1', 'file:///a', 'http://a b/'],
  ],
  home: [['https://example.org'], ['javascript:alert(1)']],
  tags: [
    [[], [{ id: 'a', pivot: { position: 1 } }], { add: [{ id: 'a', pivot: { position: 1 } }] }],
    [['a'], [{ id: 'a' }], [{ id: 'a', pivot: {} }], { add: ['a'] }],
  ],
  marks: [
    [['a'], [{ id: 'a' }]],
    [[''], [{ id: '' }], { remove: [''] }, [{ id: 'a'.repeat(256) }]],
  ],
};

describe('the schema of a body and the service are of one opinion', () => {
  let api: Both;
  let document: OpenApiDocument;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  beforeAll(async () => {
    api = await serveBoth(specification, { tags: [{ id: 'a' }], bounds: [{ size: { width: 1 } }] });
    document = documentOf(specification);
    ajv.addSchema(document, 'api');
  });
  afterAll(() => api.stop());

  /** What the document says of a body, and what the service does with it. */
  async function verdicts(
    resource: string,
    name: string,
    body: object,
  ): Promise<[boolean, boolean]> {
    const pointer = `api#/components/schemas/${name}`;
    const { status } = await api.send('POST', `/${resource}`, body);
    return [ajv.validate({ $ref: pointer }, body), status === 201];
  }

  test.each(Object.entries(values))('%s', async (field, [taken, refused]) => {
    for (const [list, isTaken] of [
      [taken, true],
      [refused, false],
    ] as const)
      for (const value of list)
        expect(
          await verdicts('bounds', 'BoundCreate', { [field]: value }),
          JSON.stringify(value),
        ).toEqual([isTaken, isTaken]);
  });

  test('links that need more than they can carry', async () => {
    expect(await verdicts('tags', 'TagCreate', { bounds: [] })).toEqual([true, true]);
    expect(await verdicts('tags', 'TagCreate', { bounds: [1] })).toEqual([false, false]);
  });

  test.each<[boolean, unknown]>([
    [true, { width: 2 }],
    [true, { unit: null, box: { deep: true } }],
    [true, { box: { deep: null } }],
    [false, { box: { deep: null }, more: 1 }],
    [false, { box: { deeper: null } }],
    [true, {}],
    [false, { width: null }],
    [false, { width: 0 }],
    [false, { width: 'wide' }],
    [false, { box: { deep: 1 } }],
    [false, { unit: 1 }],
    [false, 'big'],
  ])('what is merged into an object: %s %j', async (isTaken, size) => {
    const type = { 'content-type': 'application/merge-patch+json' };
    const { status } = await api.send('PATCH', '/bounds/1', { size }, type);
    const isValid = ajv.validate({ $ref: 'api#/components/schemas/BoundMergePatch' }, { size });
    expect([isValid, status === 200]).toEqual([isTaken, isTaken]);
  });

  test('the id of a new record', async () => {
    for (const [id, isTaken] of [
      ['b', true],
      ['c'.repeat(255), true],
      ['', false],
      ['d'.repeat(256), false],
    ] as const)
      expect(await verdicts('tags', 'TagCreate', { id }), id).toEqual([isTaken, isTaken]);
  });

  test('a bound of its own takes the place of that of all whole numbers', () => {
    expect(at(document, 'components schemas BoundCreate properties over')).toEqual({
      type: ['integer', 'null'],
      format: 'int64',
      exclusiveMinimum: 3,
      maximum: 9007199254740991,
    });
  });

  test('a multiple that doubles cannot tell is told in words', () => {
    expect(at(document, 'components schemas Bound properties tenth description')).toBe(
      'It is a multiple of 0.1.',
    );
    expect(at(document, 'components schemas BoundCreate properties tenth')).not.toHaveProperty(
      'multipleOf',
    );
  });

  test.each([
    ['whole', '9007199254740992', '9007199254740991'],
    ['odd', '4', '3'],
    ['odd_gt', '9007199254740992', '4'],
    ['at_lt', '24:00:00', '23:00:00'],
    ['id_neq', '9007199254740992', '7'],
  ])('a filter by %s', async (name, wrong, right) => {
    const parameters = sentParameters(document, 'paths /v1/bounds get');
    const { schema = {} } = parameters.find((one) => one.name === name) ?? {};
    const isTaken = (text: string): boolean =>
      ajv.validate(schema, schema['type'] === 'integer' ? Number(text) : text);
    for (const text of [wrong, right]) {
      const { status } = await api.get(`/bounds?${name}=${text}`);
      expect([isTaken(text), status]).toEqual(text === right ? [true, 200] : [false, 400]);
    }
  });
});

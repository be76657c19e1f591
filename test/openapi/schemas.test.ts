import { describe, expect, test } from 'vitest';
import { at, documentOf } from './documents.ts';
import { everything } from './specifications.ts';

const rules = documentOf(`
resources:
  rules:
    fields:
      step: { type: integer, minimum: 2, maximum: 9, multipleOf: 2, required: true, description: In twos. }
      short: { type: string, required: true, minLength: 2, maxLength: 5 }
      slug: { type: string, required: true, format: slug }
      host: { type: string, required: true, format: hostname }
      six: { type: string, required: true, format: ipv6 }
      day: { type: date, required: true }
      at: { type: time, required: true }
      moment: { type: datetime, required: true, immutable: true }
      token: { type: uuid, required: true }
      link: { type: url, required: true }
      price: { type: decimal, required: true, scale: 2, precision: 6, minimum: 1 }
      kind: { type: string, required: true, enum: [low, high] }
      size: { type: object, required: true, properties: { width: { type: integer, required: true, minimum: 1 }, unit: { type: string } } }
`);

const decimal = {
  format: 'decimal',
  description:
    'An exact decimal in a string, with 2 decimal places and at most 6 digits. It is at least 1.',
};
const moment = String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(\.\d{1,3}0*)?([Zz]|[+-]\d{2}:\d{2})$`;
const most = Number.MAX_SAFE_INTEGER;
const slug = '^[a-z0-9]+(?:-[a-z0-9]+)*$';

describe('what a body may give for a field, and what is read of it', () => {
  const integer = { type: 'integer', format: 'int64' };
  test.each<[string, object, object]>([
    [
      'step',
      { ...integer, minimum: 2, maximum: 9, multipleOf: 2, description: 'In twos.' },
      { ...integer, description: 'In twos.' },
    ],
    ['short', { type: 'string', minLength: 2, maxLength: 5 }, { type: 'string' }],
    ['slug', { type: 'string', pattern: slug }, { type: 'string', pattern: slug }],
    ['host', { type: 'string', format: 'hostname' }, { type: 'string', format: 'hostname' }],
    ['six', { type: 'string', format: 'ipv6' }, { type: 'string', format: 'ipv6' }],
    ['day', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    [
      'at',
      { type: 'string', pattern: String.raw`^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$` },
      { type: 'string', pattern: String.raw`^\d{2}:\d{2}:\d{2}$` },
    ],
    [
      'moment',
      {
        type: 'string',
        format: 'date-time',
        pattern: moment,
        description: 'It is set when the record is created and stays.',
      },
      {
        type: 'string',
        format: 'date-time',
        description: 'It is set when the record is created and stays.',
      },
    ],
    ['token', { type: 'string', format: 'uuid' }, { type: 'string', format: 'uuid' }],
    [
      'link',
      {
        type: 'string',
        format: 'uri',
        pattern: String.raw`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]\S*$`,
      },
      { type: 'string', format: 'uri' },
    ],
    [
      'price',
      {
        type: ['string', 'number'],
        pattern: String.raw`^-?0*\d{1,4}(\.\d{1,2}0*)?$`,
        minimum: 1,
        maximum: 9999.99,
        ...decimal,
      },
      { type: 'string', pattern: String.raw`^-?\d+(\.\d+)?$`, ...decimal },
    ],
    ['kind', { type: 'string', enum: ['low', 'high'] }, { type: 'string', enum: ['low', 'high'] }],
    [
      'size',
      {
        type: 'object',
        properties: {
          width: { ...integer, minimum: 1, maximum: most },
          unit: { type: ['string', 'null'] },
        },
        required: ['width'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { width: integer, unit: { type: ['string', 'null'] } },
        required: ['width'],
      },
    ],
  ])('%s', (name, written, read) => {
    expect(at(rules, `components schemas RuleCreate properties ${name}`)).toEqual(written);
    expect(at(rules, `components schemas Rule properties ${name}`)).toEqual(read);
  });

  test('what is immutable is sent back as it was read', () => {
    for (const body of ['RuleReplace', 'RuleUpdate', 'RuleMergePatch'])
      expect(at(rules, `components schemas ${body} properties moment`)).toEqual({
        ...(at(rules, 'components schemas Rule properties moment') as object),
        readOnly: true,
      });
  });

  test('what a merge patch leaves out of an object stays', () => {
    const size = at(rules, 'components schemas RuleMergePatch properties size');
    // Nor may it take away the whole of one that has to be there, or what that one has to have.
    expect(size).toEqual({
      type: 'object',
      properties: {
        width: { type: 'integer', format: 'int64', minimum: 1, maximum: most },
        unit: { type: ['string', 'null'] },
      },
      additionalProperties: false,
    });
  });

  test.each(['RuleCreate', 'RuleReplace', 'RuleUpdate', 'Rule', 'RuleSelection', 'RulePage'])(
    'no member but those of %s',
    (name) => expect(at(rules, `components schemas ${name} additionalProperties`)).toBe(false),
  );

  test('a whole record has every field, a selection its id', () => {
    const { properties, required } = at(rules, 'components schemas Rule') as {
      properties: object;
      required: readonly string[];
    };
    expect(required).toEqual(Object.keys(properties));
    expect(required).toHaveLength(14);
    expect(at(rules, 'components schemas RuleSelection required')).toEqual(['id']);
  });
});

test('links in a body are a list of all, or what is added and removed', () => {
  const all = documentOf(everything);
  const id = { type: 'integer', format: 'int64', minimum: -most, maximum: most };
  const pivot = {
    type: 'object',
    properties: { position: id },
    additionalProperties: false,
  };
  const link = { type: 'object', properties: { id, pivot }, required: ['id'] };
  const list = {
    type: 'array',
    items: { anyOf: [id, { ...link, additionalProperties: false }] },
  };
  expect(at(all, 'components schemas ThingTagsLinks anyOf')).toEqual([
    list,
    {
      type: 'object',
      properties: {
        create: { type: 'array', items: { $ref: '#/components/schemas/ThingTagsCreate' } },
        update: {
          type: 'array',
          items: {
            allOf: [
              { $ref: '#/components/schemas/TagUpdate' },
              { type: 'object', required: ['id'] },
            ],
          },
        },
        delete: { type: 'array', items: id },
        add: list,
        remove: {
          type: 'array',
          items: {
            anyOf: [
              id,
              { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
            ],
          },
        },
      },
      additionalProperties: false,
    },
  ]);
  // A new record has no link yet whose pivot could stay.
  expect(at(all, 'components schemas ThingTagsNewLinks anyOf 0 items')).toEqual({
    ...link,
    properties: { id, pivot: { ...pivot, required: ['position'] } },
    required: ['id', 'pivot'],
    additionalProperties: false,
  });
  expect(at(all, 'components schemas ThingCreate properties tags $ref')).toBe(
    '#/components/schemas/ThingTagsNewLinks',
  );
  // A tag's side of the junction tells nothing of the position that every link needs.
  expect(at(all, 'components schemas TagThingsNewLinks')).toMatchObject({ maxItems: 0 });
  expect(at(all, 'components schemas ThingTagsItem required')).toContain('pivot');
  expect(at(all, 'components schemas ThingTagsItem properties pivot required')).toEqual([
    'position',
  ]);
});

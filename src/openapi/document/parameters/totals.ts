import type { JsonSchema } from '../schema.ts';

const value: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };

function byField(description: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', description, additionalProperties: schema };
}

/** What a list with `group` or `aggregate` answers: of all resources alike, since the request names the members. */
export const totalsSchema: JsonSchema = {
  type: 'array',
  description: 'With group or aggregate: the groups, each with the functions that are asked for.',
  items: {
    type: 'object',
    properties: {
      group: byField('What the records of the group have in common, by the names of group.', value),
      count: { type: 'integer', description: 'How many records there are.' },
      sum: byField(
        'Exact sums of integers and decimals. A decimal, and an integer beyond 2^53, is a string. Null without values.',
        { type: ['string', 'number', 'null'] },
      ),
      avg: byField(
        'Exact sums over counts, of integers and decimals as a decimal in a string with six further places.',
        { type: ['string', 'number', 'null'] },
      ),
      min: byField('The least value of each field.', value),
      max: byField('The greatest value of each field.', value),
      countDistinct: byField('How many different values each field has, without null.', {
        type: 'integer',
      }),
    },
    required: ['group'],
    additionalProperties: false,
  },
};

import { breaks } from '../../problem-rules.ts';
import type { FieldType } from '../api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { wrongType } from '../values.ts';
import { readValue } from '../validation/read-value.ts';
import { partsOfDefault, readItems, storedAsJson } from './json.ts';

export const arrayType: FieldType = {
  name: 'array',
  otherNames: ['list'],
  attributes: ['described', 'column', 'drawnValues', 'items'],
  json: 'array',
  kind: 'array',
  comparison: 'items',
  sortable: true,
  read: (value, field) => {
    if (!Array.isArray(value))
      return wrongType('must be an array', breaks('type', { expected: 'array' }));
    const { items } = field;
    if (items === undefined) throw new TypeError(`Array ${field.name} has no items`);
    return readItems(value, (item) => readValue(item, items));
  },
  parse: (text, field) => field.items?.type.parse(text, field.items),
  expects: (field) => field.items?.type.expects(field.items) ?? 'an item',
  ...storedAsJson,
  schema: ({ items }, below) => ({ type: 'array', items: items === undefined ? {} : below(items) }),
  wireName: () => 'array',
  examples: ({ items, attributes }, exampleOf): readonly JsonValue[] => {
    const item = items && exampleOf(items);
    if (item === undefined) return [[]];
    return [Array.from({ length: Math.max(1, attributes.minItems ?? 0) }, () => item)];
  },
  generated: 'parts',
  fromDefault: (text) => {
    const value = partsOfDefault(text);
    return Array.isArray(value) ? value : undefined;
  },
};

import type { FieldType } from '../api.ts';
import { wrongType } from '../values.ts';
import { operatorSets } from '../operators.ts';
import { readValue } from '../validation.ts';
import { readItems, storedAsJson } from './json.ts';

export const arrayType: FieldType = {
  name: 'array',
  operators: operatorSets.array,
  sortable: true,
  read: (value, field) => {
    if (!Array.isArray(value)) return wrongType('must be an array');
    const { items } = field;
    if (items === undefined) throw new TypeError(`Array ${field.name} has no items`);
    return readItems(value, (item) => readValue(item, items));
  },
  parse: (text, field) => field.items?.type.parse(text, field.items),
  expects: (field) => field.items?.type.expects(field.items) ?? 'an item',
  ...storedAsJson,
};

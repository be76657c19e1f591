import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { operatorSets } from '../operators.ts';
import { readText } from './string.ts';
import { oneOf } from '../values.ts';

export const enumType: FieldType = {
  name: 'enum',
  operators: operatorSets.equality,
  sortable: true,
  read: readText,
  parse: (text, field) => (field.values?.includes(text) === true ? text : undefined),
  expects: (field) => oneOf(field.values ?? []),
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text COLLATE "C"', form: 'plain' },
  forms: { plain },
};

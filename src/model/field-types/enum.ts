import type { FieldType } from '../api.ts';
import { plain, shortest } from './plain.ts';
import { exampleTexts, readText } from './texts/string.ts';
import { oneOf } from '../values.ts';

export const enumType: FieldType = {
  name: 'enum',
  attributes: [
    'described',
    'column',
    'scalar',
    'template',
    'textEnum',
    'allowedValues',
    'collated',
  ],
  json: 'string',
  kind: 'string',
  hasFewValues: true,
  allowed: ({ enum: listed, values }) => listed ?? values,
  comparison: 'equality',
  sortable: true,
  read: readText,
  parse: (text, field) => (field.values?.includes(text) === true ? text : undefined),
  expects: (field) => oneOf(field.values ?? []),
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text COLLATE "C"', form: 'plain' },
  forms: { plain },
  longest: () => shortest,
  schema: () => ({ type: 'string' }),
  wireName: () => 'enum',
  examples: exampleTexts,
  generated: 'text',
  fromDefault: (text, { values }) => (values?.includes(text) === true ? text : undefined),
};

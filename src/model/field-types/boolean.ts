import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongType } from '../values.ts';
import { operatorSets } from '../operators.ts';

export const booleanType: FieldType = {
  name: 'boolean',
  operators: operatorSets.equality,
  sortable: true,
  read: (value) =>
    typeof value === 'boolean' ? accept(value) : wrongType('must be true or false'),
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expects: () => 'true or false',
  sqlite: { column: () => 'INTEGER', form: 'zeroOne' },
  postgres: { column: () => 'boolean', form: 'boolean' },
  forms: {
    boolean: plain,
    zeroOne: { encode: (value) => (value === true ? 1 : 0), decode: (stored) => stored !== 0 },
  },
};

import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongType, wrongValue } from '../values.ts';
import { operatorSets } from '../operators.ts';

/** A UUID of any version in lower case; undefined for other text. */
export function parseUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text)
    ? text.toLowerCase()
    : undefined;
}

export const uuidType: FieldType = {
  name: 'uuid',
  operators: operatorSets.ordered,
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string') return wrongType('must be a UUID in a string');
    const uuid = parseUuid(value);
    return uuid === undefined ? wrongValue('must be a UUID') : accept(uuid);
  },
  parse: parseUuid,
  expects: () => 'a UUID',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'uuid', form: 'plain' },
  forms: { plain },
};

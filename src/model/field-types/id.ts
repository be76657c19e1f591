import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongValue } from '../values.ts';
import type { Field } from '../api.ts';
import { operatorSets } from '../operators.ts';
import { integerType } from './integer.ts';
import { parseText, readText } from './string.ts';
import { uuidType } from './uuid.ts';

const textId: Pick<FieldType, 'read' | 'parse' | 'expects'> = {
  read: (value) => {
    const reading = readText(value);
    if (!reading.ok) return reading;
    const length = Array.from(reading.value as string).length;
    return length >= 1 && length <= 255
      ? accept(reading.value)
      : wrongValue('must have 1 to 255 characters');
  },
  parse: parseText,
  expects: () => 'text without a NUL character',
};

/** What an id of this format reads as: a whole number, a UUID, or text. */
function kindOf(field: Field): Pick<FieldType, 'read' | 'parse' | 'expects'> {
  const { format } = field.attributes;
  return format === 'uuid' ? uuidType : format === 'string' ? textId : integerType;
}

/** Whether the database draws the id: clients never send it. */
export function isGenerated(field: Field): boolean {
  return field.type === idType && field.attributes.format === undefined;
}

export const idType: FieldType = {
  name: 'id',
  operators: operatorSets.ordered,
  sortable: true,
  read: (value, field) => kindOf(field).read(value, field),
  parse: (text, field) => kindOf(field).parse(text, field),
  expects: (field) => kindOf(field).expects(field),
  sqlite: {
    column: (field) =>
      isGenerated(field) ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'TEXT NOT NULL PRIMARY KEY',
    form: 'plain',
  },
  forms: { plain },
};

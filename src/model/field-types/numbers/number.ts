import { beyondDouble } from './numbers.ts';
import { breaks } from '../../../problem-rules.ts';
import type { FieldType } from '../../api.ts';
import { boundsSchema, defaultNumber, exampleNumbers } from './numbers.ts';
import { plain, shortest } from '../plain.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';
import { ExactNumber } from '../../exact-number.ts';

export const numberType: FieldType = {
  name: 'number',
  otherNames: ['float', 'double', 'real'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'number'],
  json: 'number',
  kind: 'number',
  number: 'double',
  comparison: 'order',
  sortable: true,
  read: (value) => {
    const number = value instanceof ExactNumber ? Number(value.text) : value;
    if (typeof number !== 'number')
      return wrongType('must be a number', breaks('type', { expected: 'number' }));
    if (!Number.isFinite(number)) return wrongValue('is too large for a number', beyondDouble);
    // -0 is written as 0 in JSON, so it is stored as that.
    return accept(number === 0 ? 0 : number);
  },
  parse: (text) => {
    if (!/^-?\d{1,400}(?:\.\d{1,400})?$/u.test(text)) return undefined;
    const number = Number(text);
    if (!Number.isFinite(number)) return undefined;
    return number === 0 ? 0 : number;
  },
  expects: () => 'a plain decimal number',
  sqlite: { column: () => 'REAL', form: 'plain' },
  postgres: { column: () => 'double precision', form: 'plain' },
  forms: { plain },
  longest: () => shortest,
  schema: () => ({ type: 'number', format: 'double' }),
  sentSchema: (field) => boundsSchema(field),
  wireName: () => 'number',
  examples: exampleNumbers,
  generated: 'number',
  fromDefault: (text) => defaultNumber(text, Number.isFinite),
};

import { readStored } from '../../model/field-types/json.ts';
import { exact, type Kind } from './kind.ts';
import { baseOf, type StoredKind } from './stored-kind.ts';

function convert(text: string, to: StoredKind): ReturnType<typeof exact> | undefined {
  const value = readStored(text);
  const base = baseOf(to);
  if (base === 'string') return typeof value === 'string' ? exact(value) : undefined;
  const isArray = Array.isArray(value);
  const fits = base === 'array' ? isArray : typeof value === 'object' && value !== null && !isArray;
  return fits ? exact(text) : undefined;
}

const drops = 'repeated members';
const column = (): string => 'jsonb';

/** Any JSON. */
export const json: Kind = {
  becomes: ['object', 'array'],
  drops,
  sqlite: { column: 'TEXT', convert },
  postgres: {
    column,
    convert: (expression, to) => {
      const base = baseOf(to);
      return base === 'string'
        ? {
            value: `CASE WHEN jsonb_typeof(${expression}) = 'string' THEN ${expression} #>> '{}' END`,
          }
        : { value: `CASE WHEN jsonb_typeof(${expression}) = '${base}' THEN ${expression} END` };
    },
  },
};

/** An object or an array. */
export const structured: Kind = {
  becomes: [],
  drops,
  sqlite: { column: 'TEXT', json: (text) => text },
  postgres: { column, json: (expression) => expression },
};

/** Of a column that declares no kind: each value is what it looks like. Migrations convert from it, and never create it. */
export const any: Kind = {
  becomes: ['object', 'array'],
  sqlite: { column: 'TEXT' },
  postgres: { column: () => 'text' },
};

import { isBase64 } from '../../model/field-types/texts/bytes.ts';
import { exact, inForm, type Kind, type StoredValue } from './kind.ts';
import { baseOf } from './stored-kind.ts';

const uuidForm = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const bytesForm = '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** SQL: Base64 in one line. */
function base64Of(bytes: string): string {
  return `translate(encode(${bytes}, 'base64'), chr(10), '')`;
}

export const string: Kind = {
  // Whatever is read from a text.
  becomes: [],
  sqlite: { column: 'TEXT' },
  postgres: { column: () => 'text' },
};

export const boolean: Kind = {
  becomes: ['integer', 'bigint', 'number'],
  sqlite: {
    column: 'INTEGER',
    text: (stored) => (Number(stored) === 0 ? 'false' : 'true'),
    json: (text) => text,
    fromText: (text) =>
      text === 'true' || text === 'false' ? exact(text === 'true' ? 1n : 0n) : undefined,
    convert: (text) => exact(text === 'true' ? 1n : 0n),
  },
  postgres: {
    column: () => 'boolean',
    json: (column) => `to_jsonb(${column})`,
    fromText: (text) => ({
      value: `CASE ${text} WHEN 'true' THEN true WHEN 'false' THEN false END`,
    }),
    convert: (column, to) => ({
      value: `${column}::int::${baseOf(to) === 'number' ? 'double precision' : 'bigint'}`,
    }),
  },
};

export const uuid: Kind = {
  becomes: [],
  sqlite: {
    column: 'TEXT',
    fromText: (text) =>
      new RegExp(uuidForm, 'u').test(text) ? exact(text.toLowerCase()) : undefined,
  },
  postgres: {
    column: () => 'uuid',
    fromText: (text) => ({ value: inForm(uuidForm, text, `${text}::uuid`) }),
  },
};

export const bytes: Kind = {
  becomes: [],
  sqlite: {
    column: 'BLOB',
    text: (stored: StoredValue) => (Buffer.isBuffer(stored) ? stored.toString('base64') : ''),
    fromText: (text) => (isBase64(text) ? exact(Buffer.from(text, 'base64')) : undefined),
  },
  postgres: {
    column: () => 'bytea',
    text: base64Of,
    fromText: (text) => {
      const decoded = `decode(${text}, 'base64')`;
      const value = `CASE WHEN ${base64Of(decoded)} = ${text} THEN ${decoded} END`;
      return { value: inForm(bytesForm, text, value) };
    },
  },
};

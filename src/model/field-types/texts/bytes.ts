import { breaks } from '../../../problem-rules.ts';
import type { Codec, Field, FieldType, RandomChoices } from '../../api.ts';
import { plain } from '../plain.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';

/** Standard base64 with padding, in the one way to write its bytes. */
export function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

const pattern = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

function hexOf(value: unknown): string {
  return Buffer.from(String(value), 'base64').toString('hex').toUpperCase();
}

function fromHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

/** A BLOB, which the dialect reads and binds as hexadecimal digits. */
const blob: Codec = {
  isBytes: true,
  encode: hexOf,
  decode: (stored) => fromHex(String(stored)),
};

const bytea: Codec = {
  encode: (value) => String.raw`\x${hexOf(value)}`,
  decode: (stored) => fromHex(String(stored).slice(2)),
};

/** Bytes of which the text fits the field, as far as there are any. */
function randomBytes(random: RandomChoices, { attributes }: Field): string {
  const { minLength = 0, maxLength = Infinity } = attributes;
  const groups = Math.min(Math.max(4, Math.ceil(minLength / 4)), Math.floor(maxLength / 4));
  return Buffer.from(Array.from({ length: 3 * groups }, () => random.below(256))).toString(
    'base64',
  );
}

const bytes: Omit<FieldType, 'member'> = {
  name: 'string',
  attributes: [
    'described',
    'column',
    'scalar',
    'drawnValues',
    'length',
    'stringFormat',
    'textEnum',
  ],
  json: 'string',
  kind: 'bytes',
  comparison: 'equality',
  sortable: false,
  format: 'base64',
  read: (value) => {
    if (typeof value !== 'string')
      return wrongType('must be a string', breaks('type', { expected: 'string' }));
    return isBase64(value)
      ? accept(value)
      : wrongValue(
          'must be standard base64 with padding, such as aGVsbG8=',
          breaks('format', { format: 'base64' }),
        );
  },
  parse: (text) => (isBase64(text) ? text : undefined),
  expects: () => 'standard base64 with padding, such as aGVsbG8=',
  sqlite: { column: () => 'BLOB', form: 'blob' },
  postgres: { column: () => 'bytea', form: 'bytea' },
  forms: { blob, bytea },
  // Two hexadecimal digits are a byte, and four characters of base64 are three.
  longest: ({ attributes: { maxLength = Infinity } }) => 2 + 2 * maxLength,
  schema: () => ({ type: 'string', contentEncoding: 'base64', pattern }),
  comparedSchema: () => ({ type: 'string' }),
  wireName: () => 'base64',
  examples: () => ['aGVsbG8=', 'AAAA', ''],
  generated: randomBytes,
  fromDefault: (text) => (isBase64(text) ? text : undefined),
};

/**
 * `format: base64` of a string: bytes. They have no order, and inside objects and arrays they are their text. See
 * docs/contract/1-specification-file.md#field-types, rule 17.
 */
export const bytesType: FieldType = {
  ...bytes,
  member: {
    ...bytes,
    sqlite: { column: () => 'TEXT', form: 'plain' },
    postgres: { column: () => 'text', form: 'plain' },
    forms: { plain },
  },
};

import { breaks } from '../../../problem-rules.ts';
import { isIPv4, isIPv6 } from 'node:net';
import type { AttributeSet } from '../../../specification/keys/attribute.ts';
import type { FieldSpecification } from '../../../specification/specification.ts';
import type { Field, FieldType } from '../../api.ts';
import { bytesType } from './bytes.ts';
import { nativeText } from './native-text.ts';
import { plain } from '../plain.ts';
import { uuidType } from './uuid.ts';
import { accept, wrongType, wrongValue, type ParsedValue } from '../../values.ts';

interface Format {
  readonly test: (text: string) => boolean;
  readonly means: string;
  /** What JSON Schema says of it. */
  readonly schema: { readonly format?: string; readonly pattern?: string };
  readonly example: string;
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const hostname = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`, 'u');
/** Letters of every script, as RFC 6531 and internationalised domain names have them. */
const mailLocal = /^[^\s@"(),:;<>[\]\\\p{Cc}]{1,64}$/u;
const mailLabel = '[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
const mailDomain = new RegExp(`^(?=.{1,253}$)${mailLabel}(?:\\.${mailLabel})*$`, 'u');

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && mailLocal.test(text.slice(0, at)) && mailDomain.test(text.slice(at + 1));
}

/** An absolute URL with an authority, so that `javascript:` and the like are none. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]/iu.test(text) && !/\s/u.test(text) && URL.canParse(text);
}

export const formats: Readonly<Record<string, Format>> = {
  email: {
    test: isEmail,
    means: 'an e-mail address',
    schema: { format: 'email' },
    example: 'ann@example.com',
  },
  url: {
    test: isUrl,
    means: 'an absolute URL such as https://example.com/a',
    schema: { format: 'uri' },
    example: 'https://example.com/a',
  },
  slug: {
    test: (text) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(text),
    means: 'a slug: lower-case letters, digits and single hyphens',
    schema: { pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
    example: 'a-slug',
  },
  hostname: {
    test: (text) => hostname.test(text),
    means: 'a host name',
    schema: { format: 'hostname' },
    example: 'example.com',
  },
  ipv4: {
    test: isIPv4,
    means: 'an IPv4 address',
    schema: { format: 'ipv4' },
    example: '192.0.2.1',
  },
  // A zone (`fe80::1%eth0`) says something of one machine; the format of JSON Schema has none.
  ipv6: {
    test: (text) => isIPv6(text) && !text.includes('%'),
    means: 'an IPv6 address',
    schema: { format: 'ipv6' },
    example: '2001:db8::1',
  },
};

/** A string that every database can hold: no NUL, no lone surrogate. */
export function readText(value: unknown): ParsedValue {
  if (typeof value !== 'string')
    return wrongType('must be a string', breaks('type', { expected: 'string' }));
  if (value.includes('\0'))
    return wrongValue('must not hold a NUL character', breaks('characters'));
  if (!value.isWellFormed())
    return wrongValue('must not hold half of a surrogate pair', breaks('characters'));
  return accept(value);
}

/** A filter's text for a string field. */
export function parseText(text: string): string | undefined {
  return readText(text).ok ? text : undefined;
}

/** The format of a text: what its type stands for, or what the file says. */
export function formatOf({ type, attributes }: Field): string | undefined {
  return type.format ?? attributes.format;
}

function knownFormat(field: Field): Format | undefined {
  return formats[formatOf(field) ?? ''];
}

/** Texts that a field may have: of its format, as its name says, or letters alone. */
export function exampleTexts(field: Field): readonly string[] {
  const { attributes, name } = field;
  const known = knownFormat(field)?.example;
  const least = attributes.minLength ?? 0;
  const text = `${name} example`.slice(0, attributes.maxLength ?? undefined);
  return [
    ...(known === undefined ? [] : [known]),
    text.padEnd(least, 'x'),
    'A'.repeat(Math.max(1, least)),
  ];
}

/** Absolute, with an authority. */
const urlPattern = String.raw`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]\S*$`;

const attributes: readonly AttributeSet[] = [
  'described',
  'column',
  'scalar',
  'drawnValues',
  'template',
  'length',
  'collated',
];

function defaultText(
  text: string,
  { maxLength = Infinity, minLength = 0, pattern }: FieldSpecification,
): string | undefined {
  const length = Array.from(text).length;
  return length <= maxLength &&
    length >= minLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
    text !== 'now' &&
    text !== 'uuid'
    ? text
    : undefined;
}

/** What the types of strings have alike. */
const textual = {
  attributes,
  json: 'string',
  kind: 'string',
  comparison: 'text',
  sortable: true,
  read: (value: unknown, field: Field): ParsedValue => {
    const reading = readText(value);
    const format = knownFormat(field);
    if (!reading.ok || format === undefined || format.test(reading.value as string)) return reading;
    return wrongValue(
      `must be ${format.means}`,
      breaks('format', { format: formatOf(field) ?? '' }),
    );
  },
  parse: parseText,
  expects: () => 'text without a NUL character',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text COLLATE "C"', form: 'plain' },
  forms: { plain },
  // Beyond the first 65,536 characters of Unicode one counts as two.
  longest: ({ attributes: { maxLength = Infinity } }: Field) => 2 * maxLength,
  schema: (field: Field) => ({ type: 'string', ...knownFormat(field)?.schema }),
  sentSchema: (field: Field) => (formatOf(field) === 'url' ? { pattern: urlPattern } : {}),
  comparedSchema: () => ({ type: 'string' }),
  wireName: () => 'string',
  examples: exampleTexts,
  generated: 'text',
} as const;

export const stringType: FieldType = {
  ...textual,
  name: 'string',
  otherNames: ['char', 'varchar', 'nvarchar', 'password', 'phone'],
  attributes: [...attributes, 'stringFormat', 'textEnum'],
  text: 'short',
  variant: ({ format }) =>
    format === undefined || format in formats
      ? stringType
      : format === 'uuid'
        ? uuidType
        : format === 'base64'
          ? bytesType
          : nativeText(format, stringType),
  fromDefault: defaultText,
};

export const textType: FieldType = {
  ...textual,
  name: 'text',
  otherNames: ['longtext', 'mediumtext', 'markdown', 'html'],
  text: 'long',
  fromDefault: defaultText,
};

export const emailType: FieldType = {
  ...textual,
  name: 'email',
  format: 'email',
  recognition: { text: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(text) },
  fromDefault: () => undefined,
};

export const urlType: FieldType = {
  ...textual,
  name: 'url',
  otherNames: ['uri'],
  format: 'url',
  recognition: { text: (text) => /^https?:\/\/[^\s/]+\S*$/u.test(text) },
  fromDefault: () => undefined,
};

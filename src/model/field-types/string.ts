import { isIPv4, isIPv6 } from 'node:net';
import type { TypeName } from '../../specification/specification.ts';
import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongType, wrongValue, type ParsedValue } from '../values.ts';
import { operatorSets } from '../operators.ts';

interface Format {
  readonly test: (text: string) => boolean;
  readonly means: string;
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
  email: { test: isEmail, means: 'an e-mail address' },
  url: { test: isUrl, means: 'an absolute URL such as https://example.com/a' },
  slug: {
    test: (text) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(text),
    means: 'a slug: lower-case letters, digits and single hyphens',
  },
  hostname: { test: (text) => hostname.test(text), means: 'a host name' },
  ipv4: { test: isIPv4, means: 'an IPv4 address' },
  // A zone (`fe80::1%eth0`) says something of one machine; the format of JSON Schema has none.
  ipv6: { test: (text) => isIPv6(text) && !text.includes('%'), means: 'an IPv6 address' },
};

/** A string that every database can hold: no NUL, no lone surrogate. */
export function readText(value: unknown): ParsedValue {
  if (typeof value !== 'string') return wrongType('must be a string');
  if (value.includes('\0')) return wrongValue('must not hold a NUL character');
  if (!value.isWellFormed()) return wrongValue('must not hold half of a surrogate pair');
  return accept(value);
}

/** A filter's text for a string field. */
export function parseText(text: string): string | undefined {
  return readText(text).ok ? text : undefined;
}

/** Makes a type of strings; `fixedFormat` is the format that the type itself stands for. */
function textual(name: TypeName, fixedFormat?: string): FieldType {
  return {
    name,
    operators: operatorSets.textual,
    sortable: true,
    read: (value, field) => {
      const reading = readText(value);
      const format = formats[fixedFormat ?? field.attributes.format ?? ''];
      if (!reading.ok || format === undefined || format.test(reading.value as string))
        return reading;
      return wrongValue(`must be ${format.means}`);
    },
    parse: parseText,
    expects: () => 'text without a NUL character',
    sqlite: { column: () => 'TEXT', form: 'plain' },
    postgres: { column: () => 'text COLLATE "C"', form: 'plain' },
    forms: { plain },
  };
}

export const stringType = textual('string');
export const textType = textual('text');
export const emailType = textual('email', 'email');
export const urlType = textual('url', 'url');

import { breaks } from '../../../problem-rules.ts';
import { isIPv4, isIPv6 } from 'node:net';
import type { FieldType } from '../../api.ts';
import { wrongValue } from '../../values.ts';
import { nativeDraws } from './native-draws.ts';

/** A type of PostgreSQL whose values are texts on the wire, as PostgreSQL writes them. */
interface NativeText {
  readonly test: (text: string) => boolean;
  readonly means: string;
  /** The `format` of JSON Schema, if it has one for such texts. */
  readonly format?: string;
  readonly example: string;
}

function isAddress(text: string): boolean {
  const [address = '', bits = '0', another] = text.split('/');
  const isWhole = another === undefined && /^\d{1,3}$/u.test(bits);
  if (isIPv4(address)) return isWhole && Number(bits) <= 32;
  return isIPv6(address) && !address.includes('%') && isWhole && Number(bits) <= 128;
}

/** At most so many digits that no part overflows. */
const duration =
  /^-?P(?=[\d-]|T)(?:-?\d{1,7}Y)?(?:-?\d{1,9}M)?(?:-?\d{1,8}W)?(?:-?\d{1,9}D)?(?:T(?=[\d-])(?:-?\d{1,9}H)?(?:-?\d{1,9}M)?(?:-?\d{1,9}(?:\.\d{1,6})?S)?)?$/u;

/**
 * Types whose order PostgreSQL has, and whose texts can be told from others before a statement fails on them: so they
 * can be compared and sorted. Values of any other type are compared as texts, and sorted if the database has an order of them.
 */
const ordered: Readonly<Record<string, NativeText>> = {
  inet: {
    test: isAddress,
    means: 'an IP address, perhaps with a prefix length, such as 10.0.0.1 or 10.0.0.0/8',
    example: '10.0.0.1',
  },
  cidr: { test: isAddress, means: 'a network such as 10.0.0.0/8', example: '10.0.0.0/8' },
  macaddr: {
    test: (text) => /^[\da-f]{2}(?::[\da-f]{2}){5}$/iu.test(text),
    means: 'a MAC address such as 08:00:2b:01:02:03',
    example: '08:00:2b:01:02:03',
  },
  macaddr8: {
    test: (text) => /^[\da-f]{2}(?::[\da-f]{2}){7}$/iu.test(text),
    means: 'a MAC address of 8 bytes such as 08:00:2b:01:02:03:04:05',
    example: '08:00:2b:01:02:03:04:05',
  },
  interval: {
    test: (text) => duration.test(text),
    means: 'an ISO 8601 duration such as P1DT2H',
    format: 'duration',
    example: 'P1DT2H',
  },
  timetz: {
    test: (text) =>
      /^(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?[+-](?:0\d|1[0-5])(?::[0-5]\d)?$/u.test(text),
    means: 'a time with an offset such as 14:05:00+02',
    example: '14:05:00+02',
  },
};

const made = new Map<string, FieldType>();

/** The type of a `string` with the `format` of a type of PostgreSQL. See docs/contract/8-existing-databases.md#types. */
export function nativeText(format: string, string: FieldType): FieldType {
  let type = made.get(format);
  if (type === undefined) {
    const known = ordered[format];
    const plain: FieldType = {
      ...string,
      columnType: format,
      comparison: known === undefined ? 'equality' : 'order',
      sortable: known !== undefined,
      read: (value, field) => {
        const parsed = string.read(value, field);
        if (!parsed.ok || known === undefined || known.test(parsed.value as string)) return parsed;
        return wrongValue(`must be ${known.means}`, breaks('format', { format }));
      },
      parse: (text, field) =>
        known === undefined || known.test(text) ? string.parse(text, field) : undefined,
      expects: () => known?.means ?? 'text without a NUL character',
      schema: () => ({ type: 'string', format: known?.format ?? format }),
      sentSchema: () => ({}),
      comparedSchema: () => ({ type: 'string' }),
      examples: () => (known === undefined ? [] : [known.example]),
      // Nobody else knows which texts are values of the type.
      generated: nativeDraws[format] ?? (() => null),
    };
    type =
      known === undefined
        ? { ...plain, whereOrdered: { ...plain, sortable: true, isUnchecked: true } }
        : plain;
    made.set(format, type);
  }
  return type;
}

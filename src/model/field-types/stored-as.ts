import { breaks, type BrokenRule } from '../../problem-rules.ts';
import type { StoredAs } from '../../specification/specification.ts';
import type { WriteOperation } from '../access.ts';
import type { Field, FieldType, NativeColumn, Storage } from '../api.ts';
import { wrongValue } from '../values.ts';
import { integerType } from './numbers/integer.ts';
import { numberType } from './numbers/number.ts';
import { stringType } from './texts/string.ts';

/** The type of which a column is that holds another one in a form of its own. */
const holders = { string: stringType, integer: integerType, number: numberType } as const;

/** What a column holds, by the form of its field (`storedAs`). */
export const heldAs: Readonly<Record<StoredAs, keyof typeof holders>> = {
  isoText: 'string',
  isoSeconds: 'string',
  sqlText: 'string',
  sqlMicroseconds: 'string',
  sqlMixed: 'string',
  sqlUtc: 'string',
  sqlOffset: 'string',
  isoOffset: 'string',
  unixSeconds: 'integer',
  unixMilliseconds: 'integer',
  scaled: 'integer',
  real: 'number',
  text: 'string',
  '1/0': 'integer',
  'Y/N': 'string',
  'y/n': 'string',
  'T/F': 'string',
  't/f': 'string',
  'yes/no': 'string',
  'true/false': 'string',
};

/** What a database says of the column of a field. */
export interface FoundForm {
  /** The stored form, if it is not the usual one and the file names none. */
  readonly storedAs?: StoredAs;
  /** The column itself, if its table is not managed. */
  readonly native?: NativeColumn;
}

/** What a database says of the columns of a resource: by field. */
export type FieldForms = ReadonlyMap<string, FoundForm>;

/** What a database says of the table of a resource. */
export interface TableForm {
  readonly fields: FieldForms;
  /** Whether it is a view that may not show what is written through it. Known of unmanaged tables. */
  readonly isView: boolean;
  /** The writes that the database does not take. Known of unmanaged tables. */
  readonly closed: ReadonlySet<WriteOperation>;
}

/** A table of which nothing is known but that it is one, as managed ones are. */
export const plainTable: TableForm = { fields: new Map(), isView: false, closed: new Set() };

/** What a database says of the tables of an Api: by resource. */
export type FoundForms = ReadonlyMap<string, TableForm>;

/** The first and the last moment that there is on the wire, years 1 to 9999. */
export const momentBounds = {
  unixSeconds: [-62_135_596_800, 253_402_300_799],
  unixMilliseconds: [-62_135_596_800_000, 253_402_300_799_999],
} as const;

/** The digits of values, if the form has others than the type. */
const digitsOf: Readonly<Partial<Record<StoredAs, FieldType['digits']>>> = {
  sqlMicroseconds: { precision: 6, scale: 0 },
  sqlMixed: { precision: 6, scale: 0 },
};

const made = new Map<string, FieldType>();

/** A type as tables of others store it, on both databases alike. That the form is one of the type's is known. */
export function storedIn(type: FieldType, form: StoredAs): FieldType {
  const key = `${type.name} ${form}`;
  let stored = made.get(key);
  if (stored === undefined) {
    const holder = holders[heldAs[form]];
    const as = ({ column }: Storage): Storage => ({ column, form });
    const digits = digitsOf[form] ?? type.digits;
    stored = {
      ...type,
      sqlite: as(holder.sqlite),
      postgres: as(holder.postgres),
      ...(digits && { digits }),
    };
    const loss = losses[form];
    if (loss !== undefined) stored = { ...stored, read: lossless(type, loss) };
    made.set(key, stored);
  }
  return stored;
}

function isWholeSeconds(form: StoredAs | undefined): boolean {
  return form === 'unixSeconds' || form === 'isoSeconds';
}

/** Whether a field's column has no place for fractions of a second, so that none are taken. */
export function isOfWholeSeconds({ attributes }: Field): boolean {
  return isWholeSeconds(attributes.storedAs);
}

/** Whether a decimal's column has no place for all of its digits, so that not all values are taken. */
export function isOfDoubles({ attributes, precision }: Field): boolean {
  return attributes.storedAs === 'real' && precision > 15;
}

/** What a column would lose of some values: whether it keeps one, and what is said of those that it does not, with the rule that they break. */
type Loss = readonly [
  isKept: (value: string, field: Field) => boolean,
  message: string,
  broken: BrokenRule,
];

const fractions: Loss = [
  (moment) => moment.endsWith('.000Z'),
  'must be a whole second, since the database keeps no fractions',
  breaks('decimalPlaces', { max: 0 }),
];
const losses: Readonly<Partial<Record<StoredAs, Loss>>> = {
  unixSeconds: fractions,
  isoSeconds: fractions,
  real: [
    (decimal, { scale }) => Number(decimal).toFixed(scale) === decimal,
    'must have fewer digits, since the database keeps only 15 of them exactly',
    breaks('digits', { max: 15 }),
  ],
};

/** Refuses what the column would lose without a word. */
function lossless({ read }: FieldType, [isKept, message, broken]: Loss): FieldType['read'] {
  return (value, field) => {
    const parsed = read(value, field);
    return parsed.ok && !isKept(String(parsed.value), field) ? wrongValue(message, broken) : parsed;
  };
}

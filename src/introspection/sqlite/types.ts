import type { FieldSpecification, StoredAs } from '../../specification/specification.ts';
import { momentTexts, wordForms } from '../../specification/stored-forms.ts';
import { momentIn, type ColumnHints } from '../forms.ts';
import type { ColumnType } from '../table.ts';

/** Counts of a column's values, by form. */
export interface Stored {
  readonly rows: number;
  /** Values that are not null. */
  readonly values: number;
  readonly integers: number;
  /** Integers beyond ±(2⁵³−1). */
  readonly unsafe: number;
  /** 0 and 1. */
  readonly booleans: number;
  readonly reals: number;
  /** Infinities, which SQLite stores and JSON does not have. */
  readonly endless: number;
  readonly texts: number;
  /** `2026-03-01` */
  readonly dates: number;
  /** Texts that begin with a date and a time. */
  readonly sqlMoments: number;
  readonly times: number;
  /** Other texts that begin with a time. */
  readonly sqlTimes: number;
  readonly jsons: number;
  /** The most characters of a text. */
  readonly longest: number;
}

/** The number of values in each stored form that the column may have; for a decimal as declared. */
export type StoredForms = Readonly<Partial<Record<StoredAs, number>>>;

/** The declared digits of a decimal, if doubles distinguish all of its values. */
export function declaredDigits(
  declared: string,
): { readonly precision: number; readonly scale: number } | undefined {
  const [, precision, scale] = /\((\d+)\s*,\s*(\d+)\)/u.exec(declared) ?? [];
  const digits = { precision: Number(precision), scale: Number(scale) };
  const isDecimal = digits.scale >= 1 && digits.scale <= digits.precision;
  return isDecimal && digits.precision <= 15 ? digits : undefined;
}

/** The types that all values of a column are of. */
export interface Recognised {
  /** As the column is declared. */
  readonly declared: string | undefined;
  /** By its texts alone, of which there are some. */
  readonly texts: string | undefined;
}

/** A text that numeric affinity does not convert to a number. */
const momentPattern = String.raw`^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}.*)?$`;

const timePattern = String.raw`^\d{2}:\d{2}.*$`;

/**
 * The field type for a column of SQLite, by its declared type and its values: one that serves each value as it is stored,
 * without conversion.
 */
export function sqliteType(
  declared: string,
  stored: Stored,
  forms: StoredForms,
  hints: ColumnHints,
  recognised: Recognised,
): ColumnType {
  const { values, integers, reals, texts, unsafe, endless } = stored;
  const only = (count: number): boolean => count === values;
  const as = (attributes: FieldSpecification, ...notes: string[]): ColumnType => ({
    attributes,
    notes,
  });
  if (values > integers + reals + texts) return { left: 'it holds binary data' };
  if (declared.includes('BLOB')) return { left: 'it is made for binary data' };
  if (declared === '' || declared === 'ANY') return { left: 'it is declared without a type' };
  if (endless > 0) return { left: 'it holds numbers that JSON does not know, such as infinity' };
  if (unsafe > 0) return { left: 'it holds whole numbers that JSON cannot tell exactly' };
  const isText = /CHAR|CLOB|TEXT/u.test(declared);
  const isWhole = !isText && declared.includes('INT');
  const isReal = !isText && !isWhole && /REAL|FLOA|DOUB/u.test(declared);
  if (isText) {
    if (!only(texts))
      return { left: `it is declared as ${declared} and holds other values than texts` };
    const form = hints.isFlag ? wordsOf(values, forms) : undefined;
    if (form !== undefined) return as({ type: 'boolean', storedAs: form });
    if (hints.isJson && only(stored.jsons)) return as({ type: 'json' });
    return textType(declared, stored, forms, recognised, as);
  }
  const unix = hints.isMoment || /DATE|TIME/u.test(declared) ? unixOf(values, forms) : undefined;
  if (unix !== undefined && !isReal) return as(momentIn(unix));
  if (/DATE|TIME/u.test(declared) && !isWhole && !isReal) {
    if (only(integers + reals) && values > 0)
      return as(
        { type: only(integers) ? 'integer' : 'number' },
        `Declared as ${declared} and stored as a number; it is served as one.`,
      );
    if (only(texts)) return momentType(declared, stored, forms, as);
  }
  if (recognised.declared !== undefined) return as({ type: recognised.declared });
  const isFlag = declared.includes('BOOL') || (values > 0 && hints.isFlag);
  const isTiny = declared === 'TINYINT(1)' && values > 0;
  if ((isFlag || isTiny) && only(stored.booleans)) return as({ type: 'boolean' });
  const words = declared.includes('BOOL') ? wordsOf(values, forms) : undefined;
  if (words !== undefined) return as({ type: 'boolean', storedAs: words });
  // Such as UUID, ENUM or INET: SQLite keeps their texts as they are.
  const isWordy = !isWhole && !isReal && !/DEC|NUMERIC|NUMBER|MONEY|BOOL|DATE|TIME/u.test(declared);
  if (texts > 0 && !(isWordy && only(texts)))
    return { left: `it is declared as ${declared} and holds texts` };
  if (texts > 0) return textType(declared, stored, forms, recognised, as);
  if (
    isWhole ||
    (!isReal &&
      values > 0 &&
      only(integers) &&
      !/[(,]\s*\d+\s*,\s*[1-9]|DEC|NUM|MONEY/u.test(declared))
  )
    return only(integers)
      ? as({ type: 'integer' })
      : { left: `it is declared as ${declared} and holds fractions` };
  const digits = declaredDigits(declared);
  if (digits !== undefined && only(forms.real ?? 0))
    return as({ type: 'decimal', ...digits, storedAs: 'real' });
  const [, precision, scale] = /\((\d+)\s*,\s*(\d+)\)/u.exec(declared) ?? [];
  if (precision === undefined) return as({ type: 'number' });
  const exact =
    Number(precision) > 18
      ? ''
      : ` For exact decimals say { type: decimal, precision: ${precision}, scale: ${scale} }: migrate then converts the column.`;
  return as({ type: 'number' }, `Declared as ${declared} and stored as floating point.${exact}`);
}

/**
 * The field type for a column of a table that is not managed: as `sqliteType`, but where that has none, one that serves
 * values of any kind.
 */
export function servedType(
  narrow: ColumnType,
  declared: string,
  { values, integers, reals, texts, unsafe, endless, longest }: Stored,
): ColumnType {
  if (!('left' in narrow)) return narrow;
  const only = (count: number): boolean => values > 0 && count === values;
  const plain = (attributes: FieldSpecification, ...notes: string[]): ColumnType => ({
    attributes,
    notes,
  });
  const bytes = values - integers - reals - texts;
  if (only(bytes) || (values === 0 && declared.includes('BLOB')))
    return plain({ type: 'string', format: 'base64' });
  if (only(integers))
    return plain({ type: 'integer', ...(unsafe > 0 ? { format: 'bigint' } : {}) });
  if (only(integers + reals) && unsafe + endless === 0) return plain({ type: 'number' });
  const text = { type: longest > 255 ? 'text' : 'string' } as const;
  return values === 0 || only(texts)
    ? plain(text)
    : plain(text, `Each value is served as text: ${narrow.left}.`);
}

/** The words for true and false, if all values are such words. */
function wordsOf(values: number, forms: StoredForms): StoredAs | undefined {
  return values === 0 ? undefined : wordForms.find((form) => forms[form] === values);
}

/** The numeric form of datetimes, if all values have it. */
function unixOf(values: number, forms: StoredForms): StoredAs | undefined {
  return values === 0
    ? undefined
    : (['unixSeconds', 'unixMilliseconds'] as const).find((form) => forms[form] === values);
}

/** The text form of datetimes, if all values have it. */
function momentTextOf(values: number, forms: StoredForms): StoredAs | undefined {
  return values === 0 ? undefined : momentTexts.find((form) => forms[form] === values);
}

/** A datetime with a text form; the default form of SQLite is omitted. */
function inText(form: StoredAs): FieldSpecification {
  return form === 'isoText' ? { type: 'datetime' } : momentIn(form);
}

type As = (attributes: FieldSpecification, ...notes: string[]) => ColumnType;

function textType(
  declared: string,
  { values, longest }: Stored,
  forms: StoredForms,
  recognised: Recognised,
  as: As,
): ColumnType {
  if (recognised.texts !== undefined) return as({ type: recognised.texts });
  const form = momentTextOf(values, forms);
  if (form !== undefined) return as(inText(form));
  const [, length] = /\((\d+)\)/u.exec(declared) ?? [];
  const maxLength = Number(length ?? 0);
  if (maxLength > 0 && longest <= maxLength) return as({ type: 'string', maxLength });
  return as({ type: longest > 255 ? 'text' : 'string' });
}

function momentType(
  declared: string,
  { values, dates, sqlMoments, times, sqlTimes }: Stored,
  forms: StoredForms,
  as: As,
): ColumnType {
  if (values === 0) {
    if (/^DATE$/u.test(declared)) return as({ type: 'date' });
    return /^TIME$/u.test(declared) ? as({ type: 'time' }) : as({ type: 'datetime' });
  }
  if (dates === values) return as({ type: 'date' });
  const form = momentTextOf(values, forms);
  if (form !== undefined) return as(inText(form));
  if (times === values) return as({ type: 'time' });
  const noteOf = (usual: string): string =>
    `Declared as ${declared} and stored in another form than ${usual}; it is served as the text that is stored.`;
  if (sqlTimes + times === values)
    return as({ type: 'string', pattern: timePattern }, noteOf('14:05:00'));
  const note = noteOf('2026-03-01T14:05:00.000Z');
  return sqlMoments + dates === values
    ? as({ type: 'string', pattern: momentPattern }, note)
    : as({ type: 'string' }, noteOf('a date, and not as dates'));
}

import {
  baseOf,
  digitsOf,
  momentForm,
  precisionOf,
  textForms,
  type StoredKind,
} from '../../sql/stored-kind.ts';

/** The SQL of a converted value: null if it cannot be converted. */
interface Converted {
  readonly value: string;
  /** Whether the result loses meaning; absent if it never does. */
  readonly isInexact?: string;
}

const most = '9007199254740991';
const bigints = `BETWEEN -9223372036854775808 AND 9223372036854775807`;

/** The SQL of a conversion between two convertible kinds, with the same results as on SQLite. */
export function convertColumn(from: StoredKind, to: StoredKind, column: string): Converted {
  const [source, target] = [baseOf(from), baseOf(to)];
  if (target === 'string')
    return { value: source === 'json' ? jsonText(column) : textOf(from, column) };
  if (target === 'json') return { value: jsonOf(from, column) };
  if (source === 'json')
    return { value: `CASE WHEN jsonb_typeof(${column}) = '${target}' THEN ${column} END` };
  if (source === 'string') return fromText(to, column);
  if (source === 'integer' && target === 'bigint') return { value: column };
  if (source === 'boolean')
    return { value: `${column}::int::${target === 'number' ? 'double precision' : 'bigint'}` };
  if (source === 'date') return { value: `(${column}::timestamp AT TIME ZONE 'UTC')` };
  if (source === 'datetime') return fromMoment(to, column);
  if (target === 'boolean')
    return { value: `CASE ${column} WHEN 0 THEN false WHEN 1 THEN true END` };
  return fromNumber(to, source === 'number' ? `${column}::text::numeric` : `${column}::numeric`);
}

/** Escapes that `json` takes and `jsonb` refuses: NUL, and halves of surrogate pairs. */
const refusedEscapes = [
  String.raw`(?<!\\)(\\\\)*\\u0000`,
  String.raw`(?<!\\)(\\\\)*\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])`,
  String.raw`(?<!\\u[dD][89abAB][0-9a-fA-F]{2})(?<!\\)(\\\\)*\\u[dD][c-fC-F]`,
].join('|');

/** A string in JSON, and the colon behind it if it is the name of a member. */
const stringInJson = String.raw`"([^"\\]|\\.)*"(\s*:)?`;

/** The `jsonb` of a `json` value; null if it cannot hold that. */
export function jsonbOf(column: string): string {
  return `CASE WHEN ${column}::text !~ '${refusedEscapes}' THEN ${column}::jsonb END`;
}

/** Whether an object in a `json` value has a member twice, of which its `jsonb` keeps the last. */
export function repeatsMembers(column: string, converted: string): string {
  const names = (text: string): string =>
    `(SELECT count(found[2]) FROM regexp_matches(${text}, '${stringInJson}', 'g') AS found)`;
  return `${names(`${column}::text`)} <> ${names(`(${converted})::text`)}`;
}

/** Base64 in one line. */
function base64Of(bytes: string): string {
  return `translate(encode(${bytes}, 'base64'), chr(10), '')`;
}

function jsonText(column: string): string {
  return `CASE WHEN jsonb_typeof(${column}) = 'string' THEN ${column} #>> '{}' END`;
}

/** A value as text on the wire; numbers never have an exponent. */
function textOf(from: StoredKind, column: string): string {
  const base = baseOf(from);
  if (base === 'number') return `${column}::text::numeric::text`;
  if (base === 'date') return `to_char(${column}, 'YYYY-MM-DD')`;
  if (base === 'time') return `to_char(${column}, 'HH24:MI:SS')`;
  if (base === 'bytes') return base64Of(column);
  if (base !== 'datetime') return `${column}::text`;
  const precision = precisionOf(from);
  const text = `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
  return `left(${text}, ${precision === 0 ? 19 : 20 + precision}) || 'Z'`;
}

function jsonOf(from: StoredKind, column: string): string {
  const base = baseOf(from);
  if (base === 'object' || base === 'array') return column;
  const isItself = ['integer', 'number', 'boolean'].includes(base);
  return `to_jsonb(${isItself ? column : textOf(from, column)})`;
}

function fromMoment(to: StoredKind, column: string): Converted {
  const target = baseOf(to);
  if (target === 'datetime') {
    const value = `${column}::timestamptz(${precisionOf(to)})`;
    return { value, isInexact: `${value} <> ${column}` };
  }
  const local = `(${column} AT TIME ZONE 'UTC')`;
  if (target === 'time')
    return { value: `date_trunc('second', ${local})::time`, isInexact: `${column} IS NOT NULL` };
  return { value: `${local}::date`, isInexact: `${local} <> ${local}::date::timestamp` };
}

function fromNumber(to: StoredKind, number: string): Converted {
  const digits = digitsOf(to);
  const target = baseOf(to);
  if (target === 'numeric') return { value: `trim_scale(${number})` };
  if (target === 'number') {
    const value = `(${number})::double precision`;
    return { value, isInexact: `${value}::text::numeric <> ${number}` };
  }
  const scale = digits?.scale ?? 0;
  const rounded = `round(${number}, ${scale})`;
  const fits =
    digits === undefined
      ? target === 'bigint'
        ? `${rounded} ${bigints}`
        : `abs(${rounded}) <= ${most}`
      : `abs(${rounded}) < ${10n ** BigInt(digits.precision)}::numeric / ${10n ** BigInt(scale)}`;
  const type = digits === undefined ? 'bigint' : `numeric(${digits.precision}, ${scale})`;
  return {
    value: `CASE WHEN ${fits} THEN ${rounded}::${type} END`,
    isInexact: `${rounded} <> ${number}`,
  };
}

/** Casts a text only if its format is known to be valid, so that no row fails the statement. */
function fromText(to: StoredKind, text: string): Converted {
  const has = (form: keyof typeof textForms, value: string): string =>
    `CASE WHEN ${text} ~ '${textForms[form]}' THEN ${value} END`;
  switch (baseOf(to)) {
    case 'integer':
      return {
        value: has('integer', `CASE WHEN abs(${text}::bigint) <= ${most} THEN ${text}::bigint END`),
      };
    case 'bigint':
      return {
        value: has('bigint', `CASE WHEN ${text}::numeric ${bigints} THEN ${text}::bigint END`),
      };
    case 'number':
      return { value: has('number', `${text}::double precision + 0`) };
    case 'decimal': {
      const { value, isInexact = 'false' } = fromNumber(to, `${text}::numeric`);
      return { value: has('number', value), isInexact: has('number', isInexact) };
    }
    case 'numeric':
      return { value: has('number', `trim_scale(${text}::numeric)`) };
    case 'boolean':
      return { value: `CASE ${text} WHEN 'true' THEN true WHEN 'false' THEN false END` };
    case 'date':
      return { value: has('date', `CASE WHEN ${isDay(text)} THEN ${text}::date END`) };
    case 'time':
      return { value: has('time', `${text}::time`) };
    case 'datetime':
      return {
        value: `CASE WHEN ${text} ~ '${momentForm(precisionOf(to))}' THEN CASE WHEN ${isDay(text)} THEN ${text}::timestamptz END END`,
      };
    case 'uuid':
      return { value: has('uuid', `${text}::uuid`) };
    case 'bytes': {
      const bytes = `decode(${text}, 'base64')`;
      const value = has('bytes', `CASE WHEN ${base64Of(bytes)} = ${text} THEN ${bytes} END`);
      return { value };
    }
    case 'any':
    case 'string':
    case 'json':
    case 'object':
    case 'array':
      break;
  }
  return { value: 'NULL' };
}

/** Whether the date at the start of a text exists in the calendar. */
function isDay(text: string): string {
  const first = `make_date(substr(${text}, 1, 4)::int, substr(${text}, 6, 2)::int, 1)`;
  return `substr(${text}, 9, 2)::int <= extract(day FROM ${first} + interval '1 month - 1 day')`;
}

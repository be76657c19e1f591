import { readStored } from '../model/field-types/json.ts';
import { isDate } from '../model/field-types/date.ts';
import { isTime } from '../model/field-types/time.ts';
import { parseUuid } from '../model/field-types/uuid.ts';
import { parseDatetime } from '../model/field-types/datetime.ts';
import { isBeyond, liesBetweenSteps, numberBounds } from '../model/steps.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';
import { readDefault, type Bounds } from '../databases/existing/expressions.ts';
import type { FoundColumn } from './table.ts';

/** The type that a key to a field of this type has. */
export function keyType({ type, format }: FieldSpecification): FieldSpecification['type'] {
  if (type === 'id')
    return format === undefined ? 'integer' : format === 'uuid' ? 'uuid' : 'string';
  return type === 'text' || type === 'enum' || type === 'email' || type === 'url' ? 'string' : type;
}

/** The attributes of a field as its column has them, and what of the column they cannot say. */
export function attributesOf(
  { actual, type, bounds, comment }: FoundColumn,
  isUnique: boolean,
  reference: FieldSpecification | undefined,
): { readonly attributes: FieldSpecification; readonly notes: readonly string[] } {
  if ('left' in type) throw new TypeError(`${actual.name} has no type`);
  const notes = [...type.notes];
  // A key has the type and the form of what it points to.
  const { storedAs: _, ...own } = type.attributes;
  const typed = reference === undefined ? type.attributes : { ...own, ...reference };
  // Of a key, what it points to says which values there are.
  const isText = (typed.type === 'string' || typed.type === 'text') && reference === undefined;
  const { enum: listed, numbers, minLength, maxLength: most, pattern, ...ranges } = bounds;
  const values = isText ? listed : undefined;
  const { maxLength = Infinity, ...others } = typed;
  const attributes: FieldSpecification =
    values === undefined
      ? {
          ...others,
          ...(isText && pattern !== undefined && others.pattern === undefined ? { pattern } : {}),
          ...(isText ? lengthsOf(minLength, Math.min(maxLength, most ?? Infinity)) : {}),
        }
      : { ...others, type: 'enum', values: [...new Set(values)] };
  const limits = limitsOf(typed, ranges);
  const choices = reference === undefined ? choicesOf(typed, numbers, limits) : undefined;
  if (limits === undefined) notes.push('No number is within the bounds of its CHECKs.');
  const found = actual.default === undefined ? undefined : readDefault(actual.default);
  let value = found === undefined ? undefined : defaultFor(attributes, found);
  if (value === null || !isWithin(value, limits)) value = undefined;
  if (choices !== undefined && !choices.includes(Number(value))) value = undefined;
  // Only one record could have it.
  if (isUnique && found?.kind === 'value') value = undefined;
  const isCounted =
    value === undefined && reference === undefined && !actual.nullable && isCounter(actual);
  if (isCounted) notes.push('The database counts it, so nobody else sets it here.');
  else if (
    found !== undefined &&
    value === undefined &&
    !(found.kind === 'value' && found.value === null)
  )
    notes.push(`Its default in the database, ${actual.default}, is not taken over.`);
  const needed = actual.nullable
    ? {}
    : value === undefined && !isCounted
      ? { required: true }
      : { nullable: false, ...(isCounted ? { readOnly: true } : {}) };
  return {
    attributes: {
      ...attributes,
      ...needed,
      ...(value === undefined ? {} : { default: value }),
      ...limits,
      ...(choices === undefined ? {} : { enum: choices }),
      ...(isUnique && isOrdered(attributes) ? { unique: true } : {}),
      ...(comment === undefined ? {} : { description: comment }),
    },
    notes,
  };
}

/** Whether the database gives a column the next number of a sequence where nobody names another. */
function isCounter({ fills, default: expression }: FoundColumn['actual']): boolean {
  return fills && (expression === undefined || expression.startsWith('nextval('));
}

/** How long a text may be; bounds that leave none are left to the database. */
function lengthsOf(least = 0, most: number): Pick<FieldSpecification, 'minLength' | 'maxLength'> {
  if (least > most) return {};
  return {
    ...(least > 0 ? { minLength: least } : {}),
    ...(most < Infinity ? { maxLength: most } : {}),
  };
}

/** Whether values of the type have an order, and can be told to be distinct. */
export function isOrdered({ type }: FieldSpecification): boolean {
  return type !== 'json' && type !== 'object' && type !== 'array';
}

/** Whether the value is never null. */
export function isNeeded({ required, nullable }: FieldSpecification): boolean {
  return required === true || nullable === false;
}

/** The bounds of a number as far as a field of the type can have them; undefined where they leave no value. */
function limitsOf(
  { type, precision = 18, scale = 2 }: FieldSpecification,
  bounds: Bounds,
): Bounds | undefined {
  if (type !== 'integer' && type !== 'number' && type !== 'decimal') return {};
  const limits: Bounds = Object.fromEntries(
    Object.entries(bounds).filter(
      ([, bound]) =>
        typeof bound === 'number' && (type !== 'integer' || Number.isSafeInteger(bound)),
    ),
  );
  const field = { type: { name: type }, attributes: {}, precision, scale };
  const isEmpty = (['minimum', 'exclusiveMinimum'] as const).some((low) =>
    (['maximum', 'exclusiveMaximum'] as const).some((high) => {
      const [from, to] = [limits[low], limits[high]];
      if (from === undefined || to === undefined) return false;
      const isOpen = low === 'exclusiveMinimum' || high === 'exclusiveMaximum';
      return from > to || (isOpen && from === to) || liesBetweenSteps(low, from, high, to, field);
    }),
  );
  const isOut = numberBounds.some((key) => isBeyond(key, limits[key] ?? null, field));
  return isEmpty || isOut ? undefined : limits;
}

/** Which numbers a field of the type takes, of those in a list; undefined where there is none, or it leaves none. */
function choicesOf(
  { type }: FieldSpecification,
  numbers: readonly number[] = [],
  limits: Bounds | undefined,
): readonly number[] | undefined {
  if (type !== 'integer' && type !== 'number') return undefined;
  const choices = [...new Set(numbers)].filter(
    (one) => (type === 'number' || Number.isSafeInteger(one)) && isWithin(one, limits),
  );
  return choices.length === 0 ? undefined : choices;
}

function isWithin(value: JsonValue | undefined, limits: Bounds = {}): boolean {
  const { minimum = -Infinity, maximum = Infinity } = limits;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = limits;
  const number = Number(value);
  if (value === undefined || Object.keys(limits).length === 0) return true;
  return (
    number >= minimum && number <= maximum && number > exclusiveMinimum && number < exclusiveMaximum
  );
}

/** The default of a field; undefined where the field cannot have it. */
function defaultFor(
  { type, values, items, minLength, maxLength, scale, pattern }: FieldSpecification,
  found: ReturnType<typeof readDefault>,
): JsonValue | undefined {
  if (found.kind === 'now')
    return type === 'datetime' || type === 'date' || type === 'time' ? 'now' : undefined;
  if (found.kind === 'uuid') return type === 'uuid' ? 'uuid' : undefined;
  if (found.kind !== 'value' || found.value === null) return undefined;
  if (Array.isArray(found.value))
    return type === 'array' && items !== undefined ? listFor(items, found.value) : undefined;
  const text = String(found.value);
  const number = Number(text);
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(number) && text !== '' ? number : undefined;
    case 'number':
      return Number.isFinite(number) && text !== '' ? number : undefined;
    case 'decimal':
      return /^-?\d+(?:\.\d+)?$/u.test(text) && (text.split('.')[1]?.length ?? 0) <= (scale ?? 2)
        ? text
        : undefined;
    case 'boolean':
      return /^(?:1|t|true|y|yes)$/iu.test(text)
        ? true
        : /^(?:0|f|false|n|no)$/iu.test(text)
          ? false
          : undefined;
    case 'enum':
      return values?.includes(text) === true ? text : undefined;
    case 'string':
    case 'text':
      return Array.from(text).length <= (maxLength ?? Infinity) &&
        Array.from(text).length >= (minLength ?? 0) &&
        (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
        text !== 'now' &&
        text !== 'uuid'
        ? text
        : undefined;
    case 'date':
      return isDate(text) ? text : undefined;
    case 'datetime':
      return parseDatetime(text);
    case 'array':
    case 'json':
    case 'object':
      return partsIn(text, type);
    case 'time':
      return isTime(text) ? text : undefined;
    case 'uuid':
      return parseUuid(text);
    case 'email':
    case 'url':
    case 'id':
    case 'relation':
      return undefined;
    default:
      return type satisfies never;
  }
}

/** The object or list that a text in JSON is, as far as a field of the type may have it; undefined where it is none. */
function partsIn(text: string, type: 'array' | 'json' | 'object'): JsonValue | undefined {
  const value = readStored(text);
  // Longer numbers may have been cut.
  if (typeof value !== 'object' || value === null || /\d(?:\.?\d){15}/u.test(text))
    return undefined;
  return type === (Array.isArray(value) ? 'object' : 'array') ? undefined : value;
}

/** A list as a default; undefined where one of its items is none that a field may have. */
function listFor(
  items: FieldSpecification,
  values: readonly JsonValue[],
): readonly JsonValue[] | undefined {
  const list = values.map((value) =>
    value === null ? null : defaultFor(items, { kind: 'value', value }),
  );
  return list.some((item) => item === undefined)
    ? undefined
    : list.flatMap((item) => (item === undefined ? [] : [item]));
}

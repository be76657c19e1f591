import type { FieldTypes, ValueKind } from '../model/api.ts';
import { enumType } from '../model/field-types/enum.ts';
import { typeOf } from '../model/field-types/registry.ts';
import { isBeyond, liesBetweenSteps, numberBounds } from '../model/validation/steps.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';
import { readDefault, type Bounds } from '../databases/existing/expressions.ts';
import { wordsOf } from './names/words.ts';
import type { FoundColumn } from './table.ts';

/** The kind of values that a key to a field of this type has. */
export function keyType(attributes: FieldSpecification, types: FieldTypes): ValueKind {
  return typeOf(attributes, types).kind;
}

/** The attributes of a field from its column, with notes about what they cannot express. */
export function attributesOf(
  { actual, type, bounds, comment }: FoundColumn,
  isUnique: boolean,
  reference: FieldSpecification | undefined,
  types: FieldTypes,
  isManaged = true,
): { readonly attributes: FieldSpecification; readonly notes: readonly string[] } {
  if ('left' in type) throw new TypeError(`${actual.name} has no type`);
  const notes = [...type.notes];
  // A key has the type and stored form of its target.
  const { storedAs: _, ...own } = type.attributes;
  const typed = reference === undefined ? type.attributes : { ...own, ...reference };
  // The target of a key decides its values.
  const isText = typeOf(typed, types).text !== undefined && reference === undefined;
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
      : { ...others, type: enumType.name, values: [...new Set(values)] };
  const limits = limitsOf(typed, ranges, types);
  const choices = reference === undefined ? choicesOf(typed, types, numbers, limits) : undefined;
  if (limits === undefined) notes.push('No number is within the bounds of its CHECKs.');
  // A key is the id of another record, as `access_token_id` is.
  const isSecret =
    !isManaged && reference === undefined && secretNames.test(wordsOf(actual.name).join('_'));
  const constraints = {
    ...limits,
    ...(choices === undefined ? {} : { enum: choices }),
    ...(isUnique && isOrdered(attributes, types) ? { unique: true } : {}),
    ...(isSecret ? { writeOnly: true } : {}),
    ...(comment === undefined ? {} : { description: comment }),
  };
  if (!isManaged && (actual.fills || actual.isComputed))
    return {
      attributes: {
        ...attributes,
        ...(actual.nullable ? {} : { nullable: false }),
        ...(actual.isComputed || isCounter(actual) ? { readOnly: true } : {}),
        ...constraints,
      },
      notes,
    };
  const found = actual.default === undefined ? undefined : readDefault(actual.default);
  let value = found === undefined ? undefined : defaultFor(attributes, found, types);
  if (value === null || !isWithin(value, limits)) value = undefined;
  if (choices !== undefined && !choices.includes(Number(value))) value = undefined;
  // A unique field with a default would allow only one record.
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
      ...constraints,
    },
    notes,
  };
}

/** Names of columns that no client should read, as words joined by `_`. */
const secretNames =
  /pass_?(?:word|wd|phrase)|secret|(?:^|_)(?:token|salt|otp)(?:$|_)|api_?key|private_?key|password_hash|hashed/u;

/** Whether a column's default is the next number of a sequence. */
function isCounter({ fills, default: expression }: FoundColumn['actual']): boolean {
  return fills && (expression === undefined || expression.startsWith('nextval('));
}

/** The length of a text; contradictory bounds are left to the database. */
function lengthsOf(least = 0, most: number): Pick<FieldSpecification, 'minLength' | 'maxLength'> {
  if (least > most) return {};
  return {
    ...(least > 0 ? { minLength: least } : {}),
    ...(most < Infinity ? { maxLength: most } : {}),
  };
}

/** Whether values of the type can be ordered and be unique. */
export function isOrdered(attributes: FieldSpecification, types: FieldTypes): boolean {
  const { json } = typeOf(attributes, types);
  return json !== 'any' && json !== 'object' && json !== 'array';
}

/** Whether the value is never null. */
export function isNeeded({ required, nullable }: FieldSpecification): boolean {
  return required === true || nullable === false;
}

/** The bounds of a number that a field of the type can have; undefined if they leave no value. */
function limitsOf(
  attributes: FieldSpecification,
  bounds: Bounds,
  types: FieldTypes,
): Bounds | undefined {
  const { precision = 18, scale = 2 } = attributes;
  const places = scale === 'any' ? 0 : scale;
  const type = typeOf(attributes, types);
  if (type.number === undefined) return {};
  const limits: Bounds = Object.fromEntries(
    Object.entries(bounds).filter(
      ([, bound]) =>
        typeof bound === 'number' && (type.number !== 'whole' || Number.isSafeInteger(bound)),
    ),
  );
  const field = { type, attributes: { scale }, precision, scale: places };
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

/** The numbers of a list that a field of the type accepts; undefined without a list, or if none is left. */
function choicesOf(
  attributes: FieldSpecification,
  types: FieldTypes,
  numbers: readonly number[] = [],
  limits: Bounds | undefined,
): readonly number[] | undefined {
  const { number } = typeOf(attributes, types);
  if (number !== 'whole' && number !== 'double') return undefined;
  const choices = [...new Set(numbers)].filter(
    (one) => (number === 'double' || Number.isSafeInteger(one)) && isWithin(one, limits),
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

/** The default of a field; undefined if the field cannot have it. */
function defaultFor(
  attributes: FieldSpecification,
  found: ReturnType<typeof readDefault>,
  types: FieldTypes,
): JsonValue | undefined {
  const type = typeOf(attributes, types);
  if (found.kind === 'now' || found.kind === 'uuid')
    return type.drawn?.word === found.kind ? found.kind : undefined;
  if (found.kind !== 'value' || found.value === null) return undefined;
  if (!Array.isArray(found.value)) return type.fromDefault(String(found.value), attributes);
  const { items } = attributes;
  return type.json === 'array' && items !== undefined
    ? listFor(items, found.value, types)
    : undefined;
}

/** A list as a default; undefined if a field cannot have one of its items. */
function listFor(
  items: FieldSpecification,
  values: readonly JsonValue[],
  types: FieldTypes,
): readonly JsonValue[] | undefined {
  const list = values.map((value) =>
    value === null ? null : defaultFor(items, { kind: 'value', value }, types),
  );
  return list.some((item) => item === undefined)
    ? undefined
    : list.flatMap((item) => (item === undefined ? [] : [item]));
}

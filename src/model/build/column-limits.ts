import type { FieldSpecification } from '../../specification/specification.ts';
import type { ColumnLimits, FieldTypes, NativeColumn } from '../api.ts';
import { datetimeType } from '../field-types/moments/datetime.ts';
import { decimalType } from '../field-types/numbers/decimal.ts';
import { typeOf } from '../field-types/registry.ts';

/** No more than an existing column takes; an array no items that it does not. */
export function withinColumn(
  native: NativeColumn | undefined,
  attributes: FieldSpecification,
  types: FieldTypes,
): FieldSpecification {
  const { limits = {}, items } = native ?? {};
  const isText = typeOf(attributes, types).text !== undefined;
  return {
    ...attributes,
    ...(isText ? lengthWithin(limits, attributes) : rangeWithin(limits, attributes)),
    ...digitsWithin(limits, attributes),
    ...(items === undefined || attributes.items === undefined
      ? {}
      : { items: withinColumn(items, attributes.items, types) }),
  };
}

type Limits<Key extends keyof FieldSpecification> = Pick<FieldSpecification, Key>;

function lengthWithin({ maxLength }: ColumnLimits, given: FieldSpecification): Limits<'maxLength'> {
  return maxLength === undefined
    ? {}
    : { maxLength: Math.min(maxLength, given.maxLength ?? maxLength) };
}

function rangeWithin(
  { minimum, maximum }: ColumnLimits,
  given: FieldSpecification,
): Limits<'minimum' | 'maximum'> {
  return {
    ...(minimum === undefined || given.exclusiveMinimum !== undefined
      ? {}
      : { minimum: Math.max(minimum, Number(given.minimum ?? minimum)) }),
    ...(maximum === undefined || given.exclusiveMaximum !== undefined
      ? {}
      : { maximum: Math.min(maximum, Number(given.maximum ?? maximum)) }),
  };
}

type Digits = Limits<'precision' | 'scale' | 'multipleOf'>;

/** The digits that both the column and the file allow; those of the column if the file names none. */
function digitsWithin({ precision, scale }: ColumnLimits, given: FieldSpecification): Digits {
  if (given.type === datetimeType.name && precision !== undefined)
    return { precision: Math.min(precision, given.precision ?? precision) };
  if (given.type === decimalType.name && scale !== undefined)
    return decimalWithin(precision ?? mostDigits, scale, given);
  return {};
}

/** The digits that a decimal with a scale has at most, and its scale by default. */
const [mostDigits, usualScale] = [18, 2];

function decimalWithin(precision: number, scale: number, given: FieldSpecification): Digits {
  const isNamed = given.precision !== undefined || given.scale !== undefined;
  const isWide = precision > mostDigits || scale < 0 || scale > precision;
  // PostgreSQL would round what is finer without a word.
  if (given.scale === 'any' || (isWide && !isNamed))
    return { scale: 'any', multipleOf: given.multipleOf ?? Number(`1e${-scale}`) };
  if (!isNamed) return { precision, scale };
  const { precision: digits = mostDigits, scale: decimals = usualScale } = given;
  const places = Math.max(0, Math.min(decimals, scale));
  const whole = Math.min(digits - decimals, precision - scale);
  return { scale: places, precision: Math.max(1, places, whole + places) };
}

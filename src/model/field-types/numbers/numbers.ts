import { breaks } from '../../../problem-rules.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Field, FieldType } from '../../api.ts';
import { given, type JsonSchema } from '../../json-schema.ts';
import { plain } from '../plain.ts';

/** The rule that a number breaks which is infinite as a double. */
export const beyondDouble = breaks('range', { min: -Number.MAX_VALUE, max: Number.MAX_VALUE });

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Numbers that JavaScript and both databases tell apart. */
export const wholeNumbers: Range = {
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

/**
 * The bounds of a number in a body, within the `widest` where the field has no others. Those of decimals hold for values
 * that are sent as numbers; for those in strings they are told in words.
 */
export function boundsSchema({ attributes }: Field, widest: Partial<Range> = {}): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = attributes;
  const number = (limit: number | string | undefined): number | undefined =>
    limit === undefined ? undefined : Number(limit);
  return given({
    minimum: exclusiveMinimum === undefined ? (number(minimum) ?? widest.minimum) : undefined,
    maximum: exclusiveMaximum === undefined ? (number(maximum) ?? widest.maximum) : undefined,
    exclusiveMinimum: number(exclusiveMinimum),
    exclusiveMaximum: number(exclusiveMaximum),
    multipleOf: isBinary(multipleOf) ? number(multipleOf) : undefined,
  });
}

/**
 * Whether a double is just this number. By others, such as 0.1, validators divide in doubles, and refuse multiples that
 * the service takes.
 */
export function isBinary(of: number | string | undefined): boolean {
  return of !== undefined && Number.isInteger(Number(of) * 2 ** 20);
}

/** Numbers that are likely to be within the bounds of a field. */
export function exampleNumbers({ attributes }: Field): readonly number[] {
  const bounds = [
    attributes.minimum,
    attributes.maximum,
    attributes.multipleOf,
    attributes.exclusiveMinimum,
    attributes.exclusiveMaximum,
  ].flatMap((bound) => (bound === undefined ? [] : [Number(bound)]));
  return [1, ...bounds.flatMap((bound) => [bound, bound + 1, bound - 1]), 0, 0.5];
}

/** The number that the text of a column's default is, if `isOne`. */
export function defaultNumber(
  text: string,
  isOne: (number: number) => boolean,
): JsonValue | undefined {
  const number = Number(text);
  return isOne(number) && text !== '' ? number : undefined;
}

/**
 * A decimal inside an object: a string that can be compared for equality and has no order. See
 * docs/contract/1-specification-file.md#field-types, rule 14.
 */
export function decimalMember(decimal: FieldType): FieldType {
  return {
    ...decimal,
    comparison: 'equality',
    sortable: false,
    sqlite: { column: () => 'TEXT', form: 'plain' },
    postgres: { column: () => 'text', form: 'plain' },
    forms: { plain },
  };
}

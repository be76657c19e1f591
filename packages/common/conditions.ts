import { isObject } from './error.ts';

/** One comparison: a field's path with the suffix of its operator, and what it is compared with. */
export interface Condition {
  readonly name: string;
  /** A list for the operators that take one. */
  readonly operand: string | readonly string[];
}

/** Alternatives, one of which has to hold. None at all: nothing can hold. */
export type Clause = readonly Condition[];

/** Every clause has to hold. The API asks just so: filters are ANDed, and each `_or` is a group of alternatives. */
export type Filters = readonly Clause[];

/** The names of fields that the API reads as parameters of its own when no operator follows them. */
export const parameterNames: ReadonlySet<string> = new Set(
  'page limit offset cursor search sort nulls fields exclude expand maxDepth onConflict group aggregate having'.split(
    ' ',
  ),
);

/** A field compared for equality: plainly, but with its operator where the name alone means something else. */
export function equalityOf(field: string): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  return parameterNames.has(last) ? `${field}_eq` : field;
}

/** Whether a field is null, or is not. */
export function nullCondition(field: string, isNull: boolean): Condition {
  return { name: `${field}_null`, operand: String(isNull) };
}

/** One of several values, of which null is a question of its own. `name` is what the filter is called by its writer. */
export function oneOf(field: string, items: readonly unknown[], name: string): Clause {
  const values = items.filter((item) => item !== null);
  const listed = { name: `${field}_in`, operand: values.map((item) => operandOf(item, name)) };
  return [
    ...(values.length > 0 ? [listed] : []),
    ...(values.length < items.length ? [nullCondition(field, true)] : []),
  ];
}

/** A value as a filter writes it. A TypeError where it is none: an object, a function, a number that is not finite. */
export function operandOf(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new TypeError(
    `The filter ${name} cannot be compared with ${isObject(value) ? 'an object' : String(value)}`,
  );
}

/** Adds filters to a query. A clause that cannot hold has no place in one: see `isImpossible`. */
export function addFilters(query: URLSearchParams, filters: Filters): void {
  for (const clause of filters) {
    const [first] = clause;
    if (first !== undefined && clause.length === 1) query.append(first.name, operandText(first));
    else
      query.append(
        '_or',
        clause
          .map((condition) => `${condition.name}:${quoted(operandText(condition), /[",:()]/u)}`)
          .join(','),
      );
  }
}

/** Whether no record can be kept: a clause has no alternatives. */
export function isImpossible(filters: Filters): boolean {
  return filters.some((clause) => clause.length === 0);
}

function operandText({ operand }: Condition): string {
  return typeof operand === 'string' ? operand : listText(operand);
}

/**
 * Writes the items of a list: quotes around an item with a comma or a quote, and around an empty one. See
 * docs/contract/2-reading.md#lists-in-parameters, rule 3.
 */
export function listText(items: readonly string[]): string {
  return items.map((item) => quoted(item, /[",]/u)).join(',');
}

function quoted(text: string, special: RegExp): string {
  return text === '' || special.test(text)
    ? `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
    : text;
}

import { breaks } from '../../problem-rules.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Field } from '../api.ts';
import { constraintIssues } from './constraints.ts';
import { accept, wrongType, type ParsedValue } from '../values.ts';

/**
 * Reads one value for a field from a JSON body: null, type, format, allowed values and constraint attributes.
 * Every issue is reported, those of nested values with their path below the field; where a value is none of those that
 * the field lists, with those of which the caller may be `told`.
 */
export function readValue(value: unknown, field: Field, told = field.values): ParsedValue {
  if (value === null)
    return field.nullable ? accept(null) : wrongType('must not be null', breaks('notNull'));
  const parsed = field.type.read(value, field);
  // Too many items, and one that is there twice, are wrong whatever else is wrong with the items.
  const isList = field.items !== undefined && Array.isArray(value);
  if (!parsed.ok && !isList) return parsed;
  const whole = parsed.ok ? parsed.value : (value as JsonValue);
  const issues = constraintIssues(whole, field, told);
  if (issues.length === 0) return parsed;
  return { ok: false, issues: parsed.ok ? issues : [...issues, ...parsed.issues] };
}

/** The fixed default of a field; `now` and `uuid` are drawn by the writer. */
export function defaultValue(field: Field): JsonValue | undefined {
  return field.default?.kind === 'value' ? field.default.value : undefined;
}

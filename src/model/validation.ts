import type { JsonValue } from '../spec/specification.ts';
import type { Field } from './api.ts';
import { constraintIssues } from './constraints.ts';
import { accept, wrongType, type Reading } from './values.ts';

/**
 * Reads one value for a field from a JSON body: null, type, format, allowed values and constraint attributes.
 * Every issue is reported, those of nested values with their path below the field; where a value is none of those that
 * the field lists, with those of which the caller may be `told`.
 */
export function readValue(value: unknown, field: Field, told = field.values): Reading {
  if (value === null) return field.nullable ? accept(null) : wrongType('must not be null');
  const reading = field.type.read(value, field);
  if (!reading.ok) return reading;
  const messages = constraintIssues(reading.value, field, told);
  if (messages.length === 0) return reading;
  return {
    ok: false,
    issues: messages.map((message) => ({ kind: 'value', message, path: '' })),
  };
}

/** The fixed default of a field; `now` and `uuid` are drawn by the writer. */
export function defaultValue(field: Field): JsonValue | undefined {
  return field.default?.kind === 'value' ? field.default.value : undefined;
}

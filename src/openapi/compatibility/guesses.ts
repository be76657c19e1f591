import { readValue } from '../../model/validation/read-value.ts';
import type { Field } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';

/**
 * A value that a field could have by its type alone, of those that may be told; undefined where none passes the
 * field's own rules.
 */
export function guessOf(field: Field, told = field.values): JsonValue | undefined {
  const { attributes } = field;
  const fixed = field.default?.kind === 'value' ? [field.default.value] : [];
  const own = attributes.example === undefined ? [] : [attributes.example];
  const candidates = [
    ...own,
    ...fixed,
    ...(told ?? []),
    ...field.type.examples(field, (part) => guessOf(part)),
  ];
  for (const candidate of candidates) {
    const parsed = candidate === null ? undefined : readValue(candidate, field);
    if (parsed?.ok === true) return parsed.value;
  }
  return field.nullable ? null : undefined;
}

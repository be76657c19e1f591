import { breaks } from '../../problem-rules.ts';
import { apiError, fail, ok, type Result } from '../../errors.ts';
import type { Field, Resource } from '../../model/api.ts';
import { oneOf, type ValueIssue } from '../../model/values.ts';
import { fieldNameIn, type ResourceView } from '../../model/view.ts';
import type { FieldValues } from '../plan.ts';

/** The unique keys of a resource: single fields, and lists of fields. */
export function uniqueKeys({ id, fields, unique }: Resource): readonly (readonly Field[])[] {
  const single = [...fields.values()].filter((field) => field.unique || field === id);
  return [...single.map((field) => [field]), ...unique];
}

/** Reads `onConflict=slug`: the fields of a unique key that the caller sees. */
export function readConflictKey(
  text: string,
  { resource, fields }: ResourceView,
): Result<readonly Field[]> {
  const nameOf = (field: Field): string | undefined => fieldNameIn(fields.values(), field);
  const keys = uniqueKeys(resource).flatMap((key) => {
    const names = key.map(nameOf);
    return names.every((name) => name !== undefined) ? [{ key, names }] : [];
  });
  const asked = new Set(text.split(',').map((name) => name.trim()));
  const found = keys.find(
    ({ names }) => names.length === asked.size && names.every((name) => asked.has(name)),
  );
  if (found !== undefined) return ok(found.key);
  const known = keys.map(({ names }) => names.join(','));
  const message =
    known.length === 0
      ? 'cannot be used: you may read no unique field here'
      : `must be unique: ${oneOf(known)}`;
  return fail(
    apiError('INVALID_PARAMETER', `onConflict ${message}`, {
      problems: [{ field: 'onConflict', message, ...breaks('enum', { values: known }) }],
    }),
  );
}

/** The problems of records of one body that have the same key, named at the later one. */
export function repeatedKeys(
  key: readonly Field[],
  records: readonly { readonly values: FieldValues; readonly path: string }[],
  { inputs }: ResourceView,
): readonly ValueIssue[] {
  const first = new Map<string, string>();
  return records.flatMap(({ values, path }) => {
    const own = key.map((field) => values.get(field) ?? null);
    if (own.includes(null)) return [];
    const text = JSON.stringify(own);
    const before = first.get(text);
    if (before === undefined) {
      first.set(text, path);
      return [];
    }
    const name = key.flatMap((field) => fieldNameIn(inputs.values(), field) ?? [])[0] ?? 'id';
    const message = `is the same as that of ${before.slice(0, -1)}`;
    return [{ kind: 'value' as const, path: `${path}${name}`, message, ...breaks('conflict') }];
  });
}

import { breaks, type BrokenRule } from '../../problem-rules.ts';
import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** The morphTo relations of a resource whose type or id field is among these fields. */
export function touchedMorphs(
  { relations }: Resource,
  fields: Pick<ReadonlySet<Field>, 'has'>,
): readonly MorphTo[] {
  const touched: MorphTo[] = [];
  for (const relation of relations.values())
    if (
      relation.kind === 'morphTo' &&
      (fields.has(relation.typeField) || fields.has(relation.idField))
    )
      touched.push(relation);
  return touched;
}

/** The null half of a morph pair, and the other half. */
interface EmptyHalf {
  readonly field: Field;
  readonly other: Field;
}

/** The null halves of morph pairs of which exactly one half is null. */
export function emptyHalves(
  morphs: readonly MorphTo[],
  valueOf: (field: Field) => JsonValue,
): readonly EmptyHalf[] {
  return morphs.flatMap(({ typeField, idField }) => {
    const [noType, noId] = [valueOf(typeField) === null, valueOf(idField) === null];
    if (noType === noId) return [];
    return noType ? { field: typeField, other: idField } : { field: idField, other: typeField };
  });
}

/** The problem of a pair of which only one half is null, reported for a half that the caller can see. */
export function halfIssue(
  { field, other }: EmptyHalf,
  nameOf: (field: Field) => string | undefined,
): BrokenRule & { readonly field: Field; readonly message: string } {
  if (nameOf(field) !== undefined) {
    const otherName = nameOf(other) ?? 'the other half of the pair';
    return {
      field,
      message: `must be given as well, or ${otherName} be null`,
      ...breaks('conflict'),
    };
  }
  return {
    field: other,
    message: 'must be null, as the other half of its pair is',
    ...breaks('conflict'),
  };
}

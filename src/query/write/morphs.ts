import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** The morphTo relations of a resource that a write of these fields touches. */
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

/** The empty half of a morph pair, and the other one. */
interface EmptyHalf {
  readonly field: Field;
  readonly other: Field;
}

/** The empty halves of morph pairs that are half null. */
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

/** What is wrong with an empty half; `other` is the name of the other one. */
function halfMessage(other: string | undefined): string {
  return `must be given as well, or ${other ?? 'the other half of the pair'} be null`;
}

/** What is wrong with a pair that is half null, told of a half that the caller knows. */
export function halfIssue(
  { field, other }: EmptyHalf,
  nameOf: (field: Field) => string | undefined,
): { readonly field: Field; readonly message: string } {
  if (nameOf(field) !== undefined) return { field, message: halfMessage(nameOf(other)) };
  return { field: other, message: 'must be null, as the other half of its pair is' };
}

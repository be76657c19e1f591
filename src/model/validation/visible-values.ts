import type { JsonValue } from '../../specification/specification.ts';
import type { Field, Resource } from '../api.ts';
import { readValue } from './read-value.ts';
import type { ParsedValue } from '../values.ts';
import type { View } from '../view.ts';

/**
 * The values of a field that lists them, without those that are hidden from the caller: the type field of a morph pair
 * lists resources, of which some may not exist for the caller. See
 * docs/contract/5-access.md#visibility-of-relations, rule 3.
 */
export function visibleValues(field: Field, view: View): readonly JsonValue[] | undefined {
  const { values } = field;
  if (values === undefined) return undefined;
  const hidden = hiddenTypes(field, view);
  return hidden.size === 0 ? values : values.filter((value) => !hidden.has(value));
}

/** Reads a value from a request. The problems of one that is refused name only the values that the caller may know. */
export function readGiven(value: unknown, field: Field, view: View): ParsedValue {
  const parsed = readValue(value, field);
  if (parsed.ok) return parsed;
  const visible = visibleValues(field, view);
  return visible === field.values ? parsed : readValue(value, field, visible);
}

/** The values of a type field that stand for resources which the caller may not read. */
function hiddenTypes(field: Field, { api, resource }: View): ReadonlySet<JsonValue> {
  const hidden = new Set<JsonValue>();
  const note = (type: string, { name }: Resource): void => {
    if ((resource(name)?.fields.size ?? 0) === 0) hidden.add(type);
  };
  for (const owner of api.resources.values())
    for (const relation of owner.relations.values())
      if (relation.kind === 'morphTo' && relation.typeField === field)
        for (const [type, target] of relation.targets) note(type, target);
      else if (relation.kind === 'morphMany' && relation.typeField === field)
        note(relation.typeValue, owner);
  return hidden;
}

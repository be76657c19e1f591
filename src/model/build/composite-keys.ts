import type { Report } from '../../specification/problems.ts';
import type { Field } from '../api.ts';
import { compositeIdType, isComposite, partsOf } from '../field-types/composite-id.ts';
import type { DraftField, DraftResource, Path } from './draft.ts';
import { reportUnknown } from './names.ts';

/**
 * The foreign key that these fields of `resource` are together; one object for the same fields. The fields are found when
 * all relations have added theirs (`finishCompositeKeys`). See docs/contract/8-existing-databases.md#relations.
 */
export function compositeKeyOn(
  resource: DraftResource,
  names: readonly string[],
  target: DraftResource,
  path: Path,
  report: Report,
): DraftField {
  const name = names.join(',');
  const known = resource.compositeKeys.find((key) => key.name === name);
  if (known !== undefined) {
    if (known.reference?.resource !== target)
      report(
        path,
        `${names.join(', ')} refer to ${known.reference?.resource.name}, so they cannot be a key to ${target.name}`,
      );
    return known;
  }
  const key: DraftField = {
    name,
    resource,
    column: '',
    native: undefined,
    parts: [],
    type: compositeIdType,
    nullable: false,
    required: false,
    unique: false,
    readOnly: true,
    writeOnly: false,
    immutable: false,
    default: undefined,
    reference: { resource: target, field: target.id, onDelete: 'restrict' },
    properties: undefined,
    isOpen: false,
    items: undefined,
    values: undefined,
    precision: 18,
    scale: 2,
    pattern: undefined,
    access: undefined,
    computed: undefined,
    attributes: { type: 'id' },
    named: { names, path },
  };
  resource.compositeKeys.push(key);
  return key;
}

/** Finds the fields of foreign keys of several, and compares them with the key that they refer to. */
export function finishCompositeKeys(resource: DraftResource, report: Report): void {
  for (const key of resource.compositeKeys) {
    const { reference, named: { names, path } = { names: [], path: resource.path } } = key;
    const found = names.flatMap((name) => {
      const field = resource.fields.get(name);
      if (field === undefined || field === resource.id) {
        reportUnknown(path, 'field', name, resource.fields.keys(), report);
        return [];
      }
      return [field];
    });
    key.parts = found;
    if (key.required) for (const field of found) require(field);
    key.nullable = found.some(({ nullable }) => nullable);
    if (reference === undefined || found.length < names.length) continue;
    const { name, id } = reference.resource;
    if (!isComposite(id)) {
      report(path, `the key of ${name} is one field; name the one field that refers to it`);
      continue;
    }
    const wanted = partsOf(id);
    if (wanted.length !== found.length)
      report(
        path,
        `the key of ${name} has ${wanted.length} fields (${namesOf(wanted)}); name one for each, in this order`,
      );
    else
      for (const [index, field] of found.entries()) {
        const other = wanted[index];
        if (other !== undefined && other.type.kind !== field.type.kind)
          report(
            path,
            `${resource.name}.${field.name} is of type ${field.type.name}; as a key to ${name}.${other.name} it must be of type ${other.type.name}`,
          );
      }
  }
}

/** A required relation makes its fields required, unless they say otherwise. */
function require(field: DraftField): void {
  const { attributes, readOnly, default: initial } = field;
  if (readOnly || initial !== undefined) return;
  field.required = attributes.required ?? true;
  field.nullable = attributes.nullable ?? false;
}

const namesOf = (fields: readonly Field[]): string => fields.map(({ name }) => name).join(', ');

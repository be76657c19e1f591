import type { Report } from '../../specification/problems.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import type { Field } from '../api.ts';
import { compositeIdType, isComposite } from '../field-types/composite-id.ts';
import { memberNames, type Draft, type DraftField, type DraftResource } from './draft.ts';
import { reportUnknown } from './names.ts';

/** What `key` says if nothing identifies the records of a resource. */
export const noKey = 'none';

/**
 * The id that `key` makes of other fields, in the place of `id`, which is the one that a resource has without it. The
 * fields of several are found when the relations have added theirs (`finishKey`).
 */
export function beginKey(resource: DraftResource, id: DraftField, report: Report): DraftField {
  const { path, fields } = resource;
  const place = [...path, 'key'];
  if (resource.isManaged)
    report(
      place,
      'only an existing table has a key of its own; add managed: false, or leave out key',
    );
  const names = namesOf(resource);
  const [name = ''] = names;
  if (names.length > 1 || !resource.hasKey)
    return { ...id, column: '', type: compositeIdType, readOnly: true, parts: [] };
  const field = fields.get(name);
  if (field === undefined || field === id) {
    reportName(resource, name, place, report);
    return id;
  }
  field.unique = true;
  return {
    ...field,
    name: 'id',
    parts: [field],
    nullable: false,
    required: false,
    readOnly: true,
    writeOnly: false,
    default: undefined,
    onDelete: undefined,
    access: undefined,
    attributes: ofValue(field.attributes),
  };
}

/** What attributes say of the values themselves. */
function ofValue(attributes: FieldSpecification): FieldSpecification {
  const {
    reference: _reference,
    onDelete: _onDelete,
    index: _index,
    required: _required,
    default: _default,
    access: _access,
    generator: _generator,
    template: _template,
    transform: _transform,
    ...others
  } = attributes;
  return { ...others, readOnly: true };
}

function namesOf({ source: { key = [] } }: DraftResource): readonly string[] {
  return typeof key === 'string' ? [key] : key;
}

function reportName(
  resource: DraftResource,
  name: string,
  path: readonly (string | number)[],
  report: Report,
): void {
  const { fields } = resource;
  if (memberNames(resource).has(name) && !fields.has(name))
    report(path, `${name} is a relation; name its foreign key`);
  else
    reportUnknown(
      path,
      'field',
      name,
      [...fields.keys()].filter((one) => one !== 'id'),
      report,
    );
}

/** Finds the fields of a key of several, and lets no request change the fields of a key. */
export function finishKey(resource: DraftResource, report: Report): void {
  const { id, fields, source, path } = resource;
  if (id.parts === undefined) return;
  if (!resource.hasKey) {
    id.parts = [...fields.values()].filter(
      ({ type, items }) => type.sortable && items === undefined,
    );
    return;
  }
  const found = namesOf(resource).flatMap((name, index) => {
    const place = [...path, 'key', ...(typeof source.key === 'string' ? [] : [index])];
    const field = fields.get(name);
    if (field === undefined || field === id) {
      reportName(resource, name, place, report);
      return [];
    }
    const problem = problemOf(field);
    if (problem !== undefined) report(place, `${name} cannot be in a key: ${problem}`);
    return [field];
  });
  if (isComposite(id)) id.parts = found;
  for (const field of found) {
    field.nullable = false;
    field.immutable = true;
    field.required =
      !field.readOnly && field.default === undefined && field.native?.isFilled !== true;
  }
}

/** Why a field cannot identify records. */
function problemOf(field: Draft<Field>): string | undefined {
  const { type, writeOnly, access, attributes } = field;
  const isScalar = type.json === 'string' || type.json === 'integer' || type.json === 'boolean';
  if (!isScalar || !type.sortable || type.kind === 'bytes' || type.kind === 'numeric')
    return `it is of type ${type.name}`;
  if (attributes.nullable === true) return 'it is nullable';
  if (writeOnly || access?.read !== undefined)
    return 'id shows its values to all who may read the record';
  return undefined;
}

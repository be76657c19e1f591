import type { Report } from '../spec/problems.ts';
import type { FieldSpecification } from '../spec/specification.ts';
import { accessOf } from './access.ts';
import type { Default, Field, Resource } from './api.ts';
import type { Draft, DraftResource } from './draft.ts';
import { fieldTypes } from './field-types.ts';

type Path = readonly (string | number)[];

/** Fills in the declared fields of a resource, with `id` first where it is not declared. */
export function buildFields(resource: DraftResource, report: Report): void {
  const declared = Object.entries(resource.source.fields);
  if (!declared.some(([name]) => name === 'id')) addField(resource, 'id', { type: 'id' });
  for (const [name, attributes] of declared) {
    const path = [...resource.path, 'fields', name];
    if (attributes.type === 'relation') {
      if (name === 'id') report(path, 'id cannot be a relation');
      continue;
    }
    if (attributes.type === 'id' && name !== 'id')
      report(path, 'only the field id can be of type id; a key to another resource has its type');
    resource.fields.set(name, makeField(resource, name, attributes, path, report));
  }
  const id = resource.fields.get('id');
  if (id === undefined) return;
  if (id.type.name !== 'id') report([...resource.path, 'fields', 'id'], 'id must be of type id');
  resource.id = id;
}

/** Adds a field that the file does not declare. */
export function addField(
  resource: DraftResource,
  name: string,
  attributes: FieldSpecification,
): Draft<Field> {
  const field = makeField(resource, name, attributes, [], () => undefined);
  resource.fields.set(name, field);
  return field;
}

/** `timestamps: true` adds the two read-only fields, unless the file declares them itself. */
export function fillTimestamps(resource: DraftResource): void {
  if (!resource.timestamps) return;
  for (const name of ['createdAt', 'updatedAt'])
    if (!resource.fields.has(name))
      addField(resource, name, {
        type: 'datetime',
        readOnly: true,
        nullable: false,
        default: 'now',
      });
}

function makeField(
  resource: Resource,
  name: string,
  attributes: FieldSpecification,
  path: Path,
  report: Report,
): Draft<Field> {
  // `format: uuid` on a string is the type uuid (contract 1, Field types).
  const typeName =
    attributes.type === 'string' && attributes.format === 'uuid' ? 'uuid' : attributes.type;
  if (typeName === 'relation') throw new TypeError('A relation is no field');
  const required = attributes.required ?? false;
  return {
    name,
    resource,
    column: attributes.column ?? name,
    type: fieldTypes[typeName],
    nullable: typeName === 'id' ? false : (attributes.nullable ?? !required),
    required,
    unique: attributes.unique ?? false,
    readOnly: attributes.readOnly ?? false,
    writeOnly: attributes.writeOnly ?? false,
    immutable: attributes.immutable ?? false,
    default: makeDefault(typeName, attributes.default),
    reference: undefined,
    properties:
      attributes.properties &&
      new Map(
        Object.entries(attributes.properties).map(([member, inner]) => [
          member,
          makeField(resource, member, inner, [...path, 'properties', member], report),
        ]),
      ),
    items:
      typeName === 'array'
        ? makeField(
            resource,
            name,
            // Items are not null unless they say so.
            { nullable: false, ...(attributes.items ?? { type: 'json', nullable: true }) },
            [...path, 'items'],
            report,
          )
        : undefined,
    values: attributes.enum ?? (typeName === 'enum' ? attributes.values : undefined),
    precision: attributes.precision ?? 18,
    scale: attributes.scale ?? 2,
    pattern: makePattern(attributes.pattern, path, report),
    access: attributes.access === undefined ? undefined : accessOf(attributes.access),
    attributes,
  };
}

function makeDefault(
  type: FieldSpecification['type'],
  value: FieldSpecification['default'],
): Default | undefined {
  if (value === undefined) return undefined;
  if (value === 'now' && (type === 'datetime' || type === 'date' || type === 'time'))
    return { kind: 'now' };
  if (value === 'uuid' && type === 'uuid') return { kind: 'uuid' };
  return { kind: 'value', value };
}

function makePattern(source: string | undefined, path: Path, report: Report): RegExp | undefined {
  if (source === undefined) return undefined;
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    const [, reason] = /: ([^:]*)$/u.exec((error as Error).message) ?? [];
    report([...path, 'pattern'], `is no valid regular expression: ${reason ?? 'syntax error'}`);
    return undefined;
  }
}

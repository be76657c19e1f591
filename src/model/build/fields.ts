import { lost } from '../../specification/parsers/left-out.ts';
import { nearest } from '../../lib/text/nearest.ts';
import type { Report } from '../../specification/problems.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import { claimName, fieldAccessOf } from '../access.ts';
import type { Default, Field, FieldType, NativeColumn } from '../api.ts';
import { withinColumn } from './column-limits.ts';
import { memberNames, type DraftField, type DraftResource, type Path } from './draft.ts';
import { beginKey } from './record-key.ts';
import { typeOf } from '../field-types/registry.ts';
import { storedIn } from '../field-types/stored-as.ts';

/** Fills in the declared fields of a resource, with `id` first where it is not declared. */
export function buildFields(resource: DraftResource, report: Report): void {
  const { fields, path, source } = resource;
  const isKeyed = source.key !== undefined && source.fields['id'] === undefined;
  if (source.key !== undefined && !isKeyed)
    report(
      [...path, 'fields', 'id'],
      'id is made of the fields of key; give this field another name, and its column: id',
    );
  const id =
    source.fields['id'] === undefined
      ? addField(resource, 'id', { type: 'id' }, [...path, 'fields'], report)
      : undefined;
  for (const [name, attributes] of Object.entries(source.fields))
    if (attributes.type !== 'relation' && attributes.computed === undefined)
      fields.set(
        name,
        makeField(
          resource,
          name,
          inForm(resource, name, attributes),
          [...path, 'fields', name],
          resource.forms.get(name)?.native,
        ),
      );
  const declared = id ?? fields.get('id');
  if (declared === undefined) throw new TypeError(`${resource.name} has no id`);
  if (declared.required && resource.isManaged)
    report(
      [...path, 'fields', 'id', 'required'],
      'a managed table gives its ids itself; take away required, or add managed: false',
    );
  resource.id = isKeyed ? beginKey(resource, declared, report) : declared;
  if (resource.hasKey) fields.set('id', resource.id);
  else fields.delete('id');
}

/** Adds a field that the file does not declare; `path` is where it is asked for. */
export function addField(
  resource: DraftResource,
  name: string,
  attributes: FieldSpecification,
  path: Path,
  report: Report,
): DraftField {
  const other = [...memberNames(resource)].find((one) => isSameName(one, name));
  if (other !== undefined)
    report(
      path,
      `a field ${name} has to be added to ${resource.name}, where ${other} has that name; rename one of them`,
    );
  const field = makeField(
    resource,
    name,
    inForm(resource, name, attributes),
    path,
    resource.forms.get(name)?.native,
  );
  resource.fields.set(name, field);
  return field;
}

/** With the form that was found in the database, where the file names none, and the limits of its column. */
function inForm(
  { forms, types }: DraftResource,
  name: string,
  attributes: FieldSpecification,
): FieldSpecification {
  const found = forms.get(name);
  const form = attributes.storedAs ?? found?.storedAs;
  return {
    ...withinColumn(found?.native, attributes, types),
    ...(form === undefined ? {} : { storedAs: form }),
    // A number that the database does not give is given by requests.
    ...(found?.native?.isNeeded === true && typeOf(attributes, types).isCounted === true
      ? { required: true }
      : {}),
  };
}

/** Warns of a field that is named and will be added, where a declared one was most likely meant. */
export function adviseDeclared(
  resource: DraftResource,
  name: string,
  path: Path,
  report: Report,
): void {
  // The id is never what such a field was meant to be.
  const others = [...resource.fields.keys()].filter((other) => other !== 'id');
  const meant = nearest(name, others);
  if (meant !== undefined && !isSameName(meant, name))
    report(
      path,
      `${resource.name} has no field ${name}, so it is added; did you mean ${meant}?`,
      'warning',
      [lost.name(name)],
    );
}

/** Names of fields are told apart by more than their case. */
export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** `timestamps: true` adds the two read-only fields; declared ones become such. */
export function fillTimestamps(resource: DraftResource, report: Report): void {
  if (!resource.timestamps) return;
  for (const name of ['createdAt', 'updatedAt']) {
    const path = [...resource.path, 'timestamps'];
    const field =
      resource.fields.get(name) ??
      addField(resource, name, { type: 'datetime', nullable: false }, path, report);
    if (field.type.kind !== 'datetime')
      report(
        [...resource.path, 'fields', name],
        `${name} is of type ${field.type.name}; with timestamps it must be of type datetime`,
      );
    field.readOnly = true;
    if (field.native?.isComputed !== true) field.default = { kind: 'now' };
  }
}

export function makeField(
  resource: DraftResource,
  name: string,
  attributes: FieldSpecification,
  path: Path,
  native?: NativeColumn,
): DraftField {
  const usual = typeOf(attributes, resource.types);
  const type = (native?.isOrdered === true ? usual.whereOrdered : undefined) ?? usual;
  const { items, onDelete, pattern, required = false } = attributes;
  const inner = (
    member: string,
    source: FieldSpecification,
    below: readonly string[],
    of?: NativeColumn,
  ): Field => makeField(resource, member, source, [...path, ...below], of);
  const stored = attributes.storedAs === undefined ? type : storedIn(type, attributes.storedAs);
  return {
    name,
    resource,
    column: attributes.column ?? name,
    native,
    parts: undefined,
    type: stored,
    nullable: type.isOfId === true ? false : (attributes.nullable ?? !required),
    required,
    unique: attributes.unique ?? false,
    readOnly: attributes.readOnly === true || (native?.isComputed === true && type.isOfId !== true),
    writeOnly: attributes.writeOnly ?? false,
    immutable: attributes.immutable ?? false,
    default: defaultOf(type, attributes, native),
    reference: undefined,
    onDelete: onDelete && { action: onDelete, path: [...path, 'onDelete'] },
    properties:
      attributes.properties &&
      new Map(
        Object.entries(attributes.properties).map(([member, source]) => [
          member,
          inner(member, source, ['properties', member]),
        ]),
      ),
    isOpen:
      type.json === 'any' ||
      (type.json === 'object' &&
        (attributes.properties === undefined || attributes.additionalProperties === true)),
    items:
      type.json === 'array'
        ? // Items are not null unless they say so.
          inner(
            name,
            { nullable: false, ...(items ?? { type: 'json', nullable: true }) },
            ['items'],
            native?.items,
          )
        : undefined,
    values: type.allowed === undefined ? attributes.enum : type.allowed(attributes),
    precision: attributes.precision ?? stored.digits?.precision ?? 18,
    scale: (attributes.scale === 'any' ? undefined : attributes.scale) ?? type.digits?.scale ?? 2,
    pattern: pattern === undefined ? undefined : new RegExp(pattern, 'u'),
    access:
      attributes.access === undefined
        ? undefined
        : fieldAccessOf(attributes.access, [...path, 'access']),
    computed: undefined,
    attributes,
  };
}

/** The default of the file, otherwise that of the column, if a request need not set the field. */
function defaultOf(
  type: FieldType,
  { required = false, default: written }: FieldSpecification,
  native: NativeColumn | undefined,
): Default | undefined {
  const ofDatabase = type.isOfId === true ? undefined : ({ kind: 'database' } as const);
  // Nobody else sets it, whatever the file says.
  if (native?.isComputed === true) return ofDatabase;
  const isFilled = native?.isFilled === true && !required;
  return makeDefault(type, written) ?? (isFilled ? ofDatabase : undefined);
}

function makeDefault(
  { drawn }: FieldType,
  value: FieldSpecification['default'],
): Default | undefined {
  if (value === undefined) return undefined;
  const claim = typeof value === 'string' ? claimName(value) : undefined;
  if (claim !== undefined) return { kind: 'claim', claim };
  return value === drawn?.word ? { kind: drawn.word } : { kind: 'value', value };
}

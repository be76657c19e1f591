import type { FieldSpecification, JsonValue } from '../specification/specification.ts';
import type { ResourceDraft, SpecificationDraft } from './draft.ts';

/** Texts that YAML would not read as the same text without quotes. */
const meaningful = /^(?:true|false|yes|no|on|off|null|y|n)$/iu;

/** A value in one line of YAML; `${` would be a variable. */
function flow(value: JsonValue): string {
  if (typeof value === 'string') {
    const isPlain = /^[A-Za-z][\w.-]*$/u.test(value) && !meaningful.test(value);
    return isPlain ? value : JSON.stringify(value).replaceAll('${', '$$${');
  }
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, one]) => `${flow(name)}: ${flow(one)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value);
}

function comment(indent: string, text: string): string {
  return `${indent}# ${text.replaceAll(/\s+/gu, ' ').trim()}`;
}

function field(name: string, attributes: FieldSpecification): string {
  return `      ${flow(name)}: ${flow(attributes as unknown as JsonValue)}`;
}

function resourceLines(resource: ResourceDraft): readonly string[] {
  const { name, description, table, key, fields, relations, unique, indexes, notes } = resource;
  return [
    ...notes.map((note) => comment('  ', note)),
    `  ${flow(name)}:`,
    ...(description === undefined ? [] : [`    description: ${flow(description)}`]),
    ...(table === undefined ? [] : [`    table: ${flow(table)}`]),
    ...(resource.timestamps ? ['    timestamps: true'] : []),
    ...(key === undefined ? [] : [`    key: ${flow(keyValue(key))}`]),
    ...(isReadOnly(resource) ? ['    readOnly: true'] : []),
    ...(isPartlyClosed(resource) ? [`    access: ${flow(closedAccess(resource))}`] : []),
    fields.length + relations.size === 0 ? '    fields: {}' : '    fields:',
    ...fields.flatMap(({ name: one, attributes, notes: own }) => [
      ...own.map((note) => comment('      ', note)),
      field(one, attributes),
    ]),
    ...[...relations].map(([one, attributes]) => field(one, attributes)),
    ...(unique.length === 0 ? [] : [`    unique: ${flow(unique)}`]),
    ...(indexes.length === 0 ? [] : [`    indexes: ${flow(indexes)}`]),
  ];
}

/** A key of one field is written as its name. */
function keyValue(key: readonly string[] | 'none'): string | string[] {
  return typeof key === 'string' ? key : key.length === 1 ? key.join('') : [...key];
}

function isReadOnly({ closed, key }: ResourceDraft): boolean {
  return closed.length === 3 && key !== 'none';
}

function isPartlyClosed({ closed, key }: ResourceDraft): boolean {
  return closed.length > 0 && closed.length < 3 && key !== 'none';
}

/** What keeps requests from operations. */
function closedAccess({ closed }: ResourceDraft): Readonly<Record<string, string>> {
  return Object.fromEntries(closed.map((operation) => [operation, 'none']));
}

/** What an unmanaged database is, in the file. */
const unmanaged = { managed: false, collation: 'database' } as const;

/** A draft as a `plinth.yaml`, with its notes as comments. `head` are comments at the top. */
export function specificationText(
  { name, isManaged, resources, left }: SpecificationDraft,
  head: readonly string[],
  data: string | undefined,
): string {
  return [
    ...head.map((line) => comment('', line)),
    ...left.map((line) => comment('', line)),
    ...(name === undefined ? [] : [`name: ${flow(name)}`]),
    ...(data === undefined ? [] : [`data: ${flow(data)}`]),
    ...(isManaged ? [] : [`database: ${flow(unmanaged)}`]),
    'resources:',
    ...resources.flatMap(resourceLines),
    '',
  ].join('\n');
}

/** A draft as the value of a specification file. */
export function specificationValue(
  { name, isManaged, resources }: SpecificationDraft,
  data: string | undefined,
): object {
  return {
    ...(name === undefined ? {} : { name }),
    ...(data === undefined ? {} : { data }),
    ...(isManaged ? {} : { database: unmanaged }),
    resources: Object.fromEntries(
      resources.map((resource) => [
        resource.name,
        {
          ...(resource.description === undefined ? {} : { description: resource.description }),
          ...(resource.table === undefined ? {} : { table: resource.table }),
          ...(resource.timestamps ? { timestamps: true } : {}),
          ...(resource.key === undefined ? {} : { key: keyValue(resource.key) }),
          ...(isReadOnly(resource) ? { readOnly: true } : {}),
          ...(isPartlyClosed(resource) ? { access: closedAccess(resource) } : {}),
          fields: Object.fromEntries([
            ...resource.fields.map(({ name: one, attributes }) => [one, attributes] as const),
            ...resource.relations,
          ]),
          ...(resource.unique.length === 0 ? {} : { unique: resource.unique }),
          ...(resource.indexes.length === 0 ? {} : { indexes: resource.indexes }),
        },
      ]),
    ),
  };
}

import type { Definition, Document, ResourceDefinition } from '../support/oracle-model.ts';
import { odd, oddTables } from '../oracle/random-fields.ts';
import { keyNames, Names } from '../oracle/random-names.ts';
import type { Draw } from '../oracle/draw.ts';

/** Random changes of a specification after which the records and their fields are still the same ones. */

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenResource = Omit<Mutable<ResourceDefinition>, 'fields'> & {
  fields: Record<string, Mutable<Definition>>;
};
type OpenDocument = Omit<Document, 'resources'> & { resources: Record<string, OpenResource> };

/** What a random specification has that keeps its records from being read as a whole. */
export function readable(document: Document): Document {
  const open = structuredClone(document) as OpenDocument;
  for (const resource of Object.values(open.resources)) {
    delete resource.pagination;
    for (const field of Object.values(resource.fields)) delete field.writeOnly;
  }
  return { ...open, limits: {} };
}

interface Place {
  readonly draw: Draw;
  readonly document: OpenDocument;
  readonly name: string;
  readonly resource: OpenResource;
  /** A field that is no id and no relation. */
  readonly field: Mutable<Definition>;
  /** Names of columns and tables that nothing has. */
  readonly free: Names;
}

const changes: readonly ((place: Place) => void)[] = [
  ({ field, draw, free }) => {
    field.column = free.from(draw.chance(50) ? odd : keyNames);
  },
  ({ resource, draw, free }) => {
    resource.table = free.from(draw.chance(50) ? oddTables : keyNames);
  },
  ({ field, draw }) => {
    // It would take the place of null.
    if (field.default !== undefined) return;
    const isNeeded = field.required === true || field.nullable === false;
    delete field.required;
    delete field.nullable;
    if (!isNeeded) Object.assign(field, draw.chance(50) ? { required: true } : { nullable: false });
  },
  ({ field }) => {
    if (field.unique === true) delete field.unique;
    else field.unique = true;
  },
  ({ field }) => {
    if (field.index === true) delete field.index;
    else field.index = true;
  },
  ({ field, draw }) => {
    if (field.reference !== undefined)
      field.onDelete = draw.pick(['restrict', 'cascade', 'setNull']);
  },
  ({ resource }) => {
    const names = Object.keys(resource.fields).filter(
      (name) => resource.fields[name]?.type !== 'relation',
    );
    resource.indexes = resource.indexes === undefined ? [names.slice(1, 3)] : [];
  },
  ({ document, name, resource, draw }) => {
    const format = draw.pick([undefined, 'uuid', 'string']);
    resource.fields['id'] = { type: 'id', ...(format === undefined ? {} : { format }) };
    for (const { fields } of Object.values(document.resources))
      for (const key of Object.values(fields))
        if (key.reference === `${name}.id`) key.type = format ?? 'integer';
  },
];

/** The same specification after one to five changes; it may be one that has errors. */
export function changed(draw: Draw, document: Document): Document {
  const open = structuredClone(document) as OpenDocument;
  const free = new Names(
    draw,
    Object.entries(open.resources).flatMap(([name, { table = name, fields }]) => [
      table,
      ...Object.entries(fields).map(([field, { column = field }]) => column),
    ]),
  );
  for (let more = 1 + draw.below(5); more > 0; more -= 1) {
    const [name, resource] = draw.pick(Object.entries(open.resources));
    const fields = Object.values(resource.fields).filter(
      ({ type }) => type !== 'id' && type !== 'relation',
    );
    if (fields.length === 0) continue;
    draw.pick(changes)({ draw, document: open, name, resource, field: draw.pick(fields), free });
  }
  return open;
}

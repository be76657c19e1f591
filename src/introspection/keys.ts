import { recordName } from '../lib/text/singular.ts';
import { typeOf } from '../model/field-types/registry.ts';
import type { FieldTypes } from '../model/api.ts';
import type { FieldSpecification, OnDelete } from '../specification/specification.ts';
import type { ActualReference, ActualTable } from '../databases/existing/actual-schema.ts';
import { isNeeded, keyType } from './attributes.ts';
import type { CompositeKeyDraft, FieldDraft } from './draft.ts';
import { fieldName } from './names.ts';
import type { FoundColumn, FoundTable } from './table.ts';

/** A served table, with its names in the file. */
export interface Named {
  readonly table: FoundTable;
  readonly resource: string;
  /** Field names by column name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly identity: Identity;
}

/** What identifies the records of a table: a field `id`, fields of other names (`key`), or nothing. */
export type Identity = 'id' | 'fields' | 'none';

/** How the records of an unmanaged table are identified. */
export function identityOf(
  { primary, columns, types, actual }: FoundTable,
  served: readonly FoundTable[],
  fold: (name: string) => string,
): Identity {
  const typesOf = primary.map((name) => columns.find((one) => one.actual.name === name)?.type);
  const isKey = typesOf.every(
    (type) => type !== undefined && !('left' in type) && canBeKey(type.attributes, types),
  );
  if (primary.length === 0 || !isKey) return 'none';
  const [type] = typesOf;
  if (primary.length > 1 || type === undefined || 'left' in type) return 'fields';
  // A key that two tables share is a relation as well.
  const isShared = actual.references.some(
    ({ column, table }) =>
      fold(column) === fold(primary[0] ?? '') &&
      served.some((one) => fold(one.actual.name) === fold(table)),
  );
  return isShared || idType(type.attributes, types) === undefined ? 'fields' : 'id';
}

/** Whether a field of this type may identify records. See docs/contract/8-existing-databases.md#keys, rule 7. */
function canBeKey(attributes: FieldSpecification, types: FieldTypes): boolean {
  const { json, sortable, kind } = typeOf(attributes, types);
  const isScalar = json === 'string' || json === 'integer' || json === 'boolean';
  return isScalar && sortable && kind !== 'bytes' && kind !== 'numeric';
}

export function leftKey({ name }: ActualTable, target: string, why: string): string {
  return `Of table ${name} its key of several columns to ${target} ${why}.`;
}

/**
 * The keys of several columns of which one alone refers to the whole key of its table, as (tenant_id, project_id) to
 * UNIQUE (tenant_id, id) where `id` is the primary key: the relation goes by that column.
 */
export function reducedReferences(
  { table: { actual } }: Named,
  all: readonly Named[],
  fold: (name: string) => string,
): readonly ActualReference[] {
  return actual.wideReferences.flatMap(({ columns, table, targets = [], onDelete }) => {
    const target = all.find((one) => fold(one.table.actual.name) === fold(table));
    const [key, ...more] = target?.table.primary ?? [];
    const column = columns[targets.findIndex((name) => fold(name) === fold(key ?? ''))];
    const isKnown = actual.references.some((one) => fold(one.column) === fold(column ?? ''));
    if (column === undefined || key === undefined || more.length > 0 || isKnown) return [];
    // Of several columns a delete empties others as well.
    const action = onDelete === 'SET NULL' ? 'NO ACTION' : onDelete;
    return [
      {
        name: undefined,
        column,
        table,
        target: key,
        onDelete: action,
        isEnforced: true,
        isValid: true,
        others: '',
      },
    ];
  });
}

/** The columns of a view that are named as keys to tables with an `id`. */
export function guessedReferences(
  { table: { columns, actual } }: Named,
  all: readonly Named[],
): readonly ActualReference[] {
  return columns.flatMap(({ actual: { name } }) => {
    const [, stem] = /^(.+?)(?:_id|Id|_ID)$/u.exec(name) ?? [];
    const target = all.find(
      ({ resource, identity, table }) =>
        stem !== undefined &&
        identity === 'id' &&
        !table.isView &&
        fieldName(recordName(resource)) === fieldName(stem),
    );
    const [key] = target?.table.primary ?? [];
    if (target === undefined || key === undefined || target.table.actual === actual) return [];
    const { name: table } = target.table.actual;
    const others = {
      name: undefined,
      onDelete: 'NO ACTION',
      isEnforced: false,
      isValid: false,
      others: '',
    };
    return [{ ...others, column: name, table, target: key }];
  });
}

export interface FoundKeys {
  readonly keys: readonly (CompositeKeyDraft & { readonly action: OnDelete })[];
  /** Sentences about those that are not served. */
  readonly left: readonly string[];
}

export const noKeys: FoundKeys = { keys: [], left: [] };

export const unlessUsual = (action: OnDelete, usual: OnDelete): OnDelete | undefined =>
  action === usual ? undefined : action;

/** The foreign keys of several fields, each in the order of the key that it refers to. */
export function compositeKeysOf(
  { table: { actual }, fields: names }: Named,
  fields: readonly FieldDraft[],
  references: readonly ActualReference[],
  all: readonly Named[],
  fold: (name: string) => string,
): FoundKeys {
  const keys: (CompositeKeyDraft & { readonly action: OnDelete })[] = [];
  const left: string[] = [];
  for (const { columns, table, targets, onDelete } of actual.wideReferences) {
    const target = all.find((one) => fold(one.table.actual.name) === fold(table));
    const leave = (why: string): unknown => left.push(leftKey(actual, table, why));
    const primary = target?.table.primary ?? [];
    if (primary.length === 1) {
      const isReduced = columns.some((column) =>
        references.some(
          (one) => fold(one.column) === fold(column) && fold(one.table) === fold(table),
        ),
      );
      if (!isReduced) leave('is not served: it does not refer to the key of that table');
      continue;
    }
    if (target?.identity !== 'fields') {
      leave('is not served: that table is not, or has no key');
      continue;
    }
    const pointed = targets ?? primary;
    const ordered = primary.flatMap((name) => {
      const column = columns[pointed.findIndex((one) => fold(one) === fold(name))];
      return (
        fields.find(
          (one) => column !== undefined && one.name === names.get(columnNamed(names, column, fold)),
        ) ?? []
      );
    });
    const there = primary.map(
      (name) => target.table.columns.find((one) => one.actual.name === name)?.type,
    );
    const isAlike = ordered.every(({ attributes }, index) => {
      const type = there[index];
      const { types } = target.table;
      return (
        type !== undefined &&
        !('left' in type) &&
        keyType(attributes, types) === keyType(type.attributes, types)
      );
    });
    if (ordered.length < primary.length || primary.length !== columns.length)
      leave('is not served: it does not refer to the key of that table');
    else if (!isAlike) leave('is not served: its columns are of other types');
    else {
      const isEmptied = ordered.every(({ attributes }) => !isNeeded(attributes));
      const found = actions[onDelete] ?? 'restrict';
      const action = found === 'setNull' && !isEmptied ? 'restrict' : found;
      keys.push({
        fields: ordered.map(({ name }) => name),
        target: target.resource,
        onDelete: unlessUsual(action, isEmptied ? 'setNull' : 'restrict'),
        action,
      });
    }
  }
  return { keys, left };
}

/** The column as its table writes it. */
function columnNamed(
  names: ReadonlyMap<string, string>,
  column: string,
  fold: (name: string) => string,
): string {
  return [...names.keys()].find((one) => fold(one) === fold(column)) ?? column;
}

const actions: Readonly<Record<string, OnDelete>> = { CASCADE: 'cascade', 'SET NULL': 'setNull' };

/** The target of a column that is a foreign key to a served table. */
export function keyOf(
  { actual: { name, nullable }, type }: FoundColumn,
  references: readonly ActualReference[],
  all: readonly Named[],
  fold: (name: string) => string,
): {
  readonly target: FieldDraft['target'];
  readonly reference: FieldSpecification | undefined;
  readonly notes: readonly string[];
} {
  const none = { target: undefined, reference: undefined, notes: [] };
  const found = references.find(({ column }) => fold(column) === fold(name));
  if (found === undefined || 'left' in type) return none;
  const target = all.find(({ table }) => fold(table.actual.name) === fold(found.table));
  if (target === undefined)
    return { ...none, notes: [`A key to ${found.table}, which is not served.`] };
  const column = found.target ?? target.table.primary[0] ?? '';
  const [, fieldNamed = ''] = [...target.fields].find(([one]) => fold(one) === fold(column)) ?? [];
  const there = target.table.columns.find(({ actual }) => fold(actual.name) === fold(column))?.type;
  if (there === undefined || 'left' in there) return none;
  const { types } = target.table;
  const typeName = keyType(there.attributes, types);
  if (typeName !== keyType(type.attributes, types))
    return {
      ...none,
      notes: [
        `A key to ${found.table}.${column}, which is of another type; it is served as a plain value.`,
      ],
    };
  const action = actions[found.onDelete] ?? 'restrict';
  const onDelete = action === 'setNull' && !nullable ? 'restrict' : action;
  const usual = nullable ? 'setNull' : 'restrict';
  return {
    target: { resource: target.resource, field: fieldNamed },
    reference: {
      ...formOf(there.attributes),
      type: typeName,
      reference: `${target.resource}.${fieldNamed}`,
      ...(onDelete === usual ? {} : { onDelete }),
    },
    notes:
      found.onDelete === 'SET DEFAULT'
        ? ['On delete the database sets its default; here such a delete is refused.']
        : [],
  };
}

/** The attributes for the stored form of a type, which a key shares with its target. */
function formOf({ storedAs, precision, scale }: FieldSpecification): Partial<FieldSpecification> {
  return {
    ...(storedAs === undefined ? {} : { storedAs }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
}

/** The type of an id with this column; undefined if the column cannot be an id. */
export function idType(
  attributes: FieldSpecification,
  types: FieldTypes,
): FieldSpecification | undefined {
  const { kind, number, text } = typeOf(attributes, types);
  if (number === 'whole') return { type: 'id' };
  if (kind === 'uuid') return { type: 'id', format: 'uuid' };
  return text === undefined ? undefined : { type: 'id', format: 'string' };
}

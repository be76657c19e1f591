import { canBeKeys, typeOfKind } from '../../model/build/keys.ts';
import type { FieldSpecification, OnDelete } from '../../specification/specification.ts';
import type { ActualTable } from '../../databases/existing/actual-schema.ts';
import { isNeeded, keyType } from '../attributes.ts';
import type { CompositeKeyDraft, FieldDraft } from '../draft.ts';
import type { Named } from '../names/named.ts';
import type { Reference } from './references.ts';
import type { FoundColumn } from '../table.ts';

export function leftKey({ name }: ActualTable, target: string, why: string): string {
  return `Of table ${name} its key of several columns to ${target} ${why}.`;
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
  { table: { actual }, fields: names, references }: Named,
  fields: readonly FieldDraft[],
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
  references: readonly Reference[],
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
  const kind = keyType(there.attributes, types);
  if (kind !== keyType(type.attributes, types))
    return {
      ...none,
      notes: [
        `A key to ${found.table}.${column}, which is of another type; it is served as a plain value.`,
      ],
    };
  if (!canBeKeys(kind))
    return {
      ...none,
      notes: [
        `A key to ${found.table}.${column}, which is of a type that keys cannot have; it is served as a plain value.`,
      ],
    };
  const action = actions[found.onDelete] ?? 'restrict';
  const onDelete = action === 'setNull' && !nullable ? 'restrict' : action;
  const usual = nullable ? 'setNull' : 'restrict';
  return {
    target: { resource: target.resource, field: fieldNamed },
    reference: {
      ...formOf(there.attributes),
      ...typeOfKind(kind),
      reference: `${target.resource}.${fieldNamed}`,
      ...(onDelete === usual ? {} : { onDelete }),
    },
    notes: found.isGuess
      ? ['A guess by its name: take away `reference` and the relation if it is no key.']
      : found.onDelete === 'SET DEFAULT'
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

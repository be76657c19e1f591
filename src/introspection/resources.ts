import { typeOf } from '../model/field-types/registry.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { ActualIndex } from '../databases/existing/actual-schema.ts';
import { attributesOf, isNeeded, isOrdered } from './attributes.ts';
import { toolOf } from './bookkeeping.ts';
import type { FieldDraft, ResourceDraft, SpecificationDraft } from './draft.ts';
import { idType } from './keys/identity.ts';
import { namedTables, type Named } from './names/named.ts';
import { likeAnother } from './names/words.ts';
import { hasTimestamps, trimmed } from './trimmed.ts';
import { addRelations, junctionKeys } from './relations.ts';
import { compositeKeysOf, keyOf, leftKey, noKeys, unlessUsual } from './keys/keys.ts';
import type { FoundDatabase, FoundTable } from './table.ts';
import { withWideKeys } from './wide-keys.ts';

export interface DraftOptions {
  /** Whether tables of migration tools are served too. */
  readonly hasBookkeeping?: boolean;
}

/** A specification for the tables of a database. See docs/contract/6-operation.md#introspect. */
export function draftOf(
  { isManaged, tables: found, left: others, fold, types }: FoundDatabase,
  { hasBookkeeping = false }: DraftOptions = {},
): SpecificationDraft {
  const kept = hasBookkeeping ? [] : found.filter((table) => toolOf(table) !== undefined);
  const tables = withWideKeys(
    found.filter((table) => !kept.includes(table)),
    types,
    fold,
  );
  const left = kept.length === 0 ? [] : [bookkeepingLine(kept)];
  const leave = ({ actual: { name } }: FoundTable, reason: string | undefined): boolean => {
    if (reason !== undefined) left.push(`Table ${name} is left out: ${reason}.`);
    return reason === undefined;
  };
  let served = tables.filter((table) =>
    leave(table, isManaged ? hindrance(table, tables, fold) : unservable(table)),
  );
  // PostgreSQL distinguishes them. Tables that migrations make are for SQLite too, which does not.
  served = served.filter((table) => {
    const other = isManaged
      ? served.find((one) => isAlike(one, table) && comesBefore(one, table))
      : undefined;
    return leave(
      table,
      other && `its name differs from that of ${other.actual.name} in case alone`,
    );
  });
  let named = namedTables(served, isManaged, fold);
  let drafts = named.map((one) => resourceOf(one, named, fold, isManaged));
  // Junctions to a table that is left out are left out as well.
  for (;;) {
    const unlinked = named.flatMap((one, index) =>
      isManaged && isUnlinked(one, drafts[index]) ? [one.table] : [],
    );
    if (unlinked.length === 0) break;
    served = served.filter(
      (table) =>
        !unlinked.includes(table) ||
        leave(table, `${wideKey(table)}, and not all of them lead to what is served`),
    );
    named = namedTables(served, isManaged, fold);
    drafts = named.map((one) => resourceOf(one, named, fold, isManaged));
  }
  left.push(...drafts.flatMap((draft) => draft.left));
  const resources = drafts
    .map(({ resource }) => resource)
    .filter(({ name, table = name, key, fields }) => {
      const isEmpty = key === 'none' && fields.length === 0;
      if (isEmpty) left.push(`Table ${table} is left out: none of its columns is served.`);
      return !isEmpty;
    });
  addRelations(resources, types);
  const owners = new Set(served.flatMap(({ record }) => record.get('')?.owner ?? []));
  const [owner] = owners;
  return {
    name: owners.size === 1 ? owner : undefined,
    isManaged,
    resources,
    left: [...left, ...others],
  };
}

/** What is said of the tables of migration tools, in one line. */
function bookkeepingLine(tables: readonly FoundTable[]): string {
  const names = tables.map(({ actual }) => actual.name).join(', ');
  const tools = [...new Set(tables.flatMap((table) => toolOf(table) ?? []))];
  return `${tables.length === 1 ? `Table ${names} is` : `Tables ${names} are`} left out: notes of ${tools.length === 1 ? 'a migration tool' : 'migration tools'} (${tools.join(', ')}). With --bookkeeping they are served too.`;
}

function isAlike({ actual: one }: FoundTable, { actual: other }: FoundTable): boolean {
  return one.name !== other.name && one.name.toLowerCase() === other.name.toLowerCase();
}

/** Tables that a migration has made come first. */
function comesBefore(one: FoundTable, other: FoundTable): boolean {
  return one.record.has('') === other.record.has('')
    ? one.actual.name < other.actual.name
    : one.record.has('');
}

/** Whether a primary key of several columns is not that of a junction, since not all of them reference served tables. */
function isUnlinked(
  { table, fields }: Named,
  draft: { readonly resource: ResourceDraft } | undefined,
): boolean {
  const isLinked = (column: string): boolean =>
    draft?.resource.fields.some(
      ({ name, target }) => name === fields.get(column) && target !== undefined,
    ) === true;
  return table.primary.length > 1 && !table.primary.every(isLinked);
}

function resourceOf(
  named: Named,
  all: readonly Named[],
  fold: (name: string) => string,
  isManaged: boolean,
): { readonly resource: ResourceDraft; readonly left: readonly string[] } {
  const { table, resource: name, identity } = named;
  const lists = indexLists(named, fold);
  const { fields, left, isFilled } = fieldsOf(named, lists, all, fold, isManaged);
  const wide = isManaged ? noKeys : compositeKeysOf(named, fields, all, fold);
  const isSorted = (one: string): boolean =>
    fields.some((draft) => draft.name === one && isOrdered(draft.attributes, table.types));
  const unique = distinct(
    lists
      .filter((index) => index.unique)
      .map((index) => index.fields)
      .filter((list) => list.length > 1 && list.every(isSorted)),
  );
  const plain = distinct(
    lists
      .filter((index) => !index.unique && !index.isPrimary)
      .map((index) => index.fields)
      // Every index of a migration ends with the id.
      .map((list) => (list.length > 1 && list.at(-1) === 'id' ? list.slice(0, -1) : list))
      .filter((list) => list.every(isSorted) && !list.includes('id')),
  );
  const key = identity === 'fields' ? keyOfRows(named) : undefined;
  const junction = junctionKeys(fields, key === undefined ? unique : [key, ...unique], wide.keys);
  if (junction !== undefined) nameActions(fields, junction);
  markIndexed(fields, unique, plain);
  const timestamps = hasTimestamps(fields);
  return {
    left: [...left, ...wide.left],
    resource: {
      name,
      description: table.comment,
      table: table.actual.name === name ? undefined : table.actual.name,
      fields: trimmed(fields, timestamps),
      relations: new Map(),
      unique: unique.filter((list) => list.join() !== key?.join()),
      indexes: plain.filter((list) => list.length > 1),
      timestamps,
      key: identity === 'none' ? identity : key,
      compositeKeys: wide.keys.map(({ action, ...key }) => ({
        ...key,
        onDelete:
          junction?.includes(key.fields.join(',')) === true
            ? unlessUsual(action, 'cascade')
            : key.onDelete,
      })),
      closed:
        isFilled && (identity !== 'id' || !isNumberedElsewhere(table, fold))
          ? table.closed
          : [...new Set(['create' as const, ...table.closed])],
      notes: identity === 'none' ? [keyless] : [...table.notes],
      junction,
      isLink:
        table.primary.length > 1 ||
        fields.every(({ name: one }) => one === 'id' || junction?.includes(one)),
    },
  };
}

const keyless = 'Nothing identifies its rows, so it is served as lists alone.';

/** The field names of an index that requests can use, or that is unique. */
type IndexList = ActualIndex & { readonly fields: readonly string[] };

function indexLists(
  { table, fields }: Named,
  fold: (name: string) => string,
): readonly IndexList[] {
  const nameOf = (column: string | null): string =>
    [...fields].find(([one]) => column !== null && fold(one) === fold(column))?.[1] ?? '';
  return table.actual.indexes
    .filter(({ columns, unique, isInOrder }) => !columns.includes(null) && (unique || isInOrder))
    .map((index) => ({ ...index, fields: index.columns.map(nameOf) }));
}

/** The fields of a table, notes about the columns that cannot be served, and whether rows can be created without those. */
function fieldsOf(
  { table, fields: names, references, identity }: Named,
  lists: readonly IndexList[],
  all: readonly Named[],
  fold: (name: string) => string,
  isManaged: boolean,
): {
  readonly fields: FieldDraft[];
  readonly left: readonly string[];
  readonly isFilled: boolean;
} {
  const { actual, columns, primary, rowKey } = table;
  const left = isManaged
    ? actual.wideReferences.map((key) => leftKey(actual, key.table, 'is not served'))
    : [];
  const fields: FieldDraft[] = [];
  let isFilled = true;
  if (isManaged && primary.length > 1 && rowKey !== undefined && !names.has('id'))
    fields.push(
      field('id', rowKey, { type: 'id' }, [
        rowKey === 'id'
          ? 'The key is of several columns: migrate adds this one as the id of a row.'
          : 'The key is of several columns: the id is what SQLite itself knows a row by, which VACUUM may change.',
      ]),
    );
  for (const column of columns) {
    const { type } = column;
    const own = column.actual.name;
    const name = names.get(own) ?? own;
    const reason =
      'left' in type
        ? type.left
        : isManaged && column.actual.isComputed
          ? 'the database computes it'
          : isManaged
            ? likeAnother(own, [...primary, ...columns.map((one) => one.actual.name)])
            : undefined;
    if (reason !== undefined || 'left' in type) {
      const { nullable, fills } = column.actual;
      const isMissed = !nullable && !fills && !actual.mayFill;
      const what = isMissed
        ? ` It may not be null, so records of ${actual.name} are read and changed but not made (access: { create: none }); let it be null, or give it a default in the database.`
        : '';
      left.push(`Column ${actual.name}.${own} is left out: ${reason ?? ''}.${what}`);
      isFilled &&= !isMissed;
      continue;
    }
    const key = keyOf(column, references, all, fold);
    if (name === 'id') {
      const id = idType(type.attributes, table.types);
      if (id === undefined) continue;
      const note =
        key.target === undefined
          ? key.notes
          : [`The id is a key to ${key.target.resource} as well, which is not served.`];
      const isGiven = !isManaged && !table.isKeyDrawn;
      fields.push(
        field('id', own, isGiven ? { ...id, required: true } : id, [
          ...note,
          ...(isNumberedElsewhere(table, fold)
            ? ['A request cannot say which number a record is to get, so none is made here.']
            : []),
        ]),
      );
      continue;
    }
    // A key is unique without saying so.
    const isKey = identity === 'fields' && primary.length === 1 && primary[0] === own;
    const isUnique = lists.some(
      ({ unique, fields: [first, ...more] }) =>
        unique && !isKey && first === name && more.length === 0,
    );
    const { attributes, notes } = attributesOf(
      column,
      isUnique,
      key.reference,
      table.types,
      isManaged,
    );
    const draft = field(name, own, attributes, [...notes, ...key.notes]);
    fields.push({ ...draft, target: key.target, kinds: column.kinds });
  }
  return { fields, left, isFilled };
}

/** Whether a table shares the ids of another table, so that it generates none of its own. */
function isNumberedElsewhere(
  { actual: { references }, columns, primary: [key, ...more], types }: FoundTable,
  fold: (name: string) => string,
): boolean {
  const type = columns.find(({ actual }) => actual.name === key)?.type;
  return (
    key !== undefined &&
    more.length === 0 &&
    type !== undefined &&
    !('left' in type) &&
    typeOf(type.attributes, types).number === 'whole' &&
    references.some(({ column }) => fold(column) === fold(key))
  );
}

/** Makes `onDelete` of a junction's keys explicit, whose default is `cascade` unlike that of other keys. */
function nameActions(fields: readonly FieldDraft[], junction: readonly string[]): void {
  for (const draft of fields.filter(({ name }) => junction.includes(name))) {
    const { onDelete, ...others } = draft.attributes;
    if (onDelete === 'cascade') draft.attributes = others;
    else if (onDelete === undefined)
      draft.attributes = { ...others, onDelete: isNeeded(others) ? 'restrict' : 'setNull' };
  }
}

/** Adds `index: true` to fields with an index of their own, unless they have one by default. */
function markIndexed(
  fields: readonly FieldDraft[],
  unique: readonly (readonly string[])[],
  plain: readonly (readonly string[])[],
): void {
  const leading = new Set(
    [...unique, ...plain.filter((list) => list.length > 1)].map(([first]) => first),
  );
  for (const [first, ...more] of plain) {
    const draft = fields.find((one) => one.name === first);
    if (draft === undefined || more.length > 0) continue;
    // Keys and unique fields are indexed by default.
    const isImplied =
      draft.attributes.unique === true || (draft.target !== undefined && !leading.has(first));
    if (!isImplied) draft.attributes = { ...draft.attributes, index: true };
  }
}

function field(
  name: string,
  column: string,
  attributes: FieldSpecification,
  notes: readonly string[],
): FieldDraft {
  return {
    name,
    attributes: column === name ? attributes : { ...attributes, column },
    notes,
    target: undefined,
    kinds: [],
  };
}

function distinct(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(lists.map((list) => [list.join(' '), list])).values()];
}

/** The primary key of several columns, for messages. */
const wideKey = ({ actual, primary }: FoundTable): string =>
  actual.indexes.some(({ isPrimary }) => isPrimary)
    ? `its primary key is of several columns (${primary.join(', ')})`
    : `it has no primary key but two columns (${primary.join(', ')})`;

/** Why a table cannot be served; undefined if it can. */
function hindrance(
  table: FoundTable,
  tables: readonly FoundTable[],
  fold: (name: string) => string,
): string | undefined {
  const { actual, columns, primary, rowKey, types } = table;
  if (actual.name === '') return 'it has no name';
  if (actual.columns.has('')) return 'one of its columns has no name';
  if (/^(?:sqlite_|pg_|_plinth)/iu.test(actual.name))
    return 'databases keep such names for themselves';
  if (primary.length === 0) return 'it has no primary key';
  if (primary.length > 1) {
    const isLinked = (column: string): boolean =>
      actual.references.some(
        ({ column: own, table: target }) =>
          fold(own) === fold(column) &&
          tables.some((one) => fold(one.actual.name) === fold(target) && one.primary.length === 1),
      );
    const isJunction = primary.length === 2 && primary.every(isLinked);
    const key = wideKey(table);
    if (!isJunction) return `${key}; give its rows a key of one column`;
    return rowKey === undefined ? `${key}, and its rows have no other` : undefined;
  }
  const type = columns.find(({ actual: { name } }) => name === primary[0])?.type;
  if (type === undefined || 'left' in type)
    return `its primary key cannot be served${type === undefined ? '' : `: ${type.left}`}`;
  return idType(type.attributes, types) === undefined
    ? `its primary key is of type ${type.attributes.type}; it has to be a whole number, a UUID or text`
    : undefined;
}

/** The fields of a composite key. */
function keyOfRows({ table, fields }: Named): readonly string[] {
  return table.primary.map((column) => fields.get(column) ?? column);
}

/** Why an unmanaged table cannot be served; undefined if it can. */
function unservable({ actual }: FoundTable): string | undefined {
  if (actual.name === '') return 'it has no name';
  if (actual.columns.has('')) return 'one of its columns has no name';
  return undefined;
}

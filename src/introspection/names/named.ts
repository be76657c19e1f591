import { recordName } from '../../lib/text/singular.ts';
import { identityOf, type Identity } from '../keys/identity.ts';
import { fieldName, freeName, wordsOf } from './words.ts';
import {
  isAlike,
  referencesOf,
  tableNamed,
  type NamedTable,
  type Reference,
} from '../keys/references.ts';
import { resourceNames } from './tables.ts';
import type { FoundColumn, FoundTable } from '../table.ts';

/** A served table, with its names in the file. */
export interface Named extends NamedTable {
  readonly references: readonly Reference[];
  /** Field names by column name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly identity: Identity;
}

/** Names tables and columns. */
export function namedTables(
  served: readonly FoundTable[],
  isManaged: boolean,
  fold: (name: string) => string,
): readonly Named[] {
  const names = resourceNames(served);
  const all = served.map((table, index): NamedTable => {
    const resource = names[index] ?? '';
    return { table, resource, record: fieldName(recordName(resource)) };
  });
  return all.map((one) => {
    const references = referencesOf(one, all, isManaged, fold);
    const isServed = ({ table }: Reference): boolean => tableNamed(table, all, fold) !== undefined;
    const identity = isManaged ? 'id' : identityOf(one.table, references.filter(isServed), fold);
    const fields = fieldNames(one.table, identity, references, all, fold);
    return { ...one, references, fields, identity };
  });
}

function fieldNames(
  { columns, primary, record }: FoundTable,
  identity: Identity,
  references: readonly Reference[],
  all: readonly NamedTable[],
  fold: (name: string) => string,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(['id']);
  for (const { actual: column } of columns) {
    const known = record.get(column.name)?.field;
    if (known !== undefined && known !== '') {
      names.set(column.name, known);
      taken.add(known.toLowerCase());
    }
  }
  const nameOf = (column: FoundColumn): string => {
    const own = column.actual.name;
    if (identity === 'id' && primary.length === 1 && primary[0] === own) return 'id';
    // `id` is the key, whatever its columns are called.
    const isTaken = fieldName(own) === 'id';
    const reference = references.find((one) => fold(one.column) === fold(own));
    if (reference !== undefined) return keyName(column, isTaken, reference, references, all, fold);
    return isTaken ? 'ownId' : fieldName(own);
  };
  // A column that has the name of its field keeps it, if another one would be given the same.
  const first = columns.filter((column) => nameOf(column) === column.actual.name);
  for (const column of [...first, ...columns]) {
    const { name } = column.actual;
    if (names.has(name)) continue;
    const wanted = nameOf(column);
    names.set(name, wanted === 'id' ? wanted : freeName(wanted, taken));
  }
  return names;
}

/** The name of a field that is a key. */
function keyName(
  column: FoundColumn,
  isTaken: boolean,
  { table, target }: Reference,
  references: readonly Reference[],
  all: readonly NamedTable[],
  fold: (name: string) => string,
): string {
  const plain = fieldName(column.actual.name);
  const there = tableNamed(table, all, fold);
  const rivals = references.filter((one) => fold(one.table) === fold(table));
  // The letters of Prisma's junctions say nothing.
  const isLetter = plain.length === 1 && rivals.length === 1;
  if (there !== undefined && (isTaken || isLetter)) return `${there.record}Id`;
  if (/id\d*$/iu.test(plain)) return plain;
  // `reportsTo` leaves that name to its relation. A text that is no id, such as a country, is a value of its own.
  const key = target ?? there?.table.primary[0] ?? '';
  const isId =
    wordsOf(key).at(-1) === 'id' && there !== undefined && isAlike(column, there.table, key);
  return isId || !/CHAR|TEXT/iu.test(column.actual.type) ? `${plain}Id` : plain;
}

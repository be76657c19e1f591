import { baseOf, type BaseKind, type StoredKind } from '../../sql/stored-kind.ts';

const kindTypes: Readonly<Record<BaseKind | 'decimal', string>> = {
  any: 'TEXT',
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  decimal: 'INTEGER',
  boolean: 'INTEGER',
  date: 'TEXT',
  time: 'TEXT',
  datetime: 'TEXT',
  uuid: 'TEXT',
  json: 'TEXT',
  object: 'TEXT',
  array: 'TEXT',
};

/** The declared type of a column that a migration creates for values of `kind`. */
export function typeOfKind(kind: StoredKind): string {
  return kindTypes[baseOf(kind)];
}

/** The affinity of a declared column type, by SQLite's own rules. */
export function affinityOf(type: string): string {
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/u.test(type)) return 'TEXT';
  if (type === '' || type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/u.test(type) ? 'REAL' : 'NUMERIC';
}

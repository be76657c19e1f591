import { baseOf, type StoredKind } from '../../sql/stored-kind.ts';

const kindTypes: ReadonlyMap<string, string> = new Map([
  ['integer', 'INTEGER'],
  ['boolean', 'INTEGER'],
  ['decimal', 'INTEGER'],
  ['number', 'REAL'],
]);

/** The declared type of a column that a migration creates for values of `kind`. */
export function typeOfKind(kind: StoredKind): string {
  return kindTypes.get(baseOf(kind)) ?? 'TEXT';
}

/** The affinity of a declared column type, by SQLite's own rules. */
export function affinityOf(type: string): string {
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/u.test(type)) return 'TEXT';
  if (type === '' || type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/u.test(type) ? 'REAL' : 'NUMERIC';
}

/** The affinity of a declared column type in capitals, by SQLite's own rules. */
export function affinityOf(type: string): string {
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/u.test(type)) return 'TEXT';
  if (type === '' || type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/u.test(type) ? 'REAL' : 'NUMERIC';
}

import { createHash } from 'node:crypto';
import type { Resource } from '../../model/api.ts';
import type { Database } from '../../databases/database.ts';
import { portionsOf } from '../../records/read/portions.ts';

/** The count and checksum of a table, which must be equal on both sides. */
export interface TableDigest {
  readonly rows: number;
  /** SHA-256 over all values of all rows in order of id, as on the wire. */
  readonly checksum: string;
}

/** Reads a table for its digest; calls `advance` with the number of rows read. */
export async function digestOf(
  resource: Resource,
  database: Database,
  advance: (count: number) => void,
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const portion of portionsOf(resource, [...resource.fields.values()], database)) {
    let text = '';
    for (const row of portion) text += `${JSON.stringify(row)}\n`;
    hash.update(text);
    rows += portion.length;
    advance(portion.length);
  }
  return { rows, checksum: hash.digest('hex') };
}

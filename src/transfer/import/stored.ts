import type { Field } from '../../model/api.ts';
import type { Database } from '../../databases/database.ts';
import type { BatchStatements, Candidate } from './batch.ts';
import type { RecordReader } from './record.ts';

/**
 * Leaves out the records that existed before this run with the same values. For those that existed with other values, adds
 * the fields that differ.
 */
export async function withoutStored(
  candidates: readonly Candidate[],
  reader: RecordReader,
  statements: BatchStatements,
  database: Database,
): Promise<readonly Candidate[]> {
  const ids = candidates.flatMap(({ reading: { ownId } }) => (ownId === null ? [] : [ownId]));
  if (ids.length === 0) return candidates;
  const { statement, bound } = statements.storedWith(ids);
  // Read outside the transaction: a record that this run has inserted must not hide a duplicate id in the files.
  const stored = statements.byId(await database.all(statement, { bound }));
  if (stored.size === 0) return candidates;
  return candidates.flatMap((candidate) => {
    const { source, reading } = candidate;
    const { values, ownId } = reading;
    const row = ownId === null ? undefined : stored.get(String(ownId));
    if (row === undefined) return [candidate];
    const differences = reader.differences(source, values, row);
    return differences.length === 0 ? [] : [{ ...candidate, differences }];
  });
}

/** The message for a record whose id existed before the run. */
export function takenMessage(differences: readonly Field[]): string {
  const names = differences.map(({ name }) => name).join(', ');
  return `is taken: the record that has it differs in ${names}`;
}

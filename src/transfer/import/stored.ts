import type { Field, Resource } from '../../model/api.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Database } from '../../databases/database.ts';
import type { BatchStatements, Candidate } from './batch.ts';
import type { RecordReader } from './record.ts';

/**
 * Leaves out the records that were in the database before this run with the same values; those that were there with
 * others say in which.
 */
export async function withoutStored(
  candidates: readonly Candidate[],
  resource: Resource,
  reader: RecordReader,
  statements: BatchStatements,
  database: Database,
): Promise<readonly Candidate[]> {
  const ids = candidates.flatMap(({ reading: { ownId } }) => (ownId === null ? [] : [ownId]));
  if (ids.length === 0) return candidates;
  const { statement, bound } = statements.storedWith(ids);
  // Not in the transaction: what this run has inserted is no reason to leave out another of that id.
  const stored = statements.byId(await database.all(statement, { bound }));
  if (stored.size === 0) return candidates;
  return candidates.flatMap((candidate) => {
    const { source, reading } = candidate;
    const { values, ownId } = reading;
    const encoded = encodeValue(database.dialect, ownId, resource.id);
    const row = ownId === null ? undefined : stored.get(String(encoded));
    if (row === undefined) return [candidate];
    const differences = reader.differences(source, values, row);
    return differences.length === 0 ? [] : [{ ...candidate, differences }];
  });
}

/** Why a record is refused whose id another had before the run. */
export function takenMessage(differences: readonly Field[]): string {
  const names = differences.map(({ name }) => name).join(', ');
  return `is taken: the record that has it differs in ${names}`;
}

import type { Resource } from '../../model/api.ts';
import { boundFor } from '../../query/bind.ts';
import type { ReadPlan } from '../../query/plan.ts';
import { withId } from '../../query/read/sort.ts';
import { compileExport } from '../../sql/compile/export.ts';
import type { Database } from '../../databases/database.ts';
import { readExport, type ExportResult } from './export.ts';

/** No list is longer; one more is still a number that every database takes. */
const all = Number.MAX_SAFE_INTEGER - 1;

/**
 * Reads all records of a resource as the owner of the data has them, in order of id: every field under its own name,
 * also those that no caller may read. `signal` ends the reading of the ids. See
 * docs/contract/6-operation.md#import-and-export, rule 1.
 */
export function readStored(
  resource: Resource,
  database: Database,
  signal: AbortSignal,
): Promise<ExportResult> {
  const plan: ReadPlan = {
    kind: 'list',
    resource,
    selection: {
      members: [...resource.fields.values()].map((field) => ({ name: field.name, field })),
      expand: [],
    },
    slots: [],
    ruleSlots: [],
    access: [],
    collections: [],
    where: [],
    order: withId([], resource),
    sort: '',
    collectionSort: '',
    nulls: '',
    paging: { mode: 'offset', offset: 0, limit: undefined },
    count: 'none',
  };
  const bound = { ...boundFor({}), page: { page: 1, limit: all, offset: 0 } };
  return readExport(compileExport(plan, database.dialect), bound, database, signal);
}

import type { WritePlan } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Access } from './conflicts.ts';
import { Refusal } from '../refusal.ts';
import type { RowRights } from './row-rights.ts';
import { notFound } from './written.ts';

type Create = Extract<WritePlan, { kind: 'create' }>;
type Delete = Extract<WritePlan, { kind: 'delete' }>;

/**
 * Checks that the caller may change or delete a record. A record that it does not see does not exist for it, unless
 * it sees none of the resource and writes blindly. Throws a Refusal. See
 * docs/contract/5-access.md#writes-under-row-rules.
 */
export async function checkTarget(
  { kind, resource, id }: Exclude<WritePlan, Create>,
  { transaction, statements, dialect }: Access,
  rights: RowRights,
): Promise<void> {
  const reading = rights.leaves(resource, 'read');
  if (rights.leaves(resource, kind) === 'all' && reading !== 'some') return;
  const key = encodeValue(dialect, id, resource.id);
  // From here on nobody else changes what the rules look at.
  const [row] = await transaction.all(statements.lock(resource), { bound: [], id: key });
  const isSeen = await rights.has(resource.id, 'read', key, transaction);
  if (row === undefined || (reading === 'some' && !isSeen))
    throw new Refusal(notFound(resource, id));
  if (await rights.has(resource.id, kind, key, transaction)) return;
  if (!isSeen) throw new Refusal(notFound(resource, id));
  rights.refuse();
}

/** Refuses a write that leaves a record on which the rules do not allow it; `ids` are those of the records written. */
export async function checkResult(
  { kind, resource }: Exclude<WritePlan, Delete>,
  ids: readonly JsonValue[],
  { transaction, dialect }: Access,
  rights: RowRights,
): Promise<void> {
  const keys = ids.map((id) => encodeValue(dialect, id, resource.id));
  const left = await rights.among(resource.id, kind, keys, transaction);
  if (left !== undefined && left.size < keys.length) rights.refuse();
}

/** Whether no access rule has to look at a row: neither at those written, nor at those that are pointed to or shown. */
export function isUnruled(
  plan: WritePlan,
  { plan: shown }: CompiledRead,
  rights: RowRights,
): boolean {
  if (plan.kind === 'delete') return false;
  if (shown.access.length > 0 || rights.leaves(plan.resource, plan.kind) !== 'all') return false;
  const records = plan.kind === 'create' ? plan.records.map(({ values }) => values) : [plan.values];
  const keys = [...(records[0]?.keys() ?? [])].filter(
    ({ reference }) =>
      reference !== undefined && rights.leaves(reference.resource, 'read') !== 'all',
  );
  return records.every((values) => keys.every((key) => (values.get(key) ?? null) === null));
}

import type { Field } from '../../../model/api.ts';
import { keyFields } from '../../../model/field-types/composite-id.ts';
import type { WritePlan } from '../../../query/plan.ts';
import type { CompiledRead } from '../../../sql/compile/read.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import type { DataAccess } from './conflicts.ts';
import { ApiFailure } from '../../api-failure.ts';
import type { RowRights } from './row-rights.ts';
import { notFound } from '../result.ts';

type Create = Extract<WritePlan, { kind: 'create' }>;

/**
 * Checks that the caller may change or delete a record. A record that it cannot see does not exist for it, unless it may
 * read no record of the resource and writes blindly. Throws an ApiFailure. See
 * docs/contract/5-access.md#writes-under-row-rules.
 */
export async function checkTarget(
  { kind, resource, id }: Pick<Exclude<WritePlan, Create>, 'kind' | 'resource' | 'id'>,
  { transaction, statements, dialect }: DataAccess,
  rights: RowRights,
): Promise<void> {
  const reading = rights.allowedRows(resource, 'read');
  if (rights.allowedRows(resource, kind) === 'all' && reading !== 'some') return;
  const key = encodeValue(dialect, id, resource.id);
  // The lock keeps other writes from changing what the rules check.
  const [row] = await transaction.all(statements.lock(resource), { bound: [], id: key });
  const isSeen = await rights.isAllowed(resource.id, 'read', key, transaction);
  if (row === undefined || (reading === 'some' && !isSeen))
    throw new ApiFailure(notFound(resource, id));
  if (await rights.isAllowed(resource.id, kind, key, transaction)) return;
  if (!isSeen) throw new ApiFailure(notFound(resource, id));
  rights.reject();
}

/** Whether no access rule has to check a row: neither the written ones, nor referenced or returned ones. */
export function isUnrestricted(
  plan: WritePlan,
  { plan: shown }: CompiledRead,
  rights: RowRights,
): boolean {
  if (plan.kind === 'delete') return false;
  if (shown.access.length > 0 || rights.allowedRows(plan.resource, plan.kind) !== 'all')
    return false;
  const records = plan.kind === 'create' ? plan.records.map(({ values }) => values) : [plan.values];
  const isHidden = ({ reference }: Field): boolean =>
    reference !== undefined && rights.allowedRows(reference.resource, 'read') !== 'all';
  const keys = [...(records[0]?.keys() ?? [])].filter(isHidden);
  const parts = plan.resource.compositeKeys.filter(isHidden).flatMap(keyFields);
  if (parts.some((part) => records[0]?.has(part))) return false;
  return records.every((values) => keys.every((key) => (values.get(key) ?? null) === null));
}

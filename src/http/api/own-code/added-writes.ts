import type { ApiError } from '../../../errors.ts';
import type { Operation } from '../../../extensions/code.ts';
import { owner } from '../../../model/access.ts';
import { versionOfFile } from '../../../model/view.ts';
import { readBatch, type BatchOperation } from '../../../query/request/batch.ts';
import type { Added, CodeRun, Exchange, PlannedWrite } from '../exchange.ts';
import { planOperation, runOperation } from '../operations.ts';
import { below } from './run.ts';

/** A write that a hook has added fails, and with it all of the transaction: the code is to blame, not the client. */
export class AddedFailed extends Error {
  override readonly name = 'AddedFailed';
}

/** Plans a write that a hook has added, before the transaction; undefined if it has no hooks, or only the transaction can tell them. */
export async function planAdded(
  { one, operation }: Added,
  exchange: Exchange,
  run: CodeRun,
): Promise<{ readonly operation: BatchOperation; readonly write: PlannedWrite } | undefined> {
  if (typeof operation === 'function') return undefined;
  const read = readAdded(operation, one.resource.name, exchange);
  const own = below(exchange, run, `also of ${one.resource.name}`);
  const write = await planOperation(read, own, versionOfFile, owner);
  return write && { operation: read, write };
}

/** Writes what a hook has added, in the open transaction of the exchange. `written`: the record that it was added for. */
export async function writeAdded(
  { one, operation, prepared }: Added,
  exchange: Exchange,
  written: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { name } = one.resource;
  const given = typeof operation === 'function' ? operation((await written()) as never) : operation;
  const read = prepared?.operation ?? readAdded(given, name, exchange);
  const answers = { byName: new Map<string, unknown>(), left: Infinity };
  const stage = prepared && ({ kind: 'write', hooked: prepared.hooked } as const);
  const { trace } = exchange;
  const [route, kind] = [trace.route, trace.operation];
  const done = await runOperation(read, answers, exchange, versionOfFile, owner, stage);
  [trace.route, trace.operation] = [route, kind];
  if (!done.ok) throw addedFailed(name, given, done.error);
}

/** Throws if hooks of a request have added more writes than a request may have. */
export function checkCount(added: readonly Added[], { servedApi }: Exchange): void {
  const { batchItems } = servedApi.api.limits;
  const [first] = added;
  if (first !== undefined && added.length > batchItems)
    throw new AddedFailed(
      `also of ${first.one.resource.name}: ${added.length} writes, and a request has at most ${batchItems} (limits.batchItems)`,
    );
}

export function addedFailed(
  resource: string,
  operation: Operation | BatchOperation,
  { message, problems = [] }: ApiError,
): AddedFailed {
  const listed = problems.map((problem) => `${problem.field} ${problem.message}`);
  const details = listed.length === 0 ? '' : ` (${listed.join('; ')})`;
  return new AddedFailed(`also of ${resource}: ${JSON.stringify(operation)}: ${message}${details}`);
}

function readAdded(
  operation: Operation,
  resource: string,
  { servedApi }: Exchange,
): BatchOperation {
  const read = readBatch([operation], servedApi.api.limits.batchItems);
  const [one] = read.ok ? read.value : [];
  if (one !== undefined) return one;
  throw read.ok ? new TypeError('no operation') : addedFailed(resource, operation, read.error);
}

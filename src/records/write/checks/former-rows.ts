import { getOrInsert } from '../../../lib/get-or-insert.ts';
import { after, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Resource } from '../../../model/api.ts';
import type { WritePlan } from '../../../query/plan.ts';
import { noNested } from '../../../query/write/nested.ts';
import type { SqlValue } from '../../../model/values.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { columnsOf, compileKept, type WrittenRows } from '../../../sql/compile/allowed-rows.ts';
import { decodeValue, encodeValue, type Dialect } from '../../../sql/dialect.ts';
import type { Transaction } from '../../../databases/database.ts';

/** What is needed to keep rows as they are before a write. */
interface FormerAccess {
  readonly transaction: Pick<Transaction, 'all'>;
  readonly dialect: Dialect;
  /** Undefined for the owner of the data, whom no rules concern. */
  readonly rights?: { readonly leadsBack: (resource: Resource) => boolean } | undefined;
}

/** A row that the request has created, and that another one is nested with. */
export interface NewParent {
  readonly resource: Resource;
  readonly id: JsonValue;
}

/**
 * The rows that a request has written so far, as they were before it, of resources whose rules lead back to their own
 * rows: later rows of the request are judged as if they were still so. See
 * docs/contract/5-access.md#writes-under-row-rules, rule 7.
 */
export class FormerRows {
  /** By id; a row that the request has created was not there. */
  private readonly written = new Map<
    Resource,
    Map<string, { readonly key: SqlValue; readonly item: string | undefined }>
  >();

  /** New rows that exist for what is being written, since it is nested with them. */
  private readonly parents = new Map<Resource, Set<string>>();

  /** What rules of the resource must not see as it is now; undefined if there is nothing. */
  of(resource: Resource): WrittenRows | undefined {
    const parents = this.parents.get(resource);
    const written = [...(this.written.get(resource) ?? [])];
    const all = written.flatMap(([id, one]) => (parents?.has(id) === true ? [] : one));
    if (all.length === 0) return undefined;
    return { keys: all.map(({ key }) => key), former: all.flatMap(({ item }) => item ?? []) };
  }

  /** Told the ids of rows that were created. */
  created(resource: Resource, keys: readonly SqlValue[], { dialect, rights }: FormerAccess): void {
    if (rights?.leadsBack(resource) !== true) return;
    const written = getOrInsert(this.written, resource, () => new Map());
    for (const key of keys) {
      const id = String(decodeValue(dialect, key, resource.id));
      // A row that was deleted before was there, whatever has its id now.
      if (!written.has(id)) written.set(id, { key, item: undefined });
    }
  }

  /** Has new rows exist, or no longer. */
  show({ resource, id }: NewParent, isShown: boolean): void {
    const parents = getOrInsert(this.parents, resource, () => new Set());
    if (isShown) parents.add(String(id));
    else parents.delete(String(id));
  }

  /** Reads the rows with these ids, which are about to change or to be deleted. */
  async changing(
    resource: Resource,
    keys: readonly SqlValue[],
    { transaction, dialect, rights }: FormerAccess,
  ): Promise<void> {
    if (keys.length === 0 || rights?.leadsBack(resource) !== true) return;
    const written = getOrInsert(this.written, resource, () => new Map());
    const rows = await transaction.all(compileKept(resource, dialect), {
      bound: [],
      keys: dialect.keys(keys),
    });
    for (const [key = null, ...values] of rows) {
      const id = String(decodeValue(dialect, key, resource.id));
      if (!written.has(id)) written.set(id, { key, item: itemOf(resource, values, dialect) });
    }
  }
}

/** What `compileKept` has selected of a row, as an item of a list. */
function itemOf(resource: Resource, values: readonly SqlValue[], dialect: Dialect): string {
  if (dialect.keptItem !== undefined) return String(values[0]);
  const fields = columnsOf(resource).map((field, index) => {
    const value = decodeValue(dialect, values[index] ?? null, field);
    return [field, encodeValue(dialect, value, field)] as const;
  });
  return dialect.unwrittenItem([...columnsOf(resource)], new Map(fields));
}

/**
 * Where a write keeps the rows that it writes, if earlier ones of its request have not `kept` theirs; undefined if they are
 * judged all at once, or there is but one.
 */
export function formerRowsOf(
  plan: WritePlan,
  kept: FormerRows | undefined,
): FormerRows | undefined {
  return kept ?? (isJudgedByParts(plan) ? new FormerRows() : undefined);
}

function isJudgedByParts(plan: WritePlan): boolean {
  switch (plan.kind) {
    case 'create':
      return (
        (plan.upsert?.changes.length ?? 0) > 0 ||
        plan.records.some(({ nested }) => nested !== noNested)
      );
    case 'update':
      return plan.nested !== noNested;
    case 'delete':
      return false;
    default:
      return plan satisfies never;
  }
}

/** Does work for which new rows exist, since they are nested with what it judges or writes. */
export function amongParents<Value>(
  former: FormerRows | undefined,
  parents: readonly NewParent[],
  work: () => MaybePromise<Value>,
): MaybePromise<Value> {
  for (const one of parents) former?.show(one, true);
  return after(work(), (done) => {
    for (const one of parents) former?.show(one, false);
    return done;
  });
}

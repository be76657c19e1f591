import {
  decide,
  matchingRules,
  refusalOf,
  writeOperations,
  type Claims,
  type Decision,
  type Operation,
} from '../../../model/access.ts';
import type { Field, Resource } from '../../../model/api.ts';
import type { SqlValue } from '../../../model/values.ts';
import type { View } from '../../../model/view.ts';
import { planRows, type RowsPlan } from '../../../query/access/row-rules.ts';
import type { Predicate } from '../../../query/filter/predicate.ts';
import type { DeleteEdge, Dependents } from '../../../sql/compile/delete.ts';
import {
  boundAfter,
  compileAllowedRows,
  compileUnwritten,
  type Unwritten,
  type WrittenRows,
} from '../../../sql/compile/allowed-rows.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import type { Transaction } from '../../../databases/database.ts';
import { ApiFailure } from '../../api-failure.ts';
import { ruleValues } from '../../rule-values.ts';

/** What a request has written so far. */
interface Former {
  /** Undefined if rules of the resource see its rows as they are. */
  readonly of: (resource: Resource) => WrittenRows | undefined;
}

/** Checks which rows the access rules allow the caller of a write, in the write's transaction. */
export class RowRights {
  readonly claims: Claims;
  /** The time of the request. */
  readonly now: () => Date;
  private readonly view: View;
  private readonly dialect: Dialect;
  private readonly former: Former | undefined;

  /** `former`: what the request has written, which rules of writes see as it was. */
  constructor(view: View, claims: Claims, now: () => Date, dialect: Dialect, former?: Former) {
    this.view = view;
    this.claims = claims;
    this.now = now;
    this.dialect = dialect;
    this.former = former;
  }

  /** The same rights in a request that writes several rows. */
  before(former: Former): RowRights {
    return new RowRights(this.view, this.claims, this.now, this.dialect, former);
  }

  /** Whether rules of writes to a resource lead through relations to other rows of it. */
  leadsBack(resource: Resource): boolean {
    return writeOperations.some((operation) =>
      leadsTo(planRows(this.view, resource, operation)?.access ?? [], resource),
    );
  }

  /** Whether an operation is allowed on all, some or no rows of a resource. */
  allowedRows(resource: Resource, operation: Operation): Decision['allowed'] {
    if (planRows(this.view, resource, operation) === undefined) return 'all';
    return decide(matchingRules(resource.access[operation], this.view.subject)).allowed;
  }

  /** Whether rows of `through` decide which rows of a resource the caller may read. */
  readsThrough(resource: Resource, through: Resource): boolean {
    return leadsTo(planRows(this.view, resource, 'read')?.access ?? [], through);
  }

  /** Whether the caller may read a field, in the rows that it sees. */
  canRead(field: Field): boolean {
    const fields = this.view.resource(field.resource.name)?.fields.values() ?? [];
    return [...fields].some((one) => one.field === field);
  }

  /**
   * The subset of these field values that belong to rows on which the operation is allowed; undefined, without a query, if
   * it is allowed on every row.
   */
  async allowedKeys(
    key: Field,
    operation: Operation,
    keys: readonly SqlValue[],
    { all }: Pick<Transaction, 'all'>,
  ): Promise<ReadonlySet<SqlValue> | undefined> {
    const plan = planRows(this.view, key.resource, operation);
    if (plan === undefined) return undefined;
    const written = operation === 'read' ? undefined : this.former?.of(key.resource);
    const rows = await all(compileAllowedRows(plan, key, this.dialect, written !== undefined), {
      bound: this.valuesOf(plan, written),
      keys: this.dialect.keys(keys),
    });
    return new Set(rows.map(([value = null]) => value));
  }

  /** Whether an operation is allowed on the row with this field value, if there is one. */
  async isAllowed(
    key: Field,
    operation: Operation,
    value: SqlValue,
    transaction: Pick<Transaction, 'all'>,
  ): Promise<boolean> {
    const found = await this.allowedKeys(key, operation, [value], transaction);
    return found === undefined || found.size > 0;
  }

  /**
   * How rows that are not written yet are judged, and the bound values of the rules; undefined if an operation may result in
   * any row. `isChange`: they are changes to existing rows.
   */
  judging(
    resource: Resource,
    operation: 'create' | 'update',
    isChange: boolean,
  ): (Unwritten & { readonly bound: readonly SqlValue[] }) | undefined {
    const plan = planRows(this.view, resource, operation);
    if (plan === undefined) return undefined;
    const written = this.former?.of(resource);
    return {
      ...compileUnwritten(plan, isChange, this.dialect, written !== undefined),
      bound: this.valuesOf(plan, written),
    };
  }

  /** Rejects the write as forbidden. */
  reject(): never {
    throw new ApiFailure(refusalOf(this.view.subject, this.view.api.settings));
  }

  /**
   * Counts the records that prevent a delete, as far as the caller may see that they do; undefined, without a query, if it
   * may see all of them. `keysOf` returns the keys of deleted rows that the caller can follow; `isTold` means that it can
   * follow all of them.
   */
  async countOf(
    { resource, edges, among }: Dependents,
    id: SqlValue,
    { isTold, keysOf }: { isTold: boolean; keysOf: (edge: DeleteEdge) => SqlValue },
    { transaction }: { readonly transaction: Transaction },
  ): Promise<number | undefined> {
    const plan = planRows(this.view, resource, 'read');
    const told = new Set(edges.filter((edge) => this.canSeeLink(edge)));
    if (plan === undefined && isTold && told.size === edges.length) return undefined;
    if (told.size === 0) return 0;
    const rules = plan === undefined ? [] : this.valuesOf(plan);
    const none = this.dialect.keys([]);
    const keys = edges.map((edge) => (told.has(edge) ? keysOf(edge) : none));
    const statement = among(plan?.access ?? [], rules.length);
    const [row] = await transaction.all(statement, { bound: [...rules, ...keys], id });
    return Number(row?.[0] ?? 0);
  }

  /** Whether the caller may read an edge's keys, and all rows that it leads to. */
  canFollow(edge: DeleteEdge): boolean {
    return this.canSeeLink(edge) && this.allowedRows(edge.to, 'read') === 'all';
  }

  private canSeeLink({ keys }: DeleteEdge): boolean {
    return keys.every((key) => this.canRead(key));
  }

  private valuesOf({ ruleSlots }: RowsPlan, written?: WrittenRows): readonly SqlValue[] {
    const values = ruleValues(ruleSlots, this.claims, this.now, this.dialect);
    return written === undefined ? values : [...values, ...boundAfter(written, this.dialect)];
  }
}

/** Whether conditions lead through a relation to rows of a resource. */
function leadsTo(conditions: readonly Predicate[], resource: Resource): boolean {
  return conditions.some((one) => {
    switch (one.kind) {
      case 'related': {
        const { relation, branches } = one;
        const isLink = relation.kind === 'belongsToMany' && relation.through === resource;
        return (
          isLink ||
          branches.some(({ target, where }) => target === resource || leadsTo(where, resource))
        );
      }
      case 'or':
      case 'and':
      case 'not':
        return leadsTo(one.parts, resource);
      case 'compare':
      case 'null':
      case 'items':
      case 'indexed':
      case 'link':
        return false;
      default:
        return one satisfies never;
    }
  });
}

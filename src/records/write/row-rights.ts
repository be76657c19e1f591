import {
  decide,
  matchingRules,
  refusalOf,
  type Claims,
  type Decision,
  type Operation,
} from '../../model/access.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { View } from '../../model/view.ts';
import { planRows, type RowsPlan } from '../../query/access/row-rules.ts';
import type { DeleteEdge, Dependents } from '../../sql/compile/delete.ts';
import { compileRows } from '../../sql/compile/rows.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Transaction } from '../../databases/database.ts';
import { Refusal } from '../refusal.ts';
import { ruleValues } from '../rule-values.ts';

/** Which rows access rules leave to the caller of a write, asked within its transaction. */
export class RowRights {
  readonly claims: Claims;
  private readonly view: View;
  private readonly dialect: Dialect;

  constructor(view: View, claims: Claims, dialect: Dialect) {
    this.view = view;
    this.claims = claims;
    this.dialect = dialect;
  }

  /** On how much of a resource an operation is left to the caller. */
  leaves(resource: Resource, operation: Operation): Decision['allowed'] {
    if (planRows(this.view, resource, operation) === undefined) return 'all';
    return decide(matchingRules(resource.access[operation], this.view.subject)).allowed;
  }

  /** Whether the caller may read a field of the rows that it sees. */
  shows(field: Field): boolean {
    const fields = this.view.resource(field.resource.name)?.fields.values() ?? [];
    return [...fields].some((one) => one.field === field);
  }

  /**
   * Of these values of a field, those that rows have on which an operation is left to the caller; undefined where it is
   * left on every row, so that nothing was asked.
   */
  async among(
    key: Field,
    operation: Operation,
    keys: readonly SqlValue[],
    { all }: Transaction,
  ): Promise<ReadonlySet<SqlValue> | undefined> {
    const plan = planRows(this.view, key.resource, operation);
    if (plan === undefined) return undefined;
    const rows = await all(compileRows(plan, key, this.dialect), {
      bound: this.valuesOf(plan),
      keys: this.dialect.keys(keys),
    });
    return new Set(rows.map(([value = null]) => value));
  }

  /** Whether an operation is left on the row that has this value in a field, if there is such a row. */
  async has(
    key: Field,
    operation: Operation,
    value: SqlValue,
    transaction: Transaction,
  ): Promise<boolean> {
    const found = await this.among(key, operation, [value], transaction);
    return found === undefined || found.size > 0;
  }

  /** Refuses the write: what it does, or what it would leave, is not left to the caller. */
  refuse(): never {
    throw new Refusal(refusalOf(this.view.subject));
  }

  /**
   * Of the records that keep another from being deleted, those of which the caller may read that they do: undefined
   * where it is all of them, so that nothing was asked. `keysOf` gives what of it goes on ways that the caller may read;
   * `isTold` says that those are all ways.
   */
  async countOf(
    { resource, edges, among }: Dependents,
    id: SqlValue,
    { isTold, keysOf }: { isTold: boolean; keysOf: (edge: DeleteEdge) => SqlValue },
    { transaction }: { readonly transaction: Transaction },
  ): Promise<number | undefined> {
    const plan = planRows(this.view, resource, 'read');
    const told = new Set(edges.filter((edge) => this.tells(edge)));
    if (plan === undefined && isTold && told.size === edges.length) return undefined;
    if (told.size === 0) return 0;
    const rules = plan === undefined ? [] : this.valuesOf(plan);
    const none = this.dialect.keys([]);
    const keys = edges.map((edge) => (told.has(edge) ? keysOf(edge) : none));
    const statement = among(plan?.access ?? [], rules.length);
    const [row] = await transaction.all(statement, { bound: [...rules, ...keys], id });
    return Number(row?.[0] ?? 0);
  }

  /** Whether the caller may read what leads on from a record that is deleted, in all of the rows that it leads to. */
  passes(edge: DeleteEdge): boolean {
    return this.tells(edge) && this.leaves(edge.to, 'read') === 'all';
  }

  private tells({ keys }: DeleteEdge): boolean {
    return keys.every((key) => this.shows(key));
  }

  private valuesOf({ ruleSlots }: RowsPlan): readonly SqlValue[] {
    return ruleValues(ruleSlots, this.claims, this.dialect);
  }
}

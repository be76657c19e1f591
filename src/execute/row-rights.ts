import {
  decide,
  matchingRules,
  refusalOf,
  type Claims,
  type Decision,
  type Operation,
} from '../model/access.ts';
import type { Field, Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { View } from '../model/view.ts';
import { bindRules } from '../plan/bind-rules.ts';
import { planRows, type RowsPlan } from '../plan/row-rules.ts';
import type { Dependents, Way } from '../sql/compile-delete.ts';
import { compileRows } from '../sql/compile-rows.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Transaction } from './database.ts';
import { ruleValue } from './read.ts';
import { Refusal } from './refusal.ts';

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
   * where it is all of them, so that nothing was asked.
   */
  async countOf(
    { resource, ways, among }: Dependents,
    id: SqlValue,
    { all }: Transaction,
  ): Promise<number | undefined> {
    const plan = planRows(this.view, resource, 'read');
    const told = ways.filter((way) => this.tells(way));
    if (plan === undefined && told.length === ways.length) return undefined;
    if (told.length === 0) return 0;
    const bound = plan === undefined ? [] : this.valuesOf(plan);
    const [row] = await all(among(plan?.access ?? [], told), { bound, id });
    return Number(row?.[0] ?? 0);
  }

  /** Whether the caller may read every key on a way, in all of the rows that it leads through. */
  private tells({ keys, through }: Way): boolean {
    return (
      keys.every((key) => this.shows(key)) &&
      through.every((resource) => this.leaves(resource, 'read') === 'all')
    );
  }

  private valuesOf({ ruleSlots }: RowsPlan): readonly SqlValue[] {
    const values = bindRules(ruleSlots, 0, this.claims);
    return ruleSlots.map((slot, index) => ruleValue(slot, values[index] ?? null, this.dialect));
  }
}

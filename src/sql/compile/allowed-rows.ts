import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import type { RowsPlan } from '../../query/access/row-rules.ts';
import type { Predicate } from '../../query/filter/predicate.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';
import { parentField } from './join.ts';
import { rowConditions, whereSql } from './predicate.ts';
import { ownScope, type Scope } from './scope.ts';

/** The statements of one plan for one dialect, each built when it is first needed. */
interface RuleStatements {
  readonly stored: Map<Field, Statement>;
  /** By whether they are changes to existing rows. */
  readonly unwritten: Map<boolean, Unwritten>;
}

/** The rows of a resource that a request has written: their ids, and those that were there as they were before it. */
export interface WrittenRows {
  readonly keys: readonly SqlValue[];
  /** Items of a list, see `unwrittenItem`. */
  readonly former: readonly string[];
}

/** How rows that are not written yet are judged. */
export interface Unwritten {
  /** The fields that the rules read of the row itself. */
  readonly fields: readonly Field[];
  /**
   * Counts the rows among the bound `keys` (see `unwrittenItem`) that the rules allow. Changes to the existing row
   * `id` have the values of that row where they have none.
   */
  readonly count: Statement;
}

type Known = WeakMap<RowsPlan, Map<Dialect, RuleStatements>>;
const known: Known = new WeakMap();
/** The same after a request has written rows of the resource. */
const knownAfter: Known = new WeakMap();

function statementsOf(plan: RowsPlan, dialect: Dialect, isAfter: boolean): RuleStatements {
  const all = isAfter ? knownAfter : known;
  const ofPlan = getOrInsert(all, plan, () => new Map<Dialect, RuleStatements>());
  return getOrInsert(ofPlan, dialect, () => ({ stored: new Map(), unwritten: new Map() }));
}

/**
 * Selects the values among `keys` that `key` has in rows that access rules allow; built once for a plan. `isAfter`: rows
 * of the resource are written, which the rules see as they were; see `boundAfter`.
 */
export function compileAllowedRows(
  plan: RowsPlan,
  key: Field,
  dialect: Dialect,
  isAfter = false,
): Statement {
  return getOrInsert(statementsOf(plan, dialect, isAfter).stored, key, () => {
    const column = `t.${quote(key.column)}`;
    return buildStatement(dialect, (add) => {
      const before = isAfter ? formerTable(plan, dialect, add) : '';
      const isWanted = dialect.compare(column, 'in', add('keys'), key);
      const where = [isWanted, ...ruleConditions(plan, dialect, add, isAfter)];
      return `${before}SELECT ${dialect.select(column, key)} FROM ${quoteTable(plan.resource.table)} AS t${whereSql(where)}`;
    });
  });
}

/**
 * Judges rows before they are written: their own fields as they will be, all that the rules reach through relations as it
 * is in the tables. Built once for a plan. See docs/contract/5-access.md#writes-under-row-rules, rule 2.
 */
export function compileUnwritten(
  plan: RowsPlan,
  isChange: boolean,
  dialect: Dialect,
  isAfter: boolean,
): Unwritten {
  const { unwritten } = statementsOf(plan, dialect, isAfter);
  return getOrInsert(unwritten, isChange, () => buildUnwritten(plan, isChange, dialect, isAfter));
}

function buildUnwritten(
  plan: RowsPlan,
  isChange: boolean,
  dialect: Dialect,
  isAfter: boolean,
): Unwritten {
  const fields = [...ownFields(plan.access)];
  const count = buildStatement(dialect, (add) => {
    const before = isAfter ? formerTable(plan, dialect, add) : '';
    const list = add('keys');
    const id = isChange ? add('id') : undefined;
    const rows = dialect.unwrittenRows(plan.resource, fields, list, id);
    const where = whereSql(ruleConditions(plan, dialect, add, isAfter));
    return `${before}SELECT count(*) FROM (${rows}) AS t${where}`;
  });
  return { fields, count };
}

/** No table of the model may begin so. */
const former = '_plinth_former';

function ruleConditions(
  { resource, access }: RowsPlan,
  dialect: Dialect,
  add: Add,
  isAfter: boolean,
): readonly string[] {
  const scope: Scope = {
    ...ownScope,
    tableOf: (other) => (other === resource ? former : ownScope.tableOf(other)),
  };
  return rowConditions(access, isAfter ? scope : ownScope, dialect, add);
}

/** The rows of the resource as they were before the request, as a table that a statement begins with. */
function formerTable({ resource, ruleSlots }: RowsPlan, dialect: Dialect, add: Add): string {
  const { id, table } = resource;
  const fields = columnsOf(resource);
  const columns = fields.map(({ column }) => quote(column)).join(', ');
  const isWritten = dialect.compare(`t.${quote(id.column)}`, 'in', add(ruleSlots.length), id);
  const rows = dialect.unwrittenRows(resource, fields, add(ruleSlots.length + 1));
  // Looked up where the rules look: neither database need make the whole table first.
  return (
    `WITH ${former} AS NOT MATERIALIZED (SELECT ${columns} FROM ${quoteTable(table)} AS t WHERE NOT ${isWritten}` +
    ` UNION ALL SELECT ${columns} FROM (${rows}) AS t) `
  );
}

/** What the parameters of a statement after writes are bound to, behind the values of the rules. */
export function boundAfter(
  { keys, former: rows }: WrittenRows,
  dialect: Dialect,
): readonly [SqlValue, SqlValue] {
  return [dialect.keys(keys), listOf(rows)];
}

/** A list of rows that are not written, of its items. */
export function listOf(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/** Selects the ids among `keys`, and what makes an item of a list of each row; locks the rows as far as the database can. */
export function compileKept(resource: Resource, dialect: Dialect): Statement {
  const ofResource = getOrInsert(keptStatements, resource, () => new Map<Dialect, Statement>());
  return getOrInsert(ofResource, dialect, () => buildKept(resource, dialect));
}

const keptStatements = new WeakMap<Resource, Map<Dialect, Statement>>();

function buildKept(resource: Resource, dialect: Dialect): Statement {
  return buildStatement(dialect, (add) => {
    const { id, table } = resource;
    const column = `t.${quote(id.column)}`;
    const fields = columnsOf(resource);
    const item = dialect.keptItem?.(fields);
    const values = fields.map((field) => dialect.select(`t.${quote(field.column)}`, field));
    const selected = [dialect.select(column, id), ...(item === undefined ? values : [item])];
    return (
      `SELECT ${selected.join(', ')} FROM ${quoteTable(table)} AS t` +
      ` WHERE ${dialect.compare(column, 'in', add('keys'), id)}${dialect.forUpdateMany}`
    );
  });
}

/** The fields of a resource that have a column. */
export function columnsOf({ id, fields }: Resource): readonly Field[] {
  return [...new Set([id, ...fields.values()])].filter(({ parts }) => parts === undefined);
}

/** The fields of the row itself that conditions read, the keys of relations among them. */
function ownFields(access: readonly Predicate[], found = new Set<Field>()): ReadonlySet<Field> {
  for (const part of access)
    switch (part.kind) {
      case 'compare':
      case 'null':
      case 'items':
        found.add(part.ref.field);
        break;
      case 'indexed':
        for (const field of part.texts) found.add(field);
        break;
      case 'or':
      case 'and':
      case 'not':
        ownFields(part.parts, found);
        break;
      case 'related':
        for (const field of keyFields(parentField(part.relation))) found.add(field);
        if (part.relation.kind === 'morphTo') found.add(part.relation.typeField);
        break;
      case 'link':
        throw new TypeError('No junction leads to the rows of a rule');
      default:
        return part satisfies never;
    }
  return found;
}

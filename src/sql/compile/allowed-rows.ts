import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import type { RowsPlan } from '../../query/access/row-rules.ts';
import type { Predicate } from '../../query/filter/predicate.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { buildStatement, type Statement } from '../statement.ts';
import { parentField } from './join.ts';
import { rowConditions, whereSql } from './predicate.ts';
import { ownScope } from './scope.ts';

/** The statements of one plan for one dialect, each built when it is first needed. */
interface RuleStatements {
  readonly stored: Map<Field, Statement>;
  /** By whether they are changes to existing rows. */
  readonly unwritten: Map<boolean, Unwritten>;
}

/** How rows that are not written yet are judged. */
export interface Unwritten {
  /** The fields that the rules read of the row itself. */
  readonly fields: readonly Field[];
  /**
   * Counts the rows among the bound `keys` (an `unwrittenList` of `fields`) that the rules allow. Changes to the existing row
   * `id` have the values of that row where they have none.
   */
  readonly count: Statement;
}

const known = new WeakMap<RowsPlan, Map<Dialect, RuleStatements>>();

function statementsOf(plan: RowsPlan, dialect: Dialect): RuleStatements {
  const ofPlan = getOrInsert(known, plan, () => new Map<Dialect, RuleStatements>());
  return getOrInsert(ofPlan, dialect, () => ({ stored: new Map(), unwritten: new Map() }));
}

/** Selects the values among `keys` that `key` has in rows that access rules allow; built once for a plan. */
export function compileAllowedRows(plan: RowsPlan, key: Field, dialect: Dialect): Statement {
  return getOrInsert(statementsOf(plan, dialect).stored, key, () => {
    const column = `t.${quote(key.column)}`;
    return buildStatement(dialect, (add) => {
      const isWanted = dialect.compare(column, 'in', add('keys'), key);
      const where = [isWanted, ...rowConditions(plan.access, ownScope, dialect, add)];
      return `SELECT ${dialect.select(column, key)} FROM ${quoteTable(plan.resource.table)} AS t${whereSql(where)}`;
    });
  });
}

/**
 * Judges rows before they are written: their own fields as they will be, all that the rules reach through relations as it
 * is in the tables. Built once for a plan. See docs/contract/5-access.md#writes-under-row-rules, rule 2.
 */
export function compileUnwritten(plan: RowsPlan, isChange: boolean, dialect: Dialect): Unwritten {
  const { unwritten } = statementsOf(plan, dialect);
  return getOrInsert(unwritten, isChange, () => buildUnwritten(plan, isChange, dialect));
}

function buildUnwritten(
  { resource, access }: RowsPlan,
  isChange: boolean,
  dialect: Dialect,
): Unwritten {
  const fields = [...ownFields(access)];
  const count = buildStatement(dialect, (add) => {
    const list = add('keys');
    const id = isChange ? add('id') : undefined;
    const rows = dialect.unwrittenRows(resource, fields, list, id);
    const where = whereSql(rowConditions(access, ownScope, dialect, add));
    return `SELECT count(*) FROM (${rows}) AS t${where}`;
  });
  return { fields, count };
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

import { ok, fail, type Result } from '../../errors.ts';
import { nearest } from '../../lib/text/nearest.ts';
import type { Api } from '../../model/api.ts';
import {
  isFlag,
  operators,
  operatorsOf,
  splitSuffix,
  takes,
  type Operator,
} from '../../model/operators.ts';
import { counted } from '../../model/values.ts';
import { visibleValues } from '../../model/validation/visible-values.ts';
import type { ResourceView } from '../../model/view.ts';
import { restrictGroups } from '../access/restrict.ts';
import { bindGroups } from '../bind.ts';
import { isGroup, leavesOf, type Group } from '../filter/group.ts';
import { planFilters } from '../filter/plan.ts';
import { fieldRef, type Predicate, type Slot } from '../filter/predicate.ts';
import { splitNames } from '../filter/text.ts';
import type { GroupColumn, GroupsPlan, SortKey } from '../plan.ts';
import { noTime, pagingConflicts, parametersOf, planPaging } from '../read/read.ts';
import { planNulls } from '../read/sort.ts';
import { planSearch } from '../search/search.ts';
import type { ParameterName } from '../request/parameters.ts';
import { queryError, type QueryProblem } from '../request/problem.ts';
import type { Condition, Query } from '../request/query.ts';
import { GroupColumns, type ColumnProblem } from './columns.ts';

/** Whether a list is asked for groups. */
export function isGrouped({ reserved, having }: Query): boolean {
  return reserved.has('group') || reserved.has('aggregate') || having.length > 0;
}

/** The parameters that show records, of which groups have none. */
const ofRecords: readonly ParameterName[] = ['cursor', 'fields', 'exclude', 'expand', 'maxDepth'];

/**
 * Plans a list in groups. Reports every problem of the query at once. See
 * docs/contract/9-groups-and-computed-fields.md#groups.
 */
export function planGroups(query: Query, resourceView: ResourceView, api: Api): Result<GroupsPlan> {
  const problems = [...query.problems];
  const { reserved } = query;
  const { limits } = api;
  for (const parameter of ofRecords)
    if (reserved.has(parameter))
      problems.push({
        parameter,
        code: 'INVALID_PARAMETER',
        message: 'cannot be combined with group and aggregate, whose answer has no records',
      });
  problems.push(...pagingConflicts(reserved).filter(({ parameter }) => parameter === 'offset'));
  if (!reserved.has('group') && !reserved.has('aggregate'))
    problems.push({
      parameter: 'having',
      code: 'INVALID_PARAMETER',
      message: 'restricts groups, so it needs group or aggregate',
    });
  const columns = new GroupColumns(resourceView, limits);
  const keys = planNames('group', query, limits.sorts, problems, (name) => columns.key(name));
  const asked = reserved.has('aggregate')
    ? planNames('aggregate', query, limits.filters, problems, (text) => columns.function(text))
    : // A list of keys alone says how many records have each.
      [columns.named('count')].flatMap((count) => (count?.ok === true ? [count.value] : []));
  const slots: Slot[] = [];
  const others = parametersOf('list');
  const filters = { resourceView, api, expand: [], others, isSingle: false, slots, problems };
  const where = [
    ...planFilters(query.conditions, query.groups, filters),
    ...planSearch(query, resourceView, slots, problems),
  ];
  const context = { columns, resourceView, slots, problems };
  if (query.having.flatMap(leavesOf).length > limits.filters)
    problems.push({
      parameter: 'having',
      code: 'LIMIT_EXCEEDED',
      message: `takes at most ${counted(limits.filters, 'condition')} (limits.filters)`,
      max: limits.filters,
    });
  const having = query.having.flatMap(({ parts }) => planParts(parts, context));
  const nulls = planNulls(reserved.get('nulls'), problems);
  const order = planOrder(query, columns, limits.sorts, nulls, problems);
  const plan: GroupsPlan = {
    kind: 'groups',
    resource: resourceView.resource,
    slots,
    ruleSlots: [],
    access: [],
    where,
    columns: columns.all,
    keys,
    functions: asked,
    having,
    order,
    paging: planPaging(query, undefined, []),
  };
  if (problems.length === 0) return ok(restrictGroups(plan, resourceView));
  const bound = bindGroups(plan, query, limits, {}, noTime);
  return fail(queryError(bound.ok ? problems : [...problems, ...bound.error], query.raw));
}

/** The columns that a list of names asks for. */
function planNames(
  parameter: 'group' | 'aggregate',
  { reserved }: Query,
  most: number,
  problems: QueryProblem[],
  plan: (name: string) => Result<GroupColumn, ColumnProblem>,
): readonly GroupColumn[] {
  const text = reserved.get(parameter);
  if (text === undefined) return [];
  const refuse = (
    message: string,
    code: QueryProblem['code'] = 'INVALID_PARAMETER',
    max?: number,
  ): void => {
    problems.push({ parameter, code, message, max });
  };
  const names = splitNames(text);
  if (!names.ok) {
    refuse(names.error);
    return [];
  }
  if (names.value.length > most) {
    const [what, limit] = parameter === 'group' ? ['key', 'sorts'] : ['function', 'filters'];
    refuse(`takes at most ${counted(most, what)} (limits.${limit})`, 'LIMIT_EXCEEDED', most);
    return [];
  }
  const columns: GroupColumn[] = [];
  for (const name of names.value) {
    const column = plan(name);
    if (!column.ok) refuse(column.error.message, column.error.code, column.error.max);
    else if (columns.includes(column.value)) refuse(`${name} is there twice`);
    else columns.push(column.value);
  }
  return columns;
}

/** What resolving a condition on groups needs; `slots` and `problems` are added to. */
interface HavingContext {
  readonly columns: GroupColumns;
  readonly resourceView: ResourceView;
  readonly slots: Slot[];
  readonly problems: QueryProblem[];
}

/** Resolves conditions on groups, and the groups of conditions among them. */
function planParts(parts: Group<Condition>['parts'], context: HavingContext): readonly Predicate[] {
  return parts.flatMap((part): readonly Predicate[] =>
    isGroup(part)
      ? [{ kind: part.kind, parts: planParts(part.parts, context) }]
      : planCondition(part, context),
  );
}

/** Resolves one condition on groups; none if a problem was reported. */
function planCondition(condition: Condition, context: HavingContext): readonly Predicate[] {
  const { name, value, source } = condition;
  const { columns, resourceView, slots, problems } = context;
  const refuse = (message: string, code: QueryProblem['code'] = 'INVALID_FILTER'): readonly [] => {
    problems.push({ parameter: name, code, message });
    return [];
  };
  const named = columnAndOperator(name, columns);
  if (named === undefined) return refuse(unknownColumn(name, columns), 'INVALID_PARAMETER');
  if (!named.column.ok) return refuse(named.column.error.message, named.column.error.code);
  const { operator } = named;
  const { field } = named.column.value;
  if (!takes(field.type, operator)) {
    const fit = operatorsOf(field.type.comparison).map((one) => operators[one].suffix);
    return refuse(`takes ${fit.join(', ')}, not ${operators[operator].suffix}`);
  }
  const ref = fieldRef(field);
  if (isFlag(operator)) {
    if (value !== 'true' && value !== 'false') return refuse('takes true or false');
    const isAsked = (value === 'true') !== (operators[operator].isNegated ?? false);
    return [{ kind: 'null', ref, isNull: !isAsked }];
  }
  const slot: Slot = {
    index: slots.length,
    sources: [source],
    parameter: name,
    field,
    operator,
    visibleValues: visibleValues(field, resourceView.view),
  };
  slots.push(slot);
  return [{ kind: 'compare', ref, operator, slot }];
}

/** A column and the operator behind its name; undefined if no part of the name is a column. */
function columnAndOperator(
  name: string,
  columns: GroupColumns,
):
  | { readonly column: Result<GroupColumn, ColumnProblem>; readonly operator: Operator }
  | undefined {
  const exact = columns.named(name);
  if (exact?.ok === true) return { column: exact, operator: 'eq' };
  for (const { base, operator } of splitSuffix(name)) {
    const column = columns.named(base);
    if (column !== undefined) return { column, operator };
  }
  return exact && { column: exact, operator: 'eq' };
}

function unknownColumn(name: string, { names }: GroupColumns): string {
  const [split] = splitSuffix(name);
  const suffix = split === undefined ? '' : operators[split.operator].suffix;
  const guess = nearest(split?.base ?? name, names);
  const meant =
    guess === undefined
      ? `there are ${names.join(', ')}, and functions such as sum.field`
      : `did you mean ${guess}${suffix}?`;
  return `there is no ${name} of groups; ${meant}`;
}

/** The order of groups: what `sort` says, then the keys, ascending. */
function planOrder(
  { reserved }: Query,
  columns: GroupColumns,
  most: number,
  nulls: 'first' | 'last' | undefined,
  problems: QueryProblem[],
): readonly SortKey[] {
  const order: SortKey[] = [];
  const refuse = (
    message: string,
    code: QueryProblem['code'] = 'INVALID_SORT',
    max?: number,
  ): void => {
    problems.push({ parameter: 'sort', code, message, max });
  };
  const add = ({ name, field }: GroupColumn, descending: boolean): void => {
    const placed = nulls ?? (descending ? 'last' : 'first');
    const ref = fieldRef(field);
    order.push({ name, steps: [], ref, descending, nulls: field.nullable ? placed : undefined });
  };
  const text = reserved.get('sort');
  const items = text === undefined ? undefined : splitNames(text);
  if (items?.ok === false) refuse(items.error);
  const names = items?.ok === true ? items.value : [];
  if (names.length > most)
    refuse(`takes at most ${counted(most, 'key')} (limits.sorts)`, 'LIMIT_EXCEEDED', most);
  else
    for (const item of names) {
      const descending = item.startsWith('-');
      const name = descending ? item.slice(1) : item;
      const column = columns.named(name);
      if (column === undefined) refuse(unknownColumn(name, columns));
      else if (!column.ok) refuse(column.error.message);
      else if (order.some(({ ref }) => ref.field === column.value.field))
        refuse(`${name} is there twice`);
      else add(column.value, descending);
    }
  for (const key of columns.keys)
    if (!order.some(({ ref }) => ref.field === key.field)) add(key, false);
  return order;
}

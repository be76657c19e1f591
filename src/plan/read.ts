import { fail, ok, type Result } from '../errors.ts';
import type { Comparison, Predicate, Slot } from '../filter/predicate.ts';
import { resolveName } from '../filter/resolve.ts';
import type { Api } from '../model/api.ts';
import type { ResourceView } from '../model/view.ts';
import type { Preferences } from '../request/headers.ts';
import type { ParameterName } from '../request/parameters.ts';
import { queryError, type QueryProblem } from '../request/problem.ts';
import type { Condition, Query } from '../request/query.ts';
import { reservedParameters } from '../spec/reserved.ts';
import { bindQuery } from './bind.ts';
import { planExpand } from './expand.ts';
import type { Paging, ReadPlan } from './plan.ts';
import { planSelection } from './selection.ts';
import { planSort } from './sort.ts';

/**
 * Plans a list. Every problem of the query is reported at once, those of bound values included, although they are
 * no part of the plan.
 */
export function planList(
  query: Query,
  face: ResourceView,
  api: Api,
  preferences: Preferences,
): Result<ReadPlan> {
  const problems = [...query.problems];
  const { reserved } = query;
  const slots: Slot[] = [];
  const where = planFilters(query, face, api, slots, problems);
  const order = planSort(face, api.limits, reserved, problems);
  const paging = planPaging(query, problems);
  const expand = planExpand(face, api, reserved, problems);
  const selection = planSelection(face, expand, reserved, problems);
  const plan: ReadPlan = {
    kind: 'list',
    resource: face.resource,
    selection,
    slots,
    where,
    order,
    paging,
    count: preferences.count !== 'none',
  };
  return finish(plan, query, api, problems);
}

/** Plans the read of one record by its id: a single read, or the body that a write gives back. */
export function planOne(query: Query, face: ResourceView, api: Api): Result<ReadPlan> {
  const problems = [...query.problems];
  const { reserved } = query;
  planSort(face, api.limits, new Map([...reserved].filter(([name]) => name === 'nulls')), problems);
  const expand = planExpand(face, api, reserved, problems);
  const selection = planSelection(face, expand, reserved, problems);
  return finish(
    { kind: 'one', resource: face.resource, selection, slots: [] },
    query,
    api,
    problems,
  );
}

function finish(
  plan: ReadPlan,
  query: Query,
  api: Api,
  problems: QueryProblem[],
): Result<ReadPlan> {
  if (problems.length === 0) return ok(plan);
  const bound = bindQuery(plan, query, api.limits);
  return fail(queryError(bound.ok ? problems : [...problems, ...bound.error]));
}

function planFilters(
  query: Query,
  face: ResourceView,
  api: Api,
  slots: Slot[],
  problems: QueryProblem[],
): readonly Predicate[] {
  const where: Predicate[] = [];
  const plan = (condition: Condition, others?: readonly string[]): Predicate | undefined => {
    const resolved = resolveName(condition.name, face, others);
    if (!resolved.ok) {
      problems.push({
        parameter: condition.name,
        code: resolved.error.kind === 'operator' ? 'INVALID_FILTER' : 'INVALID_PARAMETER',
        message: resolved.error.message,
      });
      return undefined;
    }
    const { field, operator } = resolved.value;
    if (operator !== 'exists' && operator !== 'null')
      return compare(condition.name, [condition.source], field, operator);
    if (condition.value !== 'true' && condition.value !== 'false') {
      problems.push({
        parameter: condition.name,
        code: 'INVALID_FILTER',
        message: 'takes true or false',
      });
      return undefined;
    }
    return { kind: 'null', field, isNull: (condition.value === 'true') === (operator === 'null') };
  };
  const compare = (
    parameter: string,
    sources: readonly number[],
    field: Slot['field'],
    operator: Comparison,
  ): Predicate => {
    const slot: Slot = { index: slots.length, sources, parameter, field, operator };
    slots.push(slot);
    return { kind: 'compare', field, operator, slot };
  };
  const { id } = face.resource;
  const isPlainId = ({ name }: Condition): boolean => face.fields.get(name)?.field === id;
  const ids = query.conditions.filter(isPlainId);
  const single = query.conditions.filter((condition) => ids.length < 2 || !isPlainId(condition));
  for (const condition of single) {
    const predicate = plan(condition, reservedParameters);
    if (predicate !== undefined) where.push(predicate);
  }
  // What react-admin and refine send for getMany: a union.
  if (ids.length > 1)
    where.push(
      compare(
        'id',
        ids.map(({ source }) => source),
        id,
        'in',
      ),
    );
  for (const group of query.groups)
    where.push({ kind: 'or', parts: group.flatMap((condition) => plan(condition) ?? []) });
  const conditions =
    single.length +
    Math.min(ids.length, 1) +
    query.groups.reduce((sum, group) => sum + group.length, 0);
  if (conditions > api.limits.filters)
    problems.push({
      parameter: query.conditions[0]?.name ?? '_or',
      code: 'LIMIT_EXCEEDED',
      message: `a request takes at most ${api.limits.filters} filters (limits.filters); this one has ${conditions}`,
    });
  return where;
}

function planPaging({ reserved, sources }: Query, problems: QueryProblem[]): Paging {
  const limit = sources.get('limit');
  const conflict = (a: ParameterName, b: ParameterName): boolean => {
    if (!reserved.has(a) || !reserved.has(b)) return false;
    problems.push({
      parameter: b,
      code: 'PAGINATION_CONFLICT',
      message: `cannot be combined with ${a}`,
    });
    return true;
  };
  conflict('page', 'offset');
  conflict('page', 'cursor');
  conflict('offset', 'cursor');
  if (reserved.has('cursor'))
    problems.push({
      parameter: 'cursor',
      code: 'INVALID_PARAMETER',
      message: 'cursor pagination is not served yet; use page or offset',
    });
  const offset = sources.get('offset');
  return offset === undefined
    ? { mode: 'page', page: sources.get('page'), limit }
    : { mode: 'offset', offset, limit };
}

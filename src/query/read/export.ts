import type { Result } from '../../errors.ts';
import type { Api } from '../../model/api.ts';
import type { ParameterName } from '../request/parameters.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { ReadPlan } from '../plan.ts';
import { planList, type ListRequest } from './read.ts';

/** The parameters that a streamed list refuses. See docs/contract/2-reading.md#csv-and-ndjson, rule 3. */
const refused: readonly ParameterName[] = ['cursor', 'expand'];

/**
 * Plans a list that is sent in portions: by page or offset whatever the resource's own pagination is, and without
 * expansions. Every problem of the query is reported at once.
 */
export function planExport(request: Omit<ListRequest, 'cursor'>, api: Api): Result<ReadPlan> {
  const { query } = request;
  const problems = refused
    .filter((name) => query.reserved.has(name))
    .map((parameter): QueryProblem => ({
      parameter,
      code: 'INVALID_PARAMETER',
      message: 'cannot be combined with CSV and NDJSON, which are sent as they are read',
    }));
  // It is refused already: whether it is a good one does not matter.
  const reserved = new Map([...query.reserved].filter(([name]) => name !== 'cursor'));
  const cleared = { ...query, reserved, problems: [...query.problems, ...problems] };
  return planList({ ...request, query: cleared, cursor: undefined }, api);
}

import { fail, ok, type Result } from '../errors.ts';
import { readOperand } from '../filter/operand.ts';
import type { Limits } from '../model/api.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { Query } from '../request/query.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Paging, ReadPlan } from './plan.ts';

/** The values of one request for a plan: one a slot, and the page. */
export interface Bound {
  readonly values: readonly JsonValue[];
  /** Of a list; for a single read it means nothing. */
  readonly page: PageNumbers;
}

export interface PageNumbers {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

const onePage: PageNumbers = { page: 1, limit: 1, offset: 0 };

/** Reads the bound texts of a request by the types of the plan's slots; every problem is reported. */
export function bindQuery(
  plan: ReadPlan,
  query: Query,
  limits: Limits,
): Result<Bound, readonly QueryProblem[]> {
  const problems: QueryProblem[] = [];
  const values = plan.slots.map((slot) => {
    const texts = slot.sources.map((source) => query.texts[source] ?? '');
    const operand = readOperand(texts, slot, limits);
    if (operand.ok) return operand.value;
    problems.push({ parameter: slot.parameter, ...operand.error });
    return null;
  });
  const page =
    plan.kind === 'list' ? bindPage(plan.paging, query.texts, limits, problems) : onePage;
  return problems.length === 0 ? ok({ values, page }) : fail(problems);
}

function bindPage(
  paging: Paging,
  texts: readonly string[],
  limits: Limits,
  problems: QueryProblem[],
): PageNumbers {
  const read = (
    name: 'page' | 'limit' | 'offset',
    source: number | undefined,
    fallback: number,
  ): number => {
    if (source === undefined) return fallback;
    const text = texts[source] ?? '';
    const least = name === 'offset' ? 0 : 1;
    const number = /^\d+$/u.test(text) ? Number(text) : -1;
    // However large a limit is, what is wrong with it is said by its maximum.
    if (number >= least && (name === 'limit' || Number.isSafeInteger(number))) return number;
    problems.push({
      parameter: name,
      code: 'INVALID_PARAMETER',
      message: `must be a whole number of at least ${least} and at most ${Number.MAX_SAFE_INTEGER}`,
    });
    return fallback;
  };
  const limit = read('limit', paging.limit, limits.defaultLimit);
  if (limit > limits.maxLimit)
    problems.push({
      parameter: 'limit',
      code: 'LIMIT_EXCEEDED',
      message: `must be at most ${limits.maxLimit}`,
    });
  if (paging.mode === 'offset') {
    const offset = read('offset', paging.offset, 0);
    return { page: Math.floor(offset / limit) + 1, limit, offset };
  }
  const page = read('page', paging.page, 1);
  // Past 2⁵³ no list reaches: the offset only has to be one that a database takes.
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

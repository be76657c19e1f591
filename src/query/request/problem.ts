import { breaks, type BrokenRule } from '../../problem-rules.ts';
import { apiError, type ApiError, type ErrorCode } from '../../errors.ts';

/** The codes of problems of a query string. */
type QueryCode = Extract<
  ErrorCode,
  | 'INVALID_PARAMETER'
  | 'INVALID_FILTER'
  | 'INVALID_SORT'
  | 'INVALID_CURSOR'
  | 'PAGINATION_CONFLICT'
  | 'FIELDS_CONFLICT'
  | 'LIMIT_EXCEEDED'
  | 'DEPTH_EXCEEDED'
>;

/** One problem of a query string: the parameter, the error code, and what would be right. */
export interface QueryProblem {
  readonly parameter: string;
  readonly code: QueryCode;
  readonly message: string;
  /** What a limit allows. */
  readonly max?: number | undefined;
}

/** The most problems with suggestions for unknown names. More are not typing errors, and suggestions cost time. */
export const maxSuggestions = 20;

/** The rule that is broken if a query has a problem with this code. */
function brokenBy({ code, max }: QueryProblem): BrokenRule {
  switch (code) {
    case 'INVALID_FILTER':
      return breaks('filter');
    case 'INVALID_SORT':
      return breaks('sort');
    case 'INVALID_CURSOR':
      return breaks('cursor');
    case 'PAGINATION_CONFLICT':
    case 'FIELDS_CONFLICT':
      return breaks('conflict');
    case 'LIMIT_EXCEEDED':
      return breaks('limit', { max });
    case 'DEPTH_EXCEEDED':
      return breaks('depth', { max });
    case 'INVALID_PARAMETER':
      return breaks('parameter');
    default:
      return code satisfies never;
  }
}

/** The error for a query string: all problems, with the code of the first. */
export function queryError(problems: readonly QueryProblem[]): ApiError {
  const [first] = problems;
  if (first === undefined) throw new TypeError('No problem, no error');
  const names = [...new Set(problems.map(({ parameter }) => parameter))];
  const message =
    problems.length === 1
      ? `${first.parameter === '' ? '' : `${first.parameter}: `}${first.message}`
      : `The ${names.length === 1 ? 'parameter' : 'parameters'} ${names.join(', ')} cannot be used as sent`;
  return apiError(first.code, message, {
    problems: problems.map((one) => ({
      field: one.parameter,
      message: one.message,
      ...brokenBy(one),
    })),
  });
}

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

/** Percent-decodes a part of a query string, in which `+` is a space; undefined if it is malformed. */
export function decode(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The problems in the order in which a query string has their parameters. */
function inOrderOf(raw: string, problems: readonly QueryProblem[]): readonly QueryProblem[] {
  const parts = raw.split('&').map((part) => decode(part) ?? part);
  const placeOf = ({ parameter }: QueryProblem): number => {
    const own = parts.findIndex((part) => part === parameter || part.startsWith(`${parameter}=`));
    // A pair of a group is reported under the name of its field.
    const place = own === -1 ? parts.findIndex((part) => part.includes(`${parameter}:`)) : own;
    return place === -1 ? parts.length : place;
  };
  const placed = problems.map((problem) => ({ problem, place: placeOf(problem) }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ problem }) => problem);
}

/** The error for a query string: all problems in the order of its parameters, with the code of the first. */
export function queryError(given: readonly QueryProblem[], raw: string): ApiError {
  const problems = inOrderOf(raw, given);
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

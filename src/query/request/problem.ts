import { apiError, type ApiError, type ErrorCode } from '../../errors.ts';

/** One problem of a query string: the parameter, the error code, and what would be right. */
export interface QueryProblem {
  readonly parameter: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The most problems with suggestions for unknown names. More are not typing errors, and suggestions cost time. */
export const maxSuggestions = 20;

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
    problems: problems.map(({ parameter, message: text }) => ({ field: parameter, message: text })),
  });
}

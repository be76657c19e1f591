import { apiError, type ApiError, type ErrorCode } from '../../errors.ts';

/** One thing wrong with a query string: the parameter, the code that fits, and what would be right. */
export interface QueryProblem {
  readonly parameter: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** With this many problems a request gets no suggestions for unknown names any more: those are no typing errors. */
export const mostGuesses = 20;

/** The answer to a query string with problems: all of them, under the code of the first. */
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

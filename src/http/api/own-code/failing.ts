import { apiError, type ApiError, type ErrorCode, type FieldProblem } from '../../../errors.ts';
import { PlinthError } from '../../../client/runtime.ts';
import type { CodeProblem, Fail } from '../../../extensions/code.ts';
import { isRule, type BrokenRule } from '../../../problem-rules.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { DatabaseFailure, RepeatedTransaction } from '../../../databases/database.ts';
import type { Exchange } from '../exchange.ts';
import { errorOf } from '../failures.ts';
import { isOfOwner } from '../in-process.ts';

/** What `fail` of own code throws. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** The code of a status without one of its own. */
const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'RESOURCE_NOT_FOUND',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'BODY_TOO_LARGE',
  429: 'RATE_LIMITED',
};

/** Refuses a request from own code. See docs/contract/10-own-code.md#failing. */
export const refuse: Fail = (status, problem = [], { code: own } = {}) => {
  if (!Number.isInteger(status) || status < 400 || status > 499)
    throw new TypeError(`fail takes a status from 400 to 499, and got ${status}`);
  if (own !== undefined && !/^[A-Z][A-Z0-9_]*$/u.test(own))
    throw new TypeError(
      `the code of fail is a name in capitals, such as OUT_OF_STOCK, and got ${own}`,
    );
  const problems = typeof problem === 'string' ? [] : problemsOf(problem);
  const message =
    typeof problem === 'string'
      ? problem
      : status === 422
        ? 'Some values are not allowed'
        : 'The request is refused';
  const code =
    problems.length > 0
      ? status === 400
        ? 'VALIDATION_FAILED'
        : status === 422
          ? 'INVALID_VALUE'
          : codes[status]
      : codes[status];
  throw new Refusal(
    apiError(code ?? 'REFUSED', message, {
      status,
      ...(problems.length === 0 ? {} : { problems }),
      ...(own === undefined ? {} : { members: { code: own } }),
    }),
  );
};

function problemsOf(given: CodeProblem | readonly CodeProblem[]): readonly FieldProblem[] {
  const list: readonly CodeProblem[] = Array.isArray(given) ? given : [given as CodeProblem];
  for (const one of list)
    if (typeof one.field !== 'string' || typeof one.message !== 'string')
      throw new TypeError('a problem that fail takes has a field and a message');
  return list.map(({ field, message, rule, params = {} }) =>
    rule !== undefined && isRule(rule)
      ? { field, message, rule, params }
      : { field, message, rule: 'custom', params: { name: rule, ...params } },
  );
}

/** Own code took longer than its request may take. */
export class CodeTimeout extends Error {
  override readonly name = 'CodeTimeout';
}

/** Own code calls itself again and again. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

const tooDeep = apiError('HOOK_DEPTH', 'Own code of the server calls itself too often');

/**
 * The error of a request whose own code has thrown. What the code did not mean to tell is logged with its stack, and the
 * client gets 500. `place`: the function that threw, for messages.
 */
export function errorOfCode(thrown: unknown, place: string, exchange: Exchange): ApiError {
  if (thrown instanceof Refusal) return thrown.error;
  if (thrown instanceof CodeTimeout) {
    exchange.note({ level: 'warn', requestId: exchange.requestId, message: thrown.message });
    return apiError('HANDLER_TIMEOUT', 'Own code of the server took longer than its deadline');
  }
  if (thrown instanceof PlinthError) {
    const { cause } = thrown;
    // What the first run of a transaction meets is no failure yet.
    if (cause instanceof RepeatedTransaction) return errorOf(cause);
    if (!isOfOwner(thrown) && thrown.body.status !== 500) {
      if (cause instanceof DatabaseFailure && thrown.body.status > 500) exchange.failed(cause);
      return errorOfBody(thrown);
    }
  }
  // The log has the chain already.
  if (thrown instanceof PlinthError && thrown.body.code === 'HOOK_DEPTH') return tooDeep;
  const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
  if (exchange.watching !== undefined) exchange.watching.thrown = error;
  const told = exchange.failed(error);
  // The database is at fault, not the code.
  if (told.code !== 'INTERNAL_ERROR') return told;
  if (thrown instanceof TooDeep) return tooDeep;
  exchange.trace.ownCode = place;
  return told;
}

/** The failure of a request of own code with the rights of its caller, which the caller may know. */
function errorOfBody({ body, retryAfter }: PlinthError): ApiError {
  const { status, code, message, requestId: _, ...others } = body;
  const {
    error: _name,
    path: _path,
    validationErrors,
    errors,
    ...members
  } = others as {
    readonly error?: unknown;
    readonly path?: unknown;
    readonly validationErrors?: readonly (BrokenRule & {
      readonly field: string;
      readonly error: string;
    })[];
    readonly errors?: readonly FieldProblem[];
  };
  const problems =
    errors ??
    validationErrors?.map(({ field, error, ...more }) => ({ ...more, field, message: error }));
  return apiError(code as ErrorCode, message, {
    status,
    ...(problems === undefined ? {} : { problems }),
    ...(Object.keys(members).length === 0 ? {} : { members }),
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  });
}

/** What the API says of a refused request, and what else a proxy may have said. */
export interface ErrorBody {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** What is wrong with which field, nested as a form is: react-admin marks its inputs by it. */
  readonly errors?: FieldErrors;
  readonly [member: string]: unknown;
}

/** Messages at the places of fields: `{ specs: { weight: 'must be at least 0' } }`. */
export interface FieldErrors {
  readonly [field: string]: string | FieldErrors;
}

/** What is wrong with a field: the rule that it breaks and what that asks for, so that an app can say it in its language. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  readonly rule?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * What the API has refused. `status` and `body` are what react-admin looks for, `statusCode` and `errors` (messages by
 * field, `specs.weight`) what refine does; `code` tells the reasons apart, and `problems` says each problem for programs.
 */
export class PlinthError extends Error {
  override readonly name = 'PlinthError';
  readonly status: number;
  readonly statusCode: number;
  readonly code: string | undefined;
  readonly body: ErrorBody;
  readonly errors?: Readonly<Record<string, string>>;
  readonly problems: readonly FieldProblem[];

  constructor(status: number, answer: unknown) {
    const told: Readonly<Record<string, unknown>> = isObject(answer) ? answer : {};
    const message =
      typeof told['message'] === 'string' && told['message'] !== ''
        ? told['message']
        : `The server answered ${status}, but not as the API does`;
    super(message);
    this.status = status;
    this.statusCode = status;
    this.code = typeof told['code'] === 'string' ? told['code'] : undefined;
    this.problems = problemsOf(told);
    const errors = messagesByField(this.problems);
    if (errors === undefined) this.body = told;
    else {
      this.errors = errors;
      this.body = { ...told, errors: nested(errors, message) };
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `errors` of a 422 and `validationErrors` of a 400. */
function problemsOf(told: Readonly<Record<string, unknown>>): readonly FieldProblem[] {
  return [told['errors'], told['validationErrors']].flatMap((list) =>
    (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((problem) => {
      if (!isObject(problem) || typeof problem['field'] !== 'string') return [];
      const { field, message, error, rule, params } = problem;
      return {
        field,
        message: String(message ?? error ?? ''),
        ...(typeof rule === 'string' ? { rule } : {}),
        ...(isObject(params) ? { params } : {}),
      };
    }),
  );
}

/** The messages by field; undefined where no field is to blame. */
function messagesByField(problems: readonly FieldProblem[]): Record<string, string> | undefined {
  const messages = new Map<string, string>();
  for (const { field, message } of problems) {
    const before = messages.get(field);
    messages.set(field, before === undefined ? message : `${before}; ${message}`);
  }
  return messages.size === 0 ? undefined : Object.fromEntries(messages);
}

/** The same as a form is nested. What belongs to no input is said as well, where react-admin's forms look for it. */
function nested(errors: Readonly<Record<string, string>>, message: string): FieldErrors {
  interface Branch {
    [field: string]: string | Branch;
  }
  const root: Branch = Object.create(null) as Branch;
  for (const [path, text] of Object.entries(errors)) {
    const parts = path.split('.');
    const last = parts.pop() ?? path;
    let branch = root;
    for (const part of parts) {
      const next = branch[part];
      branch = typeof next === 'object' ? next : (branch[part] = Object.create(null) as Branch);
    }
    branch[last] = text;
  }
  return { ...root, root: { serverError: message } };
}

import type { Problem } from '../specification/problems.ts';

/** A problem with generated data: a path in the specification, and what is wrong there. A file with warnings can be served. */
export class GenerationProblem extends Error {
  readonly path: readonly (string | number)[];
  readonly severity: Problem['severity'];

  constructor(
    path: readonly (string | number)[],
    message: string,
    severity: Problem['severity'] = 'error',
  ) {
    super(message);
    this.path = path;
    this.severity = severity;
  }
}

/** The problems whose path, or a path below it, has not been reported yet. */
export function without(
  problems: readonly GenerationProblem[],
  told: readonly GenerationProblem[],
): readonly GenerationProblem[] {
  return problems.filter(
    ({ path }) => !told.some((other) => path.every((part, index) => part === other.path[index])),
  );
}

/** The result of `give`; undefined if it cannot be generated. */
export function unlessProblem<Value>(give: () => Value): Value | undefined {
  try {
    return give();
  } catch (error) {
    if (error instanceof GenerationProblem) return undefined;
    throw error;
  }
}

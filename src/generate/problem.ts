import type { Problem } from '../specification/problems.ts';

/**
 * Why data cannot be generated, or not as one would think: a place in the specification, and what is wrong there. A
 * warning is no mistake of the file, which can be served as it is.
 */
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

/** Those of some problems that are of no place where something else has been told already. */
export function without(
  problems: readonly GenerationProblem[],
  told: readonly GenerationProblem[],
): readonly GenerationProblem[] {
  return problems.filter(
    ({ path }) => !told.some((other) => path.every((part, index) => part === other.path[index])),
  );
}

/** What is given; undefined where it cannot be generated. */
export function unlessProblem<Value>(give: () => Value): Value | undefined {
  try {
    return give();
  } catch (error) {
    if (error instanceof GenerationProblem) return undefined;
    throw error;
  }
}

/** Why data cannot be generated: a place in the specification, and what is wrong there. */
export class GenerationProblem extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

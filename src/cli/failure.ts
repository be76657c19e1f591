/** A command that cannot go on: one sentence that says why, and the next step. */
export class CommandFailure extends Error {
  /** 1: it failed; 2: it was called wrongly. */
  readonly exitCode: 1 | 2;
  /** Lines before the sentence, for example each problem of a file. */
  readonly details: readonly string[];

  constructor(
    message: string,
    options: { exitCode?: 1 | 2; details?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
    this.details = options.details ?? [];
  }
}

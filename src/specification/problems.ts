/** Where something stands in a file; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with (or doubtful about) a specification file. */
export interface Problem extends Position {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** For example `resources.posts.fields.author`; empty for the file as a whole. */
  readonly path: string;
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string;
}

/**
 * Collects problems; `path` says where, and the position is looked up from the file. One that may only follow from what
 * was not understood says of what: any of `unless` (`lost`).
 */
export type Report = (
  path: readonly (string | number)[],
  message: string,
  severity?: Problem['severity'],
  unless?: readonly string[],
) => void;

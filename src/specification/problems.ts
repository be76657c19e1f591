/** A position in a file; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One error or warning about a specification file. */
export interface Problem extends Position {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** For example `resources.posts.fields.author`; empty for the whole file. */
  readonly path: string;
  /** One sentence: what is wrong, and what would be right. */
  readonly message: string;
}

/**
 * Reports a problem at a path, whose position is looked up in the file. A problem that may only follow from invalid parts
 * of the file names them in `unless` (see `lost`), and is dropped if one of them is.
 */
export type Report = (
  path: readonly (string | number)[],
  message: string,
  severity?: Problem['severity'],
  unless?: readonly string[],
) => void;

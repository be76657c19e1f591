/** What one change of an API means for those who use it. */
export interface ApiChange {
  readonly isBreaking: boolean;
  /** Where: `v1 posts.title`, `limits.maxLimit`. */
  readonly path: string;
  readonly message: string;
}

/** Notes a change. */
export type Note = (isBreaking: boolean, path: string, message: string) => void;

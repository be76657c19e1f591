import type { SqlValue } from '../../../model/values.ts';
import type { Row } from '../../database.ts';

/** A statement that a reader process is to run. */
export interface Job {
  /** The SQLite file. */
  readonly file: string;
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** What a reader process says: that it can begin; rows of its job; how the job has ended, and in how many ms. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'done'; readonly took: number }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string };

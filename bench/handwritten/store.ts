import type { CommentQuery, ListQuery } from './query.ts';

/** SQLite gives its answer at once, PostgreSQL later. */
export type Soon<Value> = Value | Promise<Value>;

/** A page of a list as text, with the headers that only lists have, flat, as `writeHead` takes them. */
export type Page = { readonly body: string; readonly headers: readonly string[] };

/** A JSON object as a client sent it. */
export type Body = Readonly<Record<string, unknown>>;

/** A write's outcome: the record as text with its id, or a status with the reason. */
export type Written =
  | { readonly id: number; readonly body: string }
  | { readonly status: number; readonly code: string; readonly message: string };

/** What the routes ask of a database. */
export type Store = {
  readonly post: (id: number) => Soon<string | undefined>;
  readonly posts: (query: ListQuery) => Soon<Page>;
  readonly comments: (query: CommentQuery) => Soon<Page>;
  readonly createComment: (body: Body) => Soon<Written>;
  readonly patchPost: (id: number, body: Body) => Soon<Written>;
  readonly close: () => Soon<void>;
};

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

/** The digests of an Idempotency-Key in its place, and of the request that names it. */
export type Keyed = { readonly scope: string; readonly request: string };

/** What the routes ask of a database, with bodies that they have checked. */
export type Store = {
  /** `least`: the lowest id that the caller may read; undefined: any. */
  readonly post: (id: number, least?: number) => Soon<string | undefined>;
  readonly posts: (query: ListQuery) => Soon<Page>;
  readonly comments: (query: CommentQuery) => Soon<Page>;
  readonly createComment: (body: Body) => Soon<Written>;
  /** `ifMatch`: the tag that the post has to have; undefined: any. */
  readonly patchPost: (id: number, body: Body, ifMatch: string | undefined) => Soon<Written>;
  readonly createNote: (body: Body) => Soon<Written>;
  /** Creates a comment once under a key. */
  readonly createKeyed: (body: Body, keyed: Keyed) => Soon<Written>;
  readonly close: () => Soon<void>;
};

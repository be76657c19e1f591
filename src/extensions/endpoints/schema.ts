import type { FieldProblem } from '../../errors.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonSchema } from '../../model/json-schema.ts';

/** A value that fits, as the schema gives it out, or what is wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** What an endpoint says of its body, query or response. */
export interface Schema {
  /** For OpenAPI and the typed client; undefined where the library of the schema gives none. */
  readonly json: JsonSchema | undefined;
  readonly check: (value: unknown) => MaybePromise<Checked>;
}

/** Which side of a schema counts: what a request sends, or what a response has. */
export type Side = 'input' | 'output';

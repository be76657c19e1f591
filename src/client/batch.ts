import type { Resources } from './resources.ts';
import type {
  Answer,
  Created,
  ExpandPath,
  FieldPath,
  Loose,
  NoField,
  RequestOptions,
  ResourceName,
  Target,
} from './types.ts';

/** The text that stands for a field of an earlier answer of a batch: `{order.id}`. */
export type Reference = `{${string}.${string}}`;

/** A body whose values may also be references. */
type Referring<T> = T extends readonly (infer Item)[]
  ? readonly (Referring<Item> | Reference)[]
  : T extends object
    ? { readonly [K in keyof T]: Referring<T[K]> | Reference }
    : T;

/** What is common to all operations. */
interface OperationBase {
  /** The name by which later operations refer to the answer of this one. */
  readonly as?: string | undefined;
  /** `If-Match`, `If-None-Match`, `Prefer` and `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What an operation on a resource says of its answer. */
interface Shown<R extends ResourceName> {
  readonly expand?: readonly ExpandPath<R>[] | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly exclude?: readonly (keyof Resources[R]['record'] & string)[] | undefined;
}

interface OnRecord<R extends ResourceName> {
  /** An id, a reference, or the record itself, which must not have changed since it was read. */
  readonly id: Target<R> | Reference;
  readonly ifMatch?: string | undefined;
}

interface Posting<R extends ResourceName> extends OperationBase, Shown<R> {
  readonly method: 'POST';
  readonly resource: R;
  readonly body: Referring<Resources[R]['create']> | readonly Referring<Resources[R]['create']>[];
  /** A unique field or group: a record with the same values is changed in the place of a new one. */
  readonly onConflict?: readonly (keyof Resources[R]['record'] & string)[] | undefined;
  /** With `onConflict`: records that exist stay as they are. */
  readonly ignoreDuplicates?: boolean | undefined;
}

interface Patching<R extends ResourceName> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PATCH';
  readonly resource: R;
  readonly body: Referring<Resources[R]['update']>;
  readonly merge?: false | undefined;
}

interface Merging<R extends ResourceName> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PATCH';
  readonly resource: R;
  readonly body: Referring<Loose<Resources[R]['update']>>;
  /** Objects are merged into those that are there. */
  readonly merge: true;
}

interface Putting<R extends ResourceName> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PUT';
  readonly resource: R;
  readonly body: Referring<Resources[R]['replace']>;
}

interface Deleting<R extends ResourceName> extends OperationBase, OnRecord<R> {
  readonly method: 'DELETE';
  readonly resource: R;
}

type OnResource<R extends ResourceName> =
  | ('create' extends Resources[R]['operations'] ? Posting<R> : never)
  | ('update' extends Resources[R]['operations'] ? Patching<R> | Merging<R> | Putting<R> : never)
  | ('delete' extends Resources[R]['operations'] ? Deleting<R> : never);

/** An operation as the API takes it. Its body is checked if the path is that of a resource or record. */
interface AtPath extends OperationBase {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/orders` and `/orders/1`; `/orders/{order.id}` takes a field of an earlier answer. */
  readonly path: string;
  readonly body?: unknown;
  readonly resource?: undefined;
}

/** One write of a batch: POST of a resource, or PUT, PATCH and DELETE of one record. */
export type BatchOperation = { [R in ResourceName]: OnResource<R> }[ResourceName] | AtPath;

export interface BatchAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** The resource of an operation; never if its path does not tell. */
type ResourceAt<O> = O extends { readonly resource: infer R extends ResourceName }
  ? R
  : O extends { readonly method: infer M; readonly path: `/${infer P}` }
    ? M extends 'POST'
      ? NamedBy<P extends `${infer H}?${string}` ? H : P>
      : P extends `${infer H}/${string}`
        ? NamedBy<H>
        : never
    : never;

type NamedBy<P extends string> = P extends ResourceName ? P : never;

/** An operation that says something itself in a header. */
type WithHeader<Name extends string> = {
  readonly [N in Name]: { readonly headers: { readonly [name in N]: string } };
}[Name];

/** The body that an operation needs. */
type BodyOf<O, R extends ResourceName> = O extends { readonly method: 'POST' }
  ? Resources[R]['create'] | readonly Resources[R]['create'][]
  : O extends { readonly method: 'PUT' }
    ? Resources[R]['replace']
    : O extends { readonly merge: true } | WithHeader<'Content-Type' | 'content-type'>
      ? Loose<Resources[R]['update']>
      : Resources[R]['update'];

type Items<T> = T extends readonly (infer Item)[] ? Item : never;
type MemberName<T> = T extends readonly unknown[] ? never : T extends object ? keyof T : never;
type MemberOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** The body as it was given, with NoField in the place of each member that there is not. */
type Exact<Given, Wanted> = Given extends readonly unknown[]
  ? { readonly [I in keyof Given]: Exact<Given[I], Items<Wanted>> }
  : Given extends object
    ? {
        readonly [K in keyof Given]: K extends MemberName<Wanted>
          ? Exact<Given[K], MemberOf<Wanted, K>>
          : NoField<K & string, MemberName<Wanted> & string>;
      }
    : unknown;

type Names<O, Member extends 'expand' | 'fields' | 'exclude'> = O extends {
  readonly [name in Member]: readonly (infer Name extends string)[];
}
  ? Name
  : never;

/** What the types of an operation itself do not check: its body at a path, unknown members, and selected fields. */
type Checked<O> = [ResourceAt<O>] extends [never]
  ? unknown
  : (O extends { readonly path: string }
      ? O extends { readonly method: 'DELETE' }
        ? unknown
        : { readonly body: Referring<BodyOf<O, ResourceAt<O>>> }
      : unknown) &
      (O extends { readonly body: infer Body }
        ? { readonly body: Exact<Body, BodyOf<O, ResourceAt<O>>> }
        : unknown) &
      (O extends { readonly fields: readonly string[] }
        ? {
            readonly fields: readonly FieldPath<
              ResourceAt<O>,
              Names<O, 'expand'>,
              Names<O, 'fields'>
            >[];
          }
        : unknown);

/** What one record is answered as. */
type Written<O, R extends ResourceName, Less> = Answer<
  R,
  Names<O, 'expand'>,
  Names<O, 'fields'>,
  Names<O, 'exclude'>,
  Less
>;

/** The body of an answer. A type of the whole answer in its place makes `answers.map(…)` 40 times as slow to compile. */
type AnsweredBody<O> = O extends { readonly method: 'DELETE' }
  ? null
  : [ResourceAt<O>] extends [never]
    ? unknown
    : O extends { readonly path: `${string}?${string}` } | WithHeader<'Prefer' | 'prefer'>
      ? unknown
      : O extends { readonly method: 'POST' }
        ? O extends { readonly body: readonly unknown[] }
          ? Written<O, ResourceAt<O>, Created<ResourceAt<O>>>[]
          : Written<O, ResourceAt<O>, Created<ResourceAt<O>>>
        : Written<O, ResourceAt<O>, null>;

export interface Batches {
  /** Writes all or nothing, in one transaction. If one fails, the error has its number as `operation`. */
  readonly batch: <const O extends readonly BatchOperation[]>(
    operations: O & { readonly [I in keyof O]: O[I] & Checked<O[I]> },
    options?: RequestOptions & { readonly idempotencyKey?: string | undefined },
  ) => Promise<{ -readonly [I in keyof O]: BatchAnswer<AnsweredBody<O[I]>> }>;
}

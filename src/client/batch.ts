import type { OwnerResources } from './resources.ts';
import type {
  AllResources,
  Answer,
  Created,
  ExpandPath,
  FieldPath,
  Loose,
  NameOf,
  NoField,
  RequestOptions,
  ResourceKey,
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
interface Shown<R extends ResourceKey> {
  readonly expand?: readonly ExpandPath<R>[] | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly exclude?: readonly (keyof AllResources[R]['record'] & string)[] | undefined;
}

interface OnRecord<R extends ResourceKey> {
  /** An id, a reference, or the record itself, which must not have changed since it was read. */
  readonly id: Target<R> | Reference;
  readonly ifMatch?: string | undefined;
}

interface Posting<R extends ResourceKey> extends OperationBase, Shown<R> {
  readonly method: 'POST';
  readonly resource: NameOf<R>;
  readonly body:
    | Referring<AllResources[R]['create']>
    | readonly Referring<AllResources[R]['create']>[];
  /** A unique field or group: a record with the same values is changed in the place of a new one. */
  readonly onConflict?: readonly (keyof AllResources[R]['record'] & string)[] | undefined;
  /** With `onConflict`: records that exist stay as they are. */
  readonly ignoreDuplicates?: boolean | undefined;
}

interface Patching<R extends ResourceKey> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PATCH';
  readonly resource: NameOf<R>;
  readonly body: Referring<AllResources[R]['update']>;
  readonly merge?: false | undefined;
}

interface Merging<R extends ResourceKey> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PATCH';
  readonly resource: NameOf<R>;
  readonly body: Referring<Loose<AllResources[R]['update']>>;
  /** Objects are merged into those that are there. */
  readonly merge: true;
}

interface Putting<R extends ResourceKey> extends OperationBase, Shown<R>, OnRecord<R> {
  readonly method: 'PUT';
  readonly resource: NameOf<R>;
  readonly body: Referring<AllResources[R]['replace']>;
}

interface Deleting<R extends ResourceKey> extends OperationBase, OnRecord<R> {
  readonly method: 'DELETE';
  readonly resource: NameOf<R>;
}

type OnResource<R extends ResourceKey> =
  | ('create' extends AllResources[R]['operations'] ? Posting<R> : never)
  | ('update' extends AllResources[R]['operations'] ? Patching<R> | Merging<R> | Putting<R> : never)
  | ('delete' extends AllResources[R]['operations'] ? Deleting<R> : never);

/** An operation as the API takes it. Its body is checked if the path is that of a resource or record. */
interface AtPath extends OperationBase {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/orders` and `/orders/1`; `/orders/{order.id}` takes a field of an earlier answer. */
  readonly path: string;
  readonly body?: unknown;
  readonly resource?: undefined;
}

/** Before the name of a resource: nothing for clients, and `owner ` for the owner. */
type Rights = '' | 'owner ';
type KeyFor<P extends Rights> = P extends '' ? ResourceName : keyof OwnerResources & string;

/** One write of a batch: POST of a resource, or PUT, PATCH and DELETE of one record. */
export type BatchOperation<P extends Rights = ''> =
  | { [R in KeyFor<P>]: OnResource<R> }[KeyFor<P>]
  | AtPath;

export interface BatchAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** The resource of an operation; never if its path does not tell. */
type ResourceAt<O, P extends Rights> = O extends { readonly resource: infer R extends string }
  ? NamedBy<R, P>
  : O extends { readonly method: infer M; readonly path: `/${infer T}` }
    ? M extends 'POST'
      ? NamedBy<T extends `${infer H}?${string}` ? H : T, P>
      : T extends `${infer H}/${string}`
        ? NamedBy<H, P>
        : never
    : never;

type NamedBy<N extends string, P extends Rights> =
  `${P}${N}` extends KeyFor<P> ? `${P}${N}` : never;

/** An operation that says something itself in a header. */
type WithHeader<Name extends string> = {
  readonly [N in Name]: { readonly headers: { readonly [name in N]: string } };
}[Name];

/** The body that an operation needs. */
type BodyOf<O, R extends ResourceKey> = O extends { readonly method: 'POST' }
  ? AllResources[R]['create'] | readonly AllResources[R]['create'][]
  : O extends { readonly method: 'PUT' }
    ? AllResources[R]['replace']
    : O extends { readonly merge: true } | WithHeader<'Content-Type' | 'content-type'>
      ? Loose<AllResources[R]['update']>
      : AllResources[R]['update'];

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
type Checked<O, P extends Rights> = [ResourceAt<O, P>] extends [never]
  ? unknown
  : (O extends { readonly path: string }
      ? O extends { readonly method: 'DELETE' }
        ? unknown
        : { readonly body: Referring<BodyOf<O, ResourceAt<O, P>>> }
      : unknown) &
      (O extends { readonly body: infer Body }
        ? { readonly body: Exact<Body, BodyOf<O, ResourceAt<O, P>>> }
        : unknown) &
      (O extends { readonly fields: readonly string[] }
        ? {
            readonly fields: readonly FieldPath<
              ResourceAt<O, P>,
              Names<O, 'expand'>,
              Names<O, 'fields'>
            >[];
          }
        : unknown);

/** What one record is answered as. */
type Written<O, R extends ResourceKey, Less> = Answer<
  R,
  Names<O, 'expand'>,
  Names<O, 'fields'>,
  Names<O, 'exclude'>,
  Less
>;

/** The body of an answer. A type of the whole answer in its place makes `answers.map(…)` 40 times as slow to compile. */
type AnsweredBody<O, P extends Rights> = O extends { readonly method: 'DELETE' }
  ? null
  : [ResourceAt<O, P>] extends [never]
    ? unknown
    : O extends { readonly path: `${string}?${string}` } | WithHeader<'Prefer' | 'prefer'>
      ? unknown
      : O extends { readonly method: 'POST' }
        ? O extends { readonly body: readonly unknown[] }
          ? Written<O, ResourceAt<O, P>, Created<ResourceAt<O, P>>>[]
          : Written<O, ResourceAt<O, P>, Created<ResourceAt<O, P>>>
        : Written<O, ResourceAt<O, P>, null>;

export interface Batches<P extends Rights = ''> {
  /** Writes all or nothing, in one transaction. If one fails, the error has its number as `operation`. */
  readonly batch: <const O extends readonly BatchOperation<P>[]>(
    operations: O & { readonly [I in keyof O]: O[I] & Checked<O[I], P> },
    options?: RequestOptions & { readonly idempotencyKey?: string | undefined },
  ) => Promise<{ -readonly [I in keyof O]: BatchAnswer<AnsweredBody<O[I], P>> }>;
}

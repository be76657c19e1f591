import type { OwnerResources, Resources } from './resources.ts';

/** The name of a resource. */
export type ResourceName = keyof Resources & string;

/** The resources as clients have them, and as the owner has them. */
export interface AllResources extends Resources, OwnerResources {}

/** A resource as clients have it, by its name, or as the owner has it, by its name with `owner ` before it. */
export type ResourceKey = keyof AllResources & string;

/** The name of a resource, whoever has it. */
export type NameOf<K extends string> = K extends `owner ${infer Name}` ? Name : K;

type RecordOf<R extends ResourceKey> = AllResources[R]['record'];
type IdOf<R extends ResourceKey> = AllResources[R]['id'];
type RelationName<R extends ResourceKey> = keyof AllResources[R]['relations'] & string;
type TargetOf<R extends ResourceKey, K extends string> = AllResources[R]['relations'] extends {
  readonly [name in K]: { readonly to: infer T };
}
  ? T & ResourceKey
  : never;

type Head<Path extends string> = Path extends `${infer H}.${string}` ? H : Path;
type Tail<Path extends string, H extends string> = Path extends `${H}.${infer T}` ? T : never;
type Flat<T> = { [K in keyof T]: T[K] };
export type Loose<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Loose<T[K]> }
    : T;

/** What `expand` takes: relations, and relations of those. */
export type ExpandPath<R extends ResourceKey> = AllResources[R]['expand'];

type OwnField<R extends ResourceKey> =
  | (keyof RecordOf<R> & string)
  | '*'
  | `@${keyof AllResources[R]['groups'] & string}`;

type PivotOf<R extends ResourceKey, K extends string> = AllResources[R]['relations'] extends {
  readonly [name in K]: { readonly pivot: { pivot: infer Pivot } };
}
  ? Pivot
  : never;

/** What `fields` takes of a link: all of it, its fields, and members of objects in it. */
type PivotPath<R extends ResourceKey, K extends string> = [PivotOf<R, K>] extends [never]
  ? never
  : `pivot${'' | `.${keyof PivotOf<R, K> & string}${'' | `.${string}`}`}`;

/** What the compiler says of a name that is none: what there is. No value is one. */
export interface NoField<Name extends string, Known> {
  readonly none: [Name, Known];
}

/** And of a field of a relation that `expand` has to name first. */
interface NotExpanded<Relation extends string> {
  readonly none: Relation;
}

/** Known names that stand behind another one; what is no name stays. */
type Behind<H extends string, P> = P extends string ? `${H}.${P}` : P;

/**
 * F itself where `fields` takes it beside E, else what could have stood there: own fields, members of objects, groups,
 * and fields and pivots of what `expand` names.
 */
export type FieldPath<
  R extends ResourceKey,
  E extends string,
  F extends string,
> = R extends ResourceKey
  ? F extends OwnField<R> | Head<E>
    ? F
    : F extends `${infer H}.${infer T}`
      ? H extends Head<E> & RelationName<R>
        ? T extends '*' | PivotPath<R, H>
          ? F
          : Behind<H, FieldPath<TargetOf<R, H>, Tail<E, H>, T>>
        : H extends AllResources[R]['objects']
          ? F
          : H extends RelationName<R>
            ? OwnField<R> | NotExpanded<H>
            : OwnField<R> | NoField<H, OwnField<R>>
      : OwnField<R> | Head<E> | NoField<F, OwnField<R> | Head<E>>
  : never;

type GroupMember<R extends ResourceKey, F extends string> = F extends `@${infer G}`
  ? AllResources[R]['groups'] extends { readonly [name in G]: infer Members }
    ? Members
    : never
  : never;

type OwnName<R extends ResourceKey, F extends string> =
  | ('*' extends F ? keyof RecordOf<R> : never)
  | ((Head<F> | GroupMember<R, F> | 'id') & keyof RecordOf<R>);

type Own<R extends ResourceKey, F extends string> = [F] extends [never]
  ? RecordOf<R>
  : {
      [K in OwnName<R, F>]: K extends AllResources[R]['objects']
        ? '*' extends F
          ? RecordOf<R>[K]
          : K extends F | GroupMember<R, F>
            ? RecordOf<R>[K]
            : Loose<RecordOf<R>[K]>
        : RecordOf<R>[K];
    };

/** What `fields` (F) leaves of a link. */
type SomePivot<Pivot, F extends string> = [F] extends [never]
  ? Pivot
  : Pivot extends { pivot: infer P }
    ? { pivot: { [K in Head<F> & keyof P]: K extends F ? P[K] : Loose<P[K]> } }
    : unknown;

type Related<
  R extends ResourceKey,
  K extends string,
  E extends string,
  F extends string,
> = AllResources[R]['relations'] extends {
  readonly [name in K]: {
    readonly many: infer Many;
    readonly null: infer Null;
    readonly pivot: infer Pivot;
  };
}
  ? Many extends true
    ? (Selected<TargetOf<R, K>, E, F> & SomePivot<Pivot, Tail<F, 'pivot'>>)[]
    : Selected<TargetOf<R, K>, E, F> | (Null extends false ? never : null)
  : never;

/** What tells the resources of a morphTo apart. */
interface Telling {
  readonly field: string;
  readonly types: Readonly<Record<string, string>>;
  readonly null: boolean;
}

type TellingOf<R extends ResourceKey, K extends string> = AllResources[R]['relations'] extends {
  readonly [name in K]: { readonly by: infer By extends Telling };
}
  ? By
  : never;

/** The relations among K whose type field, if it is shown, tells what they lead to. */
type MorphName<R extends ResourceKey, K extends string> = K extends string
  ? [TellingOf<R, K>] extends [never]
    ? never
    : K
  : never;

/** A morphTo with its type field: one member of the union for each resource, and one for null. */
type Morph<
  R extends ResourceKey,
  K extends string,
  By extends Telling,
  E extends string,
  F extends string,
> =
  | {
      [T in keyof By['types'] & string]: {
        [N in By['field'] & keyof Own<R, F>]: T;
      } & { [N in K]: Selected<By['types'][T] & ResourceKey, Tail<E, K>, Tail<F, K>> | null };
    }[keyof By['types'] & string]
  | (By['null'] extends true
      ? { [N in By['field'] & keyof Own<R, F>]: null } & { [N in K]: null }
      : never);

/** All of them together. */
type Morphs<R extends ResourceKey, K extends string, E extends string, F extends string> = (
  K extends string ? (morph: Morph<R, K, TellingOf<R, K>, E, F>) => void : never
) extends (morph: infer All) => void
  ? All
  : unknown;

/** The pages of expanded collections, where they are paged or were cut. */
export interface CollectionPage {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
}

/** A record with what `fields` (F) leaves of it and what `expand` (E) adds to it. */
export type Selected<
  R extends ResourceKey,
  E extends string = never,
  F extends string = never,
> = R extends ResourceKey
  ? Flat<
      Own<R, F> & {
        [K in Exclude<Head<E> & RelationName<R>, MorphName<R, Head<E>>>]: Related<
          R,
          K,
          Tail<E, K>,
          Tail<F, K>
        >;
      } & ([MorphName<R, Head<E>>] extends [never]
          ? unknown
          : Morphs<R, MorphName<R, Head<E>>, E, F>) &
        ([E] extends [never]
          ? unknown
          : { readonly _pagination?: { readonly [K in Head<E>]?: CollectionPage } })
    >
  : never;

type Without<T, X extends string> = [X] extends [never]
  ? T
  : T extends unknown
    ? Omit<T, X>
    : never;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A path and those that it goes through, which are expanded with it. */
type Prefix<P extends string> = P extends `${infer H}.${infer T}` ? H | `${H}.${Prefix<T>}` : P;

/** Paging and order of what is expanded; where nothing is, there is none. */
type Collections<P extends string> = [P] extends [never]
  ? never
  : {
      readonly [K in P]?:
        | {
            readonly page?: number | undefined;
            readonly limit?: number | undefined;
            readonly offset?: number | undefined;
            readonly sort?: readonly string[] | undefined;
          }
        | undefined;
    };

/** What to show of a record, and what to embed. */
export interface Selection<
  R extends ResourceKey,
  E extends string,
  F extends string,
  X extends string,
> extends RequestOptions {
  readonly expand?: readonly E[] | undefined;
  readonly fields?: (readonly F[] & readonly FieldPath<R, NoInfer<E>, NoInfer<F>>[]) | undefined;
  readonly exclude?:
    | (readonly X[] & readonly Known<NoInfer<X>, Hidden<R, NoInfer<E>>>[])
    | undefined;
  /** Parameters that the types do not have, such as filters on longer paths. */
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/** A name itself where it is one of those that there are. */
type Known<Name extends string, All extends string> = Name extends All
  ? Name
  : All | NoField<Name, All>;

type Hidden<R extends ResourceKey, E extends string> = Exclude<
  (keyof RecordOf<R> & string) | Head<E>,
  'id'
>;

/** What reads alone can be asked for beside it. */
export interface ReadOptions<
  R extends ResourceKey,
  E extends string,
  F extends string,
  X extends string,
> extends Selection<R, E, F, X> {
  readonly collections?: Collections<Prefix<NoInfer<E>>> | undefined;
  readonly nulls?: 'first' | 'last' | undefined;
}

/** Filters that leave out items of collections below what is expanded (H); where nothing is, there are none. */
type ItemFilters<R extends ResourceKey, H extends string> = [H] extends [never]
  ? never
  : {
      [
        N in keyof AllResources[R]['where'] as N extends
          | `${Collection<R, H>}.${string}`
          | `${H}.${string}.${string}`
          ? N
          : never
      ]: AllResources[R]['where'][N];
    };

type Collection<R extends ResourceKey, H extends string> = H extends string
  ? AllResources[R]['relations'] extends { readonly [name in H]: { readonly many: true } }
    ? H
    : never
  : never;

/** Filters, and groups of filters below them. */
export type Group<W> = W & {
  readonly _and?: readonly Group<W>[] | undefined;
  readonly _or?: readonly Group<W>[] | undefined;
  readonly _not?: readonly Group<W>[] | undefined;
};

/** What a list is asked for. */
export interface Listing<
  R extends ResourceKey,
  E extends string,
  F extends string,
  X extends string,
> extends ReadOptions<R, E, F, X> {
  readonly where?: AllResources[R]['where'] | undefined;
  /** Groups of conditions that all have to hold: what shares a relation is about one related record. */
  readonly and?: readonly Group<AllResources[R]['where']>[] | undefined;
  /** Groups of alternatives: in each at least one has to hold. */
  readonly or?: readonly Group<AllResources[R]['where']>[] | undefined;
  /** Groups of conditions of which none may hold. */
  readonly not?: readonly Group<AllResources[R]['where']>[] | undefined;
  /** Words that must all be found in the texts of a record; a phrase is written in double quotes. */
  readonly search?: string | undefined;
  readonly sort?: readonly (AllResources[R]['sort'] | `-${AllResources[R]['sort']}`)[] | undefined;
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly count?: 'exact' | 'estimated' | 'none' | undefined;
}

/** A page of a list; what was not counted is undefined. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number | undefined;
  readonly totalPages: number | undefined;
  readonly page: number | undefined;
  readonly limit: number;
  readonly nextCursor: string | undefined;
}

type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'weekday';

/** What groups records: values, and parts of dates and moments. */
type KeyOf<R extends ResourceKey> =
  | ValueOf<R>
  | `${AllResources[R]['dates']}:${DatePart}`
  | `${AllResources[R]['moments']}:${DatePart | 'hour'}`;
type ValueOf<R extends ResourceKey> = keyof AllResources[R]['keys'] & string;

/** The value of a key in the answer. */
type KeyValue<R extends ResourceKey, K extends string> =
  K extends ValueOf<R>
    ? AllResources[R]['keys'][K]
    : K extends `${string}:weekday`
      ? number | null
      : string | null;

type SumOf<R extends ResourceKey> = keyof AllResources[R]['sums'] & string;
type AverageOf<R extends ResourceKey> = keyof AllResources[R]['averages'] & string;
type ExtremeOf<R extends ResourceKey> = AllResources[R]['extremes'] & ValueOf<R>;

/** What a function or a key is compared with. */
type Compared = string | number | boolean;

/** What groups are sorted by. */
type TotalsSort<R extends ResourceKey, G extends string> =
  | 'count'
  | G
  | `${'sum' | 'avg'}.${SumOf<R>}`
  | `${'min' | 'max'}.${ExtremeOf<R>}`
  | `countDistinct.${AllResources[R]['distinct']}`;

/** What `aggregate` is asked for. */
export interface Aggregating<
  R extends ResourceKey,
  G extends string,
  S extends string,
  A extends string,
  N extends string,
  M extends string,
  D extends string,
> extends RequestOptions {
  /** Fields, paths to one related record, and parts of dates: `placedAt:month`. */
  readonly group?: readonly G[] | undefined;
  readonly sum?: readonly S[] | undefined;
  readonly avg?: readonly A[] | undefined;
  readonly min?: readonly N[] | undefined;
  readonly max?: readonly M[] | undefined;
  readonly countDistinct?: readonly D[] | undefined;
  /** Restricts the records. */
  readonly where?: AllResources[R]['where'] | undefined;
  readonly and?: readonly Group<AllResources[R]['where']>[] | undefined;
  readonly or?: readonly Group<AllResources[R]['where']>[] | undefined;
  readonly not?: readonly Group<AllResources[R]['where']>[] | undefined;
  /** Restricts the groups, by any function and by what groups: `{ count_gte: 5, 'sum.total_gt': 100 }`. */
  readonly having?:
    | Group<
        Readonly<Record<string, Compared | readonly Compared[] | readonly object[] | undefined>>
      >
    | undefined;
  readonly sort?:
    | readonly (TotalsSort<R, NoInfer<G>> | `-${TotalsSort<R, NoInfer<G>>}`)[]
    | undefined;
  readonly nulls?: 'first' | 'last' | undefined;
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  readonly offset?: number | undefined;
}

/** A member with the values of a function, if paths are asked for. */
type OfFunction<Name extends string, Paths extends string, Values> = [Paths] extends [never]
  ? unknown
  : { readonly [N in Name]: Values };

/** A group: what its records have in common, how many they are, and the functions that were asked for. */
export type Totals<
  R extends ResourceKey,
  G extends string,
  S extends string,
  A extends string,
  N extends string,
  M extends string,
  D extends string,
> = Flat<
  {
    readonly group: { readonly [K in G]: KeyValue<R, K> };
    readonly count: number;
  } & OfFunction<'sum', S, { readonly [K in S & SumOf<R>]: AllResources[R]['sums'][K] }> &
    OfFunction<'avg', A, { readonly [K in A & AverageOf<R>]: AllResources[R]['averages'][K] }> &
    OfFunction<'min', N, { readonly [K in N]: KeyValue<R, K> | null }> &
    OfFunction<'max', M, { readonly [K in M]: KeyValue<R, K> | null }> &
    OfFunction<'countDistinct', D, { readonly [K in D]: number }>
>;

type Walk<L> = Omit<L, 'page' | 'offset' | 'count'>;

export interface Reads<R extends ResourceKey> {
  /** One page of the records. */
  readonly list: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    options?: Listing<R, E, F, X>,
  ) => Promise<Page<Without<Selected<R, E, F>, X>>>;
  /** All pages from here on, by cursor. */
  readonly pages: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    options?: Walk<Listing<R, E, F, X>>,
  ) => AsyncGenerator<Without<Selected<R, E, F>, X>[], void, undefined>;
  /** All records from here on, by cursor. */
  readonly each: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    options?: Walk<Listing<R, E, F, X>>,
  ) => AsyncGenerator<Without<Selected<R, E, F>, X>, void, undefined>;
  /** One page of groups of the records; without `group` one group of all. */
  readonly aggregate: <
    const G extends KeyOf<R> = never,
    const S extends SumOf<R> = never,
    const A extends AverageOf<R> = never,
    const N extends ExtremeOf<R> = never,
    const M extends ExtremeOf<R> = never,
    const D extends AllResources[R]['distinct'] = never,
  >(
    options?: Aggregating<R, G, S, A, N, M, D>,
  ) => Promise<Page<Totals<R, G, S, A, N, M, D>>>;
  readonly get: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    id: IdOf<R>,
    options?: ReadOptions<R, E, F, X> & {
      readonly where?: ItemFilters<R, Head<NoInfer<E>>> | undefined;
    },
  ) => Promise<Without<Selected<R, E, F>, X>>;
}

/** What a write answers with: the record, or less where it may not be read. */
export type Answer<
  R extends ResourceKey,
  E extends string,
  F extends string,
  X extends string,
  Less = undefined,
> = 'read' extends AllResources[R]['operations'] ? Without<Selected<R, E, F>, X> : Less;

export type Created<R extends ResourceKey> = { readonly id: IdOf<R> };

/** A body without some members, of a union each of its types. */
export type Lacking<Body, Key extends string> = Body extends unknown ? Omit<Body, Key> : never;

export interface Creating<R extends ResourceKey> {
  readonly idempotencyKey?: string | undefined;
  /** A unique field or group: a record with the same values is changed in the place of a new one. */
  readonly onConflict?: readonly (keyof AllResources[R]['record'] & string)[] | undefined;
  /** With `onConflict`: records that exist stay as they are. */
  readonly ignoreDuplicates?: boolean | undefined;
}

export interface Creates<R extends ResourceKey> {
  readonly create: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    body: AllResources[R]['create'],
    options?: Selection<R, E, F, X> & Creating<R>,
  ) => Promise<Answer<R, E, F, X, Created<R>>>;
  /** Creates all of them or none. */
  readonly createMany: <
    const E extends ExpandPath<R> = never,
    const F extends string = never,
    const X extends string = never,
  >(
    bodies: readonly AllResources[R]['create'][],
    options?: Selection<R, E, F, X> & Creating<R>,
  ) => Promise<Answer<R, E, F, X, Created<R>>[]>;
}

/**
 * A record by its id, or the record itself as a plain `get`, `create` or `update` gave it: then the write is refused
 * with PRECONDITION_FAILED where somebody else has changed it since.
 */
export type Target<R extends ResourceKey> = IdOf<R> | { readonly id: IdOf<R> };

type Change<R extends ResourceKey, Body> = <
  const E extends ExpandPath<R> = never,
  const F extends string = never,
  const X extends string = never,
>(
  target: Target<R>,
  body: Body,
  options?: Selection<R, E, F, X> & { readonly ifMatch?: string | undefined },
) => Promise<Answer<R, E, F, X>>;

/** The filters of a list, at least one: they choose the records of a change of many. */
export interface Matching<R extends ResourceKey> extends RequestOptions {
  readonly where?: AllResources[R]['where'] | undefined;
  /** Groups of conditions, as those of a list. */
  readonly and?: readonly Group<AllResources[R]['where']>[] | undefined;
  readonly or?: readonly Group<AllResources[R]['where']>[] | undefined;
  readonly not?: readonly Group<AllResources[R]['where']>[] | undefined;
  readonly search?: string | undefined;
  /** If more records match, nothing changes and the error is TOO_MANY_AFFECTED. */
  readonly maxAffected?: number | undefined;
}

export interface Updates<R extends ResourceKey> {
  /** PATCH of all records that match, all or none; gives their number. */
  readonly updateMany: (matching: Matching<R>, body: AllResources[R]['update']) => Promise<number>;
  /** PATCH: what is not named stays. */
  readonly update: Change<R, AllResources[R]['update']>;
  /** PATCH with a merge patch: objects are merged into those that are there. */
  readonly merge: Change<R, Loose<AllResources[R]['update']>>;
  /** PUT: what is not named takes its default, else null. */
  readonly replace: Change<R, AllResources[R]['replace']>;
}

export interface Deletes<R extends ResourceKey> {
  /** Deletes all records that match, all or none; gives their number. */
  readonly deleteMany: (matching: Matching<R>) => Promise<number>;
  readonly delete: (
    target: Target<R>,
    options?: RequestOptions & { readonly ifMatch?: string | undefined },
  ) => Promise<void>;
}

/** The methods of a resource: those that the API has. */
export type ResourceClient<R extends ResourceKey> = ('read' extends AllResources[R]['operations']
  ? Reads<R>
  : unknown) &
  ('create' extends AllResources[R]['operations'] ? Creates<R> : unknown) &
  ('update' extends AllResources[R]['operations'] ? Updates<R> : unknown) &
  ('delete' extends AllResources[R]['operations'] ? Deletes<R> : unknown);

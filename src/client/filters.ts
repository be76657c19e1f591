type ValueOperator = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains';
type ListOperator = 'in' | 'nin' | 'containsAll' | 'containsAny';

/** What filters on longer paths compare with: their own types are known to the API alone. */
type FilterValue = string | number | boolean;

/**
 * Filters by name: of each path its value, its operators, and whether it can stand alone, or several times; and paths
 * through further relations behind the relations D, and to any key in the JSON J. What is undefined is left out.
 */
export type Filters<
  T extends { readonly [name: string]: readonly [unknown, string, 'one' | 'many' | 'none'] },
  D extends string = never,
  J extends string = never,
> = {
  readonly [N in keyof T & string as T[N][2] extends 'none' ? never : N]?:
    | T[N][0]
    | (T[N][2] extends 'many' ? readonly T[N][0][] : never)
    | undefined;
} & {
  readonly [N in keyof T & string as `${N}_${Extract<T[N][1], ValueOperator>}`]?:
    | T[N][0]
    | undefined;
} & {
  readonly [
    N in keyof T &
      string as `${N}_${Extract<T[N][1], 'like' | 'ilike' | 'nlike' | 'nilike' | 'startsWith' | 'endsWith' | 'ieq'>}`
  ]?: string | undefined;
} & {
  readonly [N in keyof T & string as `${N}_${Extract<T[N][1], ListOperator>}`]?:
    | readonly T[N][0][]
    | undefined;
} & {
  readonly [N in keyof T & string as `${N}_${Extract<T[N][1], 'exists' | 'null'>}`]?:
    | boolean
    | undefined;
} & {
  readonly [P in `${D}.${string}.${string}` | `${J}.${string}`]?:
    | FilterValue
    | readonly FilterValue[]
    | undefined;
};

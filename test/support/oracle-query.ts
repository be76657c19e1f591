/** A read in the terms of the oracle: what is asked, without how it is written. */

/** One relation on a path; `target`: the one resource of a morphTo that is meant. */
export interface Step {
  readonly relation: string;
  readonly target?: string;
}

/** Where a value is: relations, then a field (or relation, for `_exists`) and the members below it. */
export interface Path {
  readonly steps: readonly Step[];
  /** The field is one of the link of the last step. */
  readonly isPivot: boolean;
  readonly names: readonly string[];
}

export interface Condition extends Path {
  readonly operator: string;
  /** As the client writes them, before any quoting. */
  readonly operands: readonly string[];
}

/** An `_and`, `_or` or `_not`, with what is nested in it. */
export interface Group {
  readonly kind: 'and' | 'or' | 'not';
  readonly parts: readonly (Condition | Group)[];
}

export interface SortKey extends Path {
  readonly descending: boolean;
}

export interface Paging {
  /** The page, or the offset; a cursor is the first page of its mode. */
  readonly mode: 'page' | 'offset' | 'cursor';
  readonly start: number;
  /** Undefined where the request says nothing. */
  readonly limit: number | undefined;
}

export interface Expansion {
  readonly relation: string;
  /** Undefined where the request says nothing of pages. */
  readonly paging: Paging | undefined;
  /** What `<path>.sort` says; else the keys of `sort` count. */
  readonly sort: readonly SortKey[];
  readonly below: readonly Expansion[];
}

/** A name in `fields` or `exclude`, cut at its dots; the last may hold wildcards or be a group. */
export type Selector = readonly string[];

export interface Query {
  readonly resource: string;
  /** Of a single read. */
  readonly id: string | undefined;
  readonly conditions: readonly Condition[];
  readonly groups: readonly Group[];
  /** The words of `search`. */
  readonly search: readonly string[];
  /** Of plain `id=…`, which are a union where there are several. */
  readonly ids: readonly string[];
  readonly sort: readonly SortKey[];
  readonly nulls: 'first' | 'last' | undefined;
  readonly paging: Paging;
  readonly expand: readonly Expansion[];
  readonly maxDepth: number | undefined;
  readonly fields: readonly Selector[] | undefined;
  readonly exclude: readonly Selector[] | undefined;
  readonly isCounted: boolean;
}

/** A path with a suffix as a parameter names it. */
export function nameOf({ steps, isPivot, names }: Path, operator = ''): string {
  return (
    [
      ...steps.map(({ relation, target }) =>
        target === undefined ? relation : `${relation}:${target}`,
      ),
      ...(isPivot ? ['pivot'] : []),
      ...names,
    ].join('.') + operator
  );
}

import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import type { Answer, TestApi } from './api.ts';

type Source = () => TestApi;

/** What a query string gives: the ids of the rows in their order. */
export type RowCase = readonly [name: string, query: string, ids: readonly (number | string)[]];

/** What is wrong with a query string: the code, then each problem as `parameter: text`. */
export type RefusalCase = readonly [
  name: string,
  query: string,
  code: string,
  ...problems: string[],
];

/** A row of a query string with a parameter that is not one, or not here: what is wrong with it, as the table tells that. */
export function invalid(
  name: string,
  query: string,
  what: string,
  ...more: string[]
): readonly [string, string, 'INVALID_PARAMETER', string, ...string[]] {
  return [name, query, 'INVALID_PARAMETER', what, ...more];
}

function pathOf(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** One test a row: exactly these records in this order. */
export function expectRows(source: Source, path: string, rows: readonly RowCase[]): void {
  test.each(rows.map(([name, query, ids]) => ({ name, query, ids })))(
    '$name: $query',
    async ({ query, ids }) => {
      const { status, body, text } = await source().get(pathOf(path, query));
      expect(status, text).toBe(200);
      expect((body as { id: number | string }[]).map(({ id }) => id)).toEqual(ids);
    },
  );
}

/** Status, code and problems of an error's body, for comparing. */
export function refusalOf({ status, body }: Answer): {
  status: number;
  code: string;
  problems: readonly string[];
} {
  const { code, validationErrors = [] } = body as {
    code: string;
    validationErrors?: { field: string; error: string }[];
  };
  return {
    status,
    code,
    problems: validationErrors.map(({ field, error }) => `${field}: ${error}`),
  };
}

/** One test a row: 400 with this code and exactly these problems. */
export function expectRefusals(
  source: Source,
  path: string,
  rows: readonly RefusalCase[],
  method = 'GET',
): void {
  test.each(rows.map(([name, query, code, ...problems]) => ({ name, query, code, problems })))(
    '$name: $query',
    async ({ query, code, problems }) => {
      const answer = await source().send(method, pathOf(path, query));
      expect(refusalOf(answer)).toEqual({ status: 400, code, problems });
    },
  );
}

/** One test a row: exactly this body. */
export function expectBodies(
  source: Source,
  rows: readonly (readonly [name: string, path: string, body: unknown])[],
): void {
  test.each(rows.map(([name, path, expected]) => ({ name, path, expected })))(
    '$name: $path',
    async ({ path, expected }) => {
      const { status, body, text } = await source().get(path);
      expect(status, text).toBe(200);
      expect(body).toEqual(expected);
    },
  );
}

/** What is refused: the code, the parameter that is to blame, and words that its text has. */
export type BlameCase = readonly [
  name: string,
  query: string,
  code: ErrorCode,
  parameter: string,
  ...words: string[],
];

/** One test a row: 400 with this code, one problem, of this parameter, which names these words. */
export function expectBlame(source: Source, path: string, rows: readonly BlameCase[]): void {
  test.each(rows.map(([name, query, ...expected]) => ({ name, query, expected })))(
    '$name: $query',
    async ({ query, expected: [code, parameter, ...words] }) => {
      const { status, body, text } = await source().get(pathOf(path, query));
      expect({ status, code: body.code as unknown }, text).toEqual({ status: 400, code });
      const problems = body.validationErrors as { field: string; error: string }[];
      expect(problems.map(({ field }) => field)).toEqual([parameter]);
      for (const word of words) expect(problems[0]?.error).toContain(word);
    },
  );
}

/** Ids with the ids that lie below them. */
export type Tree = readonly (number | readonly [id: number, below: Tree])[];

type Item = { readonly id: number } & Readonly<Record<string, unknown>>;

/** The ids of records, each with those of its collection, and so on down the path; `null` below a missing record. */
function treeOf(records: readonly Item[], [name, ...rest]: readonly string[]): Tree {
  if (name === undefined) return records.map(({ id }) => id);
  return records.map((record) => {
    const below = record[name] as Item | readonly Item[] | null;
    return [record.id, treeOf(below === null ? [] : [below].flat(), rest)];
  });
}

/** One test a row: the query, the path of relations to follow, the ids on it. */
export function expectTrees(
  source: Source,
  path: string,
  rows: readonly (readonly [name: string, query: string, along: string, tree: Tree])[],
): void {
  test.each(rows.map(([name, query, along, tree]) => ({ name, query, along, tree })))(
    '$name: $query',
    async ({ query, along, tree }) => {
      const { status, body, text } = await source().get(pathOf(path, query));
      expect(status, text).toBe(200);
      const records = (Array.isArray(body) ? body : [body]) as Item[];
      expect(treeOf(records, along.split('.'))).toEqual(tree);
    },
  );
}

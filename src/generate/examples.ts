import { getOrInsert } from '../lib/get-or-insert.ts';
import type { Field, Resource } from '../model/api.ts';
import type { ExampleRows } from '../openapi/document/example.ts';
import type { JsonValue } from '../specification/specification.ts';
import { freeOf } from './distinct/free.ts';
import type { Generator } from './generator.ts';
import { rowOfId } from './ids.ts';
import { unlessProblem } from './problem.ts';
import type { RowValues } from './row-values.ts';

/** The rows of a generator, for the examples of a document. Keys lead to rows that are filled, also behind the last. */
export function exampleRows(generator: Generator): ExampleRows {
  const known = new Map<Resource, Map<number, RowValues>>();
  const countOf = (resource: Resource): number =>
    unlessProblem(() => generator.countOf(resource)) ?? 0;
  const made = (field: Field, number: number): JsonValue | undefined => {
    const { resource } = field;
    const rows = generator.rowsOf(resource);
    const position = rows.positionOf(field.name);
    const ofResource = getOrInsert(known, resource, () => new Map<number, RowValues>());
    const row = getOrInsert(ofResource, number, () => rows.row(number));
    return position === undefined ? undefined : row.at(position);
  };
  const isThere = ({ reference }: Field, value: JsonValue | undefined): boolean => {
    if (reference === undefined || reference.field !== reference.resource.id) return true;
    if (value === null || value === undefined) return true;
    const row = rowOfId(reference.resource, value, generator.settings.seed);
    return row === undefined || row <= countOf(reference.resource);
  };
  const valueOf: ExampleRows['valueOf'] = (field, number) =>
    unlessProblem(() => {
      const value = made(field, number);
      return isThere(field, value) ? value : made(field, 1);
    });
  return {
    countOf,
    valueOf,
    freeOf: (resource, values) =>
      unlessProblem(() => freeOf(resource, values, { generator, countOf, valueOf })),
  };
}

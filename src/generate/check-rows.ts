import { uniqueKeys } from '../query/write/upsert.ts';
import type { Field, Resource } from '../model/api.ts';
import type { Generator } from './generator.ts';
import { GenerationProblem, unlessProblem } from './problem.ts';
import type { ResourceRows } from './resource-rows.ts';

/** The number of rows that are checked. */
const checkedRows = 1_000;
/** Keys to larger resources are not checked. */
const mostTargets = 10_000;

/** Checks a row against those before it; `note` keeps the first problem of each field. */
type RowCheck = (
  row: ReturnType<ResourceRows['row']>,
  note: (field: Field, message: string) => void,
  isWrong: (field: Field) => boolean,
) => void;

/**
 * Problems of the first thousand rows that empty tables would refuse: values that a later row cannot have, unique values
 * that repeat, and keys with a source in the file that lead to no record. Only `resources` have generated records alone.
 * Throws a `GenerationProblem` if no record can be made.
 */
export function problemsTogether(
  generator: Generator,
  resource: Resource,
  resources: ReadonlySet<Resource>,
): readonly GenerationProblem[] {
  const rows = generator.rowsOf(resource);
  const count = Math.min(generator.countOf(resource), checkedRows);
  const found = new Map<Field, GenerationProblem>();
  const path = ['resources', resource.name, 'fields'];
  const note = (field: Field, message: string): void => {
    const attribute = rows.fieldGenerators.get(field)?.custom?.attribute;
    const place = [...path, field.name, ...(attribute === undefined ? [] : [attribute])];
    found.set(field, new GenerationProblem(place, message));
  };
  const checks = [...uniqueChecks(rows), ...keyChecks(generator, rows, resources)];
  for (let number = 1; number <= count; number += 1) {
    const row = rows.row(number);
    for (const [position, field] of rows.fields.entries())
      try {
        if (!found.has(field)) row.at(position);
      } catch (error) {
        if (!(error instanceof GenerationProblem)) throw error;
        found.set(field, error);
      }
    for (const check of checks) check(row, note, (field) => found.has(field));
  }
  return [...found.values()];
}

/** Whether the file names a source for the field. */
function isOwn({ fieldGenerators }: ResourceRows, field: Field): boolean {
  return fieldGenerators.get(field)?.custom !== undefined;
}

function uniqueChecks(rows: ResourceRows): readonly RowCheck[] {
  return uniqueKeys(rows.resource).map((fields): RowCheck => {
    const seen = new Map<string, number>();
    const isOne = fields.length === 1;
    const names = fields.map(({ name }) => name).join(', ');
    const rule = isOne ? 'it must be unique' : `${names} must be unique together`;
    const blamed = fields.find((field) => isOwn(rows, field)) ?? fields[0];
    return (row, note, isWrong) => {
      if (fields.some(isWrong)) return;
      const values = fields.map((field) => row.of(field));
      if (values.includes(null)) return;
      const text = JSON.stringify(values);
      const before = seen.get(text);
      seen.set(text, row.number);
      if (before === undefined || blamed === undefined) return;
      const told = values.map((value) => JSON.stringify(value)).join(', ');
      note(blamed, `rows ${before} and ${row.number} both get ${told}: ${rule}`);
    };
  });
}

/** Checks keys with a source in the file; generated ones always lead to a record. */
function keyChecks(
  generator: Generator,
  rows: ResourceRows,
  resources: ReadonlySet<Resource>,
): readonly RowCheck[] {
  return rows.fields.flatMap((field): RowCheck | readonly RowCheck[] => {
    const { reference } = field;
    if (reference === undefined || !isOwn(rows, field)) return [];
    const { resource: target, field: pointed } = reference;
    const keyTargets = resources.has(target)
      ? unlessProblem(() => generator.rowTargets(target))
      : undefined;
    if (keyTargets === undefined || keyTargets.size > mostTargets) return [];
    const places = Array.from({ length: keyTargets.size }, (_, place) => place);
    const known = new Set(places.map((place) => keyTargets.valueAt(place, pointed)));
    return (row, note, isWrong) => {
      if (isWrong(field)) return;
      const value = row.of(field);
      if (value !== null && !known.has(value))
        note(
          field,
          `row ${row.number} gets ${JSON.stringify(value)}: ${target.name} has no record with this ${pointed.name}`,
        );
    };
  });
}

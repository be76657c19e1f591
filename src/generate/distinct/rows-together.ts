import { uniqueKeys } from '../../records/write/conflicts.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { Generator } from '../generator.ts';
import { GenerationProblem, unlessProblem } from '../problem.ts';
import type { ResourceRows } from '../fill/rows.ts';

/** How many rows of a resource are looked at. */
const looked = 1_000;
/** Of so many records at most it is asked whether a key leads to one of them. */
const mostTargets = 10_000;

/** What a row tells of itself beside those before it; `note` keeps of each field what was first found. */
type Look = (
  row: ReturnType<ResourceRows['row']>,
  note: (field: Field, message: string) => void,
  isWrong: (field: Field) => boolean,
) => void;

/**
 * What keeps the first rows of some resources out of empty tables, though the first few of them can be made: values that a
 * later row cannot have, values that have to differ and do not, and keys by a source of the file that lead to no record. Of
 * other resources nobody knows which records there will be. Throws a `GenerationProblem` where no record can be made.
 */
export function problemsTogether(
  generator: Generator,
  resource: Resource,
  resources: ReadonlySet<Resource>,
): readonly GenerationProblem[] {
  const rows = generator.rowsOf(resource);
  const count = Math.min(generator.countOf(resource), looked);
  const found = new Map<Field, GenerationProblem>();
  const path = ['resources', resource.name, 'fields'];
  const note = (field: Field, message: string): void => {
    const attribute = rows.makers.get(field)?.custom?.attribute;
    const place = [...path, field.name, ...(attribute === undefined ? [] : [attribute])];
    found.set(field, new GenerationProblem(place, message));
  };
  const looks = [...distinctLooks(rows), ...keyLooks(generator, rows, resources)];
  for (let number = 1; number <= count; number += 1) {
    const row = rows.row(number);
    for (const [position, field] of rows.fields.entries())
      try {
        if (!found.has(field)) row.at(position);
      } catch (error) {
        if (!(error instanceof GenerationProblem)) throw error;
        found.set(field, error);
      }
    for (const look of looks) look(row, note, (field) => found.has(field));
  }
  return [...found.values()];
}

/** Whether its values come from a source of the file. */
function isOwn({ makers }: ResourceRows, field: Field): boolean {
  return makers.get(field)?.custom !== undefined;
}

function distinctLooks(rows: ResourceRows): readonly Look[] {
  return uniqueKeys(rows.resource).map((fields): Look => {
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

/** Keys that are made as the file says: others lead to a record as they are made. */
function keyLooks(
  generator: Generator,
  rows: ResourceRows,
  resources: ReadonlySet<Resource>,
): readonly Look[] {
  return rows.fields.flatMap((field): Look | readonly Look[] => {
    const { reference } = field;
    if (reference === undefined || !isOwn(rows, field)) return [];
    const { resource: target, field: pointed } = reference;
    const universe = resources.has(target)
      ? unlessProblem(() => generator.rowUniverse(target))
      : undefined;
    if (universe === undefined || universe.size > mostTargets) return [];
    const places = Array.from({ length: universe.size }, (_, place) => place);
    const known = new Set(places.map((place) => universe.valueAt(place, pointed)));
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

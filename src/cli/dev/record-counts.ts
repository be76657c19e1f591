import type { Api } from '../../model/api.ts';
import { columns, grouped } from '../output.ts';

/** How many records of a resource a command has to do with, by its name. */
export type RecordCounts = readonly (readonly [resource: string, count: number])[];

/** Counts in the order of the file; of resources without one nothing is told. */
export function inOrder({ resources }: Api, counts: ReadonlyMap<string, number>): RecordCounts {
  return [...resources.keys()].flatMap((name) => {
    const count = counts.get(name);
    return count === undefined ? [] : [[name, count] as const];
  });
}

/** A line for each resource. */
export function countLines(counts: RecordCounts): readonly string[] {
  return columns(counts.map(([name, count]) => [name, grouped(count)]));
}

/** `15,607 records` */
export function records(count: number): string {
  return count === 1 ? '1 record' : `${grouped(count)} records`;
}

/** `15,607 records were`, as a sentence begins. */
export function recordsWere(count: number): string {
  return `${records(count)} ${count === 1 ? 'was' : 'were'}`;
}

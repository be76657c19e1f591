import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { DataProblem, type DataFile } from './source.ts';

/** How many problems are listed before a run gives up. */
export const listedProblems = 100;
/** How many records are tried after one that they point to was refused. */
const triedRecords = 10_000;

/** Ends the transaction of a run with problems. */
export class ImportFailure extends Error {
  readonly problems: readonly DataProblem[];
  readonly hasDifferences: boolean;
  constructor(problems: readonly DataProblem[], hasDifferences: boolean) {
    super('The data has problems');
    this.problems = problems;
    this.hasDifferences = hasDifferences;
  }
}

/** What is wrong with the data of a run, as it is found. Throws an `ImportFailure` when there is too much of it. */
export class ImportProblems {
  private readonly problems: DataProblem[] = [];
  /** Whether some records are only refused because others have their ids. */
  hasDifferences = false;
  /** Ids of records that were refused: what points to them is no problem of its own. */
  private readonly refused = new Map<Resource, Set<JsonValue>>();
  private refusals = 0;

  note({ name }: DataFile, line: number, message: string): void {
    this.add(new DataProblem(name, line, message));
  }

  add(problem: DataProblem): void {
    this.problems.push(problem);
    if (this.problems.length >= listedProblems) this.failOnAny();
  }

  failOnAny(): void {
    if (this.problems.length > 0) throw new ImportFailure(this.problems, this.hasDifferences);
  }

  refuse(resource: Resource, id: JsonValue): void {
    this.refusals += 1;
    if (this.refusals > triedRecords) this.failOnAny();
    if (id !== null) getOrInsert(this.refused, resource, () => new Set()).add(id);
  }

  isRefused(resource: Resource, id: JsonValue): boolean {
    return this.refused.get(resource)?.has(id) === true;
  }
}

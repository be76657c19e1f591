import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { DataProblem, type DataFile } from './source.ts';

/** The number of listed problems after which a run stops. */
export const listedProblems = 100;
/** How many records are still tried after a record that they reference was rejected. */
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

/** Collects the problems of an import. Throws an `ImportFailure` if there are too many. */
export class ImportProblems {
  private readonly problems: DataProblem[] = [];
  /** Whether some records are rejected only because their ids exist. */
  hasDifferences = false;
  /** Ids of rejected records; references to them are not reported separately. */
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

import type { Api } from '../model/api.ts';

/** Where the messages for a user go. */
export interface Output {
  /** Writes a line. If that fails, as on a full disk, the command ends. */
  readonly print: (line: string) => void;
  /** Writes a file's content as it is, except to a terminal. */
  readonly document: (text: string) => void;
  /** From now on a line that cannot be written does not end the command: a server goes on. */
  readonly serving: () => void;
  readonly note: (line: string) => void;
  /** Runs `work` with a progress bar on a terminal, silently elsewhere. */
  readonly progress: <Value>(
    title: string,
    work: (report: (done: number, total: number) => void) => Promise<Value>,
  ) => Promise<Value>;
  /** Asks the user, and false without a terminal. False as well if `signal` aborts. */
  readonly confirm: (question: string, signal?: AbortSignal) => Promise<boolean>;
  readonly isInteractive: boolean;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/** Lines of two columns, the first padded, indented by two. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const right = Math.max(0, ...rows.map(([, text]) => text.length));
  return rows.map(([left, text]) => `  ${left.padEnd(width)}  ${text.padStart(right)}`);
}

/** `15,607`. `toLocaleString` would take longer at the start than the rest of the banner. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** The number of records of each resource, by its name. */
export type RecordCounts = readonly (readonly [resource: string, count: number])[];

/** Sorts counts in the order of the specification. Resources without a count are left out. */
export function inFileOrder({ resources }: Api, counts: ReadonlyMap<string, number>): RecordCounts {
  return [...resources.keys()].flatMap((name) => {
    const count = counts.get(name);
    return count === undefined ? [] : [[name, count] as const];
  });
}

/** One line for each resource. */
export function countLines(counts: RecordCounts): readonly string[] {
  return columns(counts.map(([name, count]) => [name, grouped(count)]));
}

/** `15,607 records` */
export function records(count: number): string {
  return count === 1 ? '1 record' : `${grouped(count)} records`;
}

/** `15,607 records were`, to begin a sentence. */
export function recordsWere(count: number): string {
  return `${records(count)} ${count === 1 ? 'was' : 'were'}`;
}

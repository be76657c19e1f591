import type { LeftOut } from './left-out.ts';
import type { Position, Problem, Report } from '../problems.ts';
import { formatPath, type Path } from '../yaml/node.ts';

/** Collects the problems of one file. */
export interface Collector {
  /** Reports at the position of the value. */
  readonly report: Report;
  /** Reports at the position of the key. */
  readonly reportKey: Report;
  readonly reportAt: (
    position: Position,
    path: Path,
    message: string,
    severity?: Problem['severity'],
  ) => void;
  /** Adds names (made by `lost`) that are missing because their definition is invalid. */
  readonly leaveOut: (what: Iterable<string>) => void;
  readonly leftOut: () => LeftOut;
  readonly placeOf: PlaceOf;
  /** What may follow a field's name in a filter, for advice about names that end so. */
  readonly operatorSuffixes: readonly string[];
  /** Counts a value that was skipped because its error was reported when it was read. */
  readonly passOver: () => void;
  /** The number of invalid values so far. */
  readonly refusals: () => number;
  /** All problems so far, in the order of the file. */
  readonly problems: () => readonly Problem[];
}

/** Finds where a misplaced key belongs; undefined if there is no such position, or several. */
export type PlaceOf = (path: Path) => string | undefined;

export type PositionOf = (path: Path, part?: 'key' | 'value') => Position;

/** An empty collector for `file`; `positionOf` returns the position of a path, `placeOf` where a misplaced key belongs. */
export function collectProblems(
  file: string,
  positionOf: PositionOf,
  placeOf: PlaceOf = () => undefined,
  operatorSuffixes: readonly string[] = [],
): Collector {
  const found: Problem[] = [];
  const leftOut = new Set<string>();
  let refusals = 0;
  const reportAt: Collector['reportAt'] = (position, path, message, severity = 'error') => {
    if (severity === 'error') refusals += 1;
    const { line, column } = position;
    found.push({ severity, file, path: formatPath(path), line, column, message });
  };
  return {
    reportAt,
    report: (path, message, severity) => reportAt(positionOf(path), path, message, severity),
    reportKey: (path, message, severity) =>
      reportAt(positionOf(path, 'key'), path, message, severity),
    leaveOut: (more) => {
      for (const what of more) leftOut.add(what);
    },
    leftOut: () => leftOut,
    placeOf,
    operatorSuffixes,
    passOver: () => {
      refusals += 1;
    },
    refusals: () => refusals,
    problems: () => inOrder(found),
  };
}

/** The problems without duplicates, sorted by line and column. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ path, line, column, message }) => {
      const key = JSON.stringify([path, line, column, message]);
      return seen.has(key) ? false : seen.add(key);
    })
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

import type { LeftOut } from './left-out.ts';
import type { Position, Problem, Report } from '../problems.ts';
import { formatPath, type Path } from '../yaml/node.ts';

/** Gathers the problems of one file. */
export interface Collector {
  /** Reports at the value that the path leads to. */
  readonly report: Report;
  /** Reports at the key that the path ends in. */
  readonly reportKey: Report;
  readonly reportAt: (
    position: Position,
    path: Path,
    message: string,
    severity?: Problem['severity'],
  ) => void;
  /** Notes what is missing, as `lost` names it, since what stands for it was not understood. */
  readonly leaveOut: (what: Iterable<string>) => void;
  readonly leftOut: () => LeftOut;
  readonly placeOf: PlaceOf;
  /** What may follow a field's name in a filter, for advice about names that end so. */
  readonly operatorSuffixes: readonly string[];
  /** Notes that a value was passed over, whose error was reported when it was read. */
  readonly passOver: () => void;
  /** How many values were refused so far: passed over, or with an error of their own. */
  readonly refusals: () => number;
  /** All problems so far, in the order of the file. */
  readonly problems: () => readonly Problem[];
}

/** Says where a key belongs that stands where it means nothing; undefined where that is no place, or several. */
export type PlaceOf = (path: Path) => string | undefined;

export type PositionOf = (path: Path, part?: 'key' | 'value') => Position;

/** An empty collector for `file`; `positionOf` tells where a path stands, `placeOf` where a key belongs. */
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

/** The problems sorted by line and column; the same problem is kept once. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ path, line, column, message }) => {
      const key = JSON.stringify([path, line, column, message]);
      return seen.has(key) ? false : seen.add(key);
    })
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

import type { LeftOut } from './left-out.ts';
import type { Details, Edit, Position, Problem, Replacement, ReportAll } from '../problems.ts';
import { formatPath, type Path, type Place } from '../yaml/node.ts';

/** Collects the problems of one file. */
export interface Collector {
  /** Reports at the position of the value. */
  readonly report: ReportAll;
  /** Reports at the position of the key. */
  readonly reportKey: ReportAll;
  readonly reportAt: (
    place: Position & Partial<Pick<Place, 'written'>>,
    path: Path,
    message: string,
    severity: Problem['severity'],
    details: Details,
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

export type PositionOf = (path: Path, part?: 'key' | 'value') => Place;

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
  const reportAt: Collector['reportAt'] = (place, path, message, severity, details) => {
    if (severity === 'error') refusals += 1;
    const { line, column } = place;
    const edit = editOf(place, details.instead);
    found.push({
      severity,
      rule: details.rule,
      file,
      path: formatPath(path),
      line,
      column,
      message,
      ...(edit === undefined ? {} : { edit }),
    });
  };
  return {
    reportAt,
    report: (path, ...problem) => reportAt(positionOf(path), path, ...problem),
    reportKey: (path, ...problem) => reportAt(positionOf(path, 'key'), path, ...problem),
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

/** The edit that writes a replacement; undefined if the text at the place is not one line with that part in it once. */
function editOf(
  { line, column, written = '' }: Parameters<Collector['reportAt']>[0],
  instead: Replacement | undefined,
): Edit | undefined {
  if (instead === undefined || written === '' || written.includes('\n')) return undefined;
  const { of: part = written, by } = instead;
  const [before, after, more] = written.split(part);
  if (before === undefined || after === undefined || more !== undefined) return undefined;
  return { line, column, old: written, new: `${before}${by}${after}` };
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

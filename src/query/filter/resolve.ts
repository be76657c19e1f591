import { fail, ok, type Result } from '../../errors.ts';
import {
  isFlag,
  operators,
  operatorsOf,
  splitSuffix,
  takes,
  type Operator,
} from '../../model/operators.ts';
import type { ResourceView } from '../../model/view.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { adviceOn, unknownOperator } from './advice.ts';
import { collectionParameters } from '../request/parameters.ts';
import { isDeclared, resolvePath, type Path, type PathProblem } from './path.ts';

/** A resolved filter name. */
export interface Resolved {
  readonly path: Path;
  readonly operator: Operator;
}

/** Why a filter name does not resolve: an unknown name, or an operator that does not fit the type. */
export interface NameProblem {
  readonly kind: 'unknown' | 'operator';
  readonly message: string;
}

/**
 * Resolves the name of a filter in a caller's view: an exact path first, then a path with the longest operator suffix. A
 * suffix wins over an undeclared member of that name. `others` are further names to suggest for an unknown one;
 * `isGuessed` turns suggestions on. See docs/contract/2-reading.md#query-string, rule 1.
 */
export function resolveName(
  name: string,
  resourceView: ResourceView,
  others: readonly string[] = [],
  isGuessed = true,
): Result<Resolved, NameProblem> {
  const exact = resolvePath(name, resourceView);
  if (exact.ok && isDeclared(exact.value)) return fitting(name, exact.value, 'eq');
  for (const { base, operator } of splitSuffix(name)) {
    const path = resolvePath(base, resourceView);
    if (path.ok) return fitting(base, path.value, operator);
    // The path is right, but nothing can be asked of it.
    if (path.error.isNotAsked === true && path.error.message !== undefined)
      return fail({ kind: 'operator', message: path.error.message });
  }
  if (exact.ok) return fitting(name, exact.value, 'eq');
  const advice = isGuessed ? adviceOn(name, resourceView, others) : undefined;
  if (advice !== undefined) return fail({ kind: 'unknown', message: advice });
  const follow = (path: string): PathProblem | undefined => {
    const resolved = resolvePath(path, resourceView);
    return resolved.ok ? undefined : resolved.error;
  };
  const message = unknownPath(name, exact.error, isGuessed ? follow : undefined, others);
  const operator = isGuessed ? unknownOperator(name, resourceView) : undefined;
  // If the field exists, the suffix is wrong, and the operator's message is more exact.
  const isOther =
    message.includes('did you mean') && !message.endsWith(`did you mean ${operator?.base}?`);
  return fail({ kind: 'unknown', message: isOther ? message : (operator?.message ?? message) });
}

/** The path, reduced to the branches whose end accepts the operator. */
function fitting(name: string, path: Path, operator: Operator): Result<Resolved, NameProblem> {
  const fit = cutToFit(path, operator);
  if (fit !== undefined) return ok({ path: fit, operator });
  const { suffix } = operators[operator];
  return fail({
    kind: 'operator',
    message: `${name} ${typeAndOperators(path, name)}, not ${suffix}`,
  });
}

function cutToFit(path: Path, operator: Operator): Path | undefined {
  if (path.kind === 'field') return takes(path.ref.leaf.type, operator) ? path : undefined;
  if (path.kind === 'items') {
    const fit = cutToFit(path.next, operator);
    return fit && { ...path, next: fit };
  }
  const branches = path.branches.flatMap((branch) => {
    if (branch.next === undefined) return isFlag(operator) ? [branch] : [];
    const next = cutToFit(branch.next, operator);
    return next === undefined ? [] : [{ ...branch, next }];
  });
  return branches.length === 0 ? undefined : { ...path, branches };
}

/** The type at the end of a path and the operators that it accepts, for messages. */
function typeAndOperators(path: Path, name: string): string {
  if (path.kind === 'field') {
    const { type } = path.ref.leaf;
    const fit = operatorsOf(type.comparison).map((operator) => operators[operator].suffix);
    return `is of type ${type.name}, which takes ${fit.join(', ')}`;
  }
  if (path.kind === 'items') return typeAndOperators(path.next, name);
  const next = path.branches[0]?.next;
  return next === undefined
    ? `is a relation, which takes _exists, _null or a path to a field of it, such as ${name}.id`
    : typeAndOperators(next, name);
}

/** Checks a path: its problem, or undefined if it resolves. */
export type Follow = (path: string) => PathProblem | undefined;

/**
 * The message for an unknown path, with the nearest path that resolves: `prise_gt` → `price_gt`. Without `follow` none is
 * searched. `others` are further candidates for the name of a filter; without them the path is not a filter and takes no
 * suffix.
 */
export function unknownPath(
  path: string,
  problem: PathProblem,
  follow: Follow | undefined,
  others?: readonly string[],
): string {
  if (problem.message !== undefined) return problem.message;
  const meant = follow && nearestPath(path, problem, follow, others);
  const isParameter = !path.includes('.') && others !== undefined && others.length > 0;
  const looked = isParameter ? 'field or parameter' : 'field';
  return `there is no ${looked} ${path}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/**
 * The path with the wrong part replaced by the nearest name, and likewise the wrong parts after it. A part without a near
 * name stays as written.
 */
function nearestPath(
  path: string,
  { part, candidates }: PathProblem,
  follow: Follow,
  others?: readonly string[],
): string | undefined {
  const parts = path.split('.');
  const wrong = parts[part] ?? '';
  const isLast = part === parts.length - 1;
  const [suffixed] = isLast && others !== undefined ? splitSuffix(wrong) : [];
  const suffix = suffixed && operators[suffixed.operator].suffix;
  const names =
    suffix === undefined
      ? candidates
      : candidates.flatMap((candidate) => [`${candidate}${suffix}`, candidate]);
  const isWhole = parts.length === 1;
  const guess = nearest(wrong, isWhole ? [...names, ...(others ?? [])] : names);
  if (guess === undefined) return undefined;
  const meant = [...parts.slice(0, part), guess, ...parts.slice(part + 1)].join('.');
  const next = follow(meant);
  const isNamed = next === undefined || next.message !== undefined || guess === wrong;
  if (isNamed || isCollectionParameter(parts, others)) return meant;
  return nearestPath(meant, next, follow, others) ?? meant;
}

/** Whether the last part is a collection parameter, as in `commments.limit`, where only the relation is wrong. */
function isCollectionParameter(
  parts: readonly string[],
  others: readonly string[] | undefined,
): boolean {
  return (
    others !== undefined &&
    others.length > 0 &&
    collectionParameters.some((one) => one === parts.at(-1))
  );
}

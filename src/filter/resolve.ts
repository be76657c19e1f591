import { fail, ok, type Result } from '../errors.ts';
import type { Field } from '../model/api.ts';
import { unknownName } from '../model/names.ts';
import { operators, splitSuffix, type Operator } from '../model/operators.ts';
import type { ResourceView } from '../model/view.ts';

/** What the name of a filter means. */
export interface Resolved {
  readonly field: Field;
  readonly operator: Operator;
}

/** Why a name means nothing: unknown (nothing of that name), or an operator that does not fit the type. */
export interface NameProblem {
  readonly kind: 'unknown' | 'operator';
  readonly message: string;
}

/**
 * Reads the name of a filter against what the caller sees: an exact field first, then a field and the longest
 * operator suffix. `others` are further names that an unknown one may have been meant to be.
 * Contract 2, Parsing the query string.
 */
export function resolveName(
  name: string,
  view: ResourceView,
  others: readonly string[] = [],
): Result<Resolved, NameProblem> {
  const exact = view.fields.get(name)?.field;
  if (exact !== undefined) return fitting(name, exact, 'eq');
  for (const { base, operator } of splitSuffix(name)) {
    const field = view.fields.get(base)?.field;
    if (field !== undefined) return fitting(base, field, operator);
  }
  return fail({ kind: 'unknown', message: unknownParameter(name, view, others) });
}

function fitting(name: string, field: Field, operator: Operator): Result<Resolved, NameProblem> {
  const { type } = field;
  if (type.operators.has(operator)) return ok({ field, operator });
  const fit = [...type.operators].map((other) => operators[other].suffix).join(', ');
  return fail({
    kind: 'operator',
    message: `${name} is of type ${type.name}, which takes ${fit}, not ${operators[operator].suffix}`,
  });
}

/** The nearest readable name, with the suffix that was written kept: `prise_gt` → `price_gt`. */
function unknownParameter(name: string, view: ResourceView, others: readonly string[]): string {
  const suffixes = splitSuffix(name);
  for (const path of [name, ...suffixes.map(({ base }) => base)]) {
    const [head = '', ...rest] = path.split('.');
    if (view.relations.has(head) || (rest.length > 0 && view.fields.has(head)))
      return `filters by relations and paths, such as ${name}, are not served yet`;
  }
  const names = [...view.fields.keys()];
  const [suffixed] = suffixes;
  const suffix = suffixed && operators[suffixed.operator].suffix;
  const candidates =
    suffix === undefined ? names : names.flatMap((field) => [`${field}${suffix}`, field]);
  return unknownName(others.length === 0 ? 'field' : 'field or parameter', name, [
    ...candidates,
    ...others,
  ]);
}

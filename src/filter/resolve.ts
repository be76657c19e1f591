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
 * operator suffix. Contract 2, Parsing the query string.
 */
export function resolveName(name: string, view: ResourceView): Result<Resolved, NameProblem> {
  const exact = view.fields.get(name)?.field;
  if (exact !== undefined) return fitting(name, exact, 'eq');
  for (const { base, operator } of splitSuffix(name)) {
    const field = view.fields.get(base)?.field;
    if (field !== undefined) return fitting(base, field, operator);
  }
  return fail({ kind: 'unknown', message: unknownParameter(name, view) });
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
function unknownParameter(name: string, view: ResourceView): string {
  const [suffixed] = splitSuffix(name);
  const names = [...view.fields.keys()];
  if (suffixed === undefined) return unknownName('field', name, names);
  const { suffix } = operators[suffixed.operator];
  return unknownName(
    'field',
    name,
    names.flatMap((field) => [`${field}${suffix}`, field]),
  );
}

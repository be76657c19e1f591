import { breaks } from '../../../problem-rules.ts';
import { inBody } from '../../../lib/body-bounds.ts';
import type { ValueIssue } from '../../../model/values.ts';
import { readValue } from '../../../model/validation/read-value.ts';
import { readMerged } from '../../../query/write/merge-patch.ts';
import type { FieldValues, UpdatePlan } from '../../../query/plan.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../../query/write/morphs.ts';
import { revise } from '../../../query/write/revisions.ts';
import { immutableProblem } from '../../../query/write/write.ts';
import type { Field } from '../../../model/api.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { valueIn } from '../field-values.ts';
import { keptIn, namedProblems, type Names } from './conflicts.ts';
import { requireLength } from './length.ts';

type Change = Pick<UpdatePlan, 'resource' | 'values' | 'unchanged' | 'revised'>;

/** The immutable fields that do not keep their value, and the morph pairs that end up half null. */
export function misfits(
  { resource, values, unchanged }: Change,
  current: FieldValues,
  names: Names,
): readonly ValueIssue[] {
  const isStill = keptIn(current, undefined);
  const conflicts = [
    ...[...unchanged]
      .filter(([field, value]) => !isStill(field, value))
      .map(([field]) => ({ field, ...immutableProblem })),
    ...emptyHalves(touchedMorphs(resource, values), valueIn(values, current)).map((half) =>
      halfIssue(half, names.field),
    ),
  ];
  return namedProblems(names, conflicts, '').map(({ field, ...problem }) => ({
    kind: 'type',
    path: field,
    ...problem,
  }));
}

/**
 * The values that a change makes from the current ones. Problems of the results are added to `issues`. A result over
 * `bodyLimit` bytes throws an ApiFailure.
 */
export function revisedValues(
  { revised }: Change,
  current: FieldValues,
  names: Names,
  bodyLimit: number,
  issues: ValueIssue[],
): FieldValues {
  const values = new Map<Field, JsonValue>();
  for (const [field, revision] of revised) {
    const name = names.field(field) ?? field.name;
    const whole = revise(revision, current.get(field) ?? null, field);
    if (whole === undefined) {
      const message = 'is null and cannot be incremented';
      issues.push({ kind: 'value', path: name, message, ...breaks('notNull') });
      continue;
    }
    const parsed = inBody(() =>
      revision.kind === 'merge' ? readMerged(whole, field) : readValue(whole, field),
    );
    if (!parsed.ok)
      for (const issue of parsed.issues) issues.push({ ...issue, path: `${name}${issue.path}` });
    else if (!field.immutable) {
      requireLength(name, parsed.value, current.get(field), bodyLimit);
      values.set(field, parsed.value);
    } else if (JSON.stringify(parsed.value) !== JSON.stringify(current.get(field)))
      issues.push({ kind: 'type', path: name, ...immutableProblem });
  }
  return values;
}

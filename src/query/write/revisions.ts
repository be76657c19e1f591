import { breaks, onlyOf, type BrokenRule } from '../../problem-rules.ts';
import type { Field } from '../../model/api.ts';
import { exactNumber, formatScaled, parseJsonNumber, rescale } from '../../model/exact-number.ts';
import { isJsonObject, type ValueIssue } from '../../model/values.ts';
import type { InputView, ResourceView } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { hasMembers } from '../filter/path.ts';
import type { Revision } from '../plan.ts';
import { mergePatch, partIssues } from './merge-patch.ts';
import { touchedMorphs } from './morphs.ts';

/** A member of a PATCH whose new value is made from the stored one. */
export interface RevisedMember {
  readonly field: Field;
  /** Undefined if the member has a problem. */
  readonly revision: Revision | undefined;
}

/** The members of a PATCH that need the stored value; adds their problems to `issues`. `merges`: it is a merge patch. */
export function readRevisions(
  body: object,
  merges: boolean,
  { inputs, fields }: ResourceView,
  issues: ValueIssue[],
): ReadonlyMap<string, RevisedMember> {
  const members = new Map<string, RevisedMember>();
  for (const [name, value] of Object.entries(body)) {
    const input = inputs.get(name);
    if (input === undefined || !input.updatable || !isJsonObject(value)) continue;
    const { field } = input;
    if (merges && hasMembers(field)) {
      members.set(name, { field, revision: { kind: 'merge', part: value } });
      if (fields.has(name))
        for (const issue of partIssues(value, field))
          issues.push({ ...issue, path: `${name}${issue.path}` });
      else if (!field.immutable)
        issues.push({
          kind: 'type',
          path: name,
          message: hiddenMergeMessage,
          ...breaks('forbidden'),
        });
    } else if (isIncrement(value, input))
      members.set(name, readIncrement(value, input, fields.has(name), issues));
  }
  return members;
}

const hiddenMergeMessage =
  'cannot be merged by callers who may not read it; send the whole value as application/json';

/** Whether a PATCH may say `{ "increment": 1 }` for a field: for numbers that are not keys. */
export function isIncrementable({ field, updatable }: InputView): boolean {
  const { type, immutable, reference, resource } = field;
  return (
    type.number !== undefined &&
    updatable &&
    !immutable &&
    field !== resource.id &&
    reference === undefined &&
    touchedMorphs(resource, new Set([field])).length === 0
  );
}

function isIncrement(value: object, input: InputView): boolean {
  return isIncrementable(input) && Object.hasOwn(value, 'increment');
}

/** Reads `{ "increment": 1 }`. See docs/contract/3-writing.md#arithmetic. */
function readIncrement(
  value: Readonly<Record<string, unknown>>,
  { name, field }: InputView,
  isRead: boolean,
  issues: ValueIssue[],
): RevisedMember {
  const before = issues.length;
  const note = (path: string, message: string, broken: BrokenRule): void => {
    issues.push({ kind: 'type', path, message, ...broken });
  };
  for (const key of Object.keys(value))
    if (key !== 'increment')
      note(`${name}.${key}`, 'only increment can stand here', onlyOf(['increment']));
  if (!isRead)
    note(name, 'cannot be incremented by callers who may not read it', breaks('forbidden'));
  const path = `${name}.increment`;
  const { increment } = value;
  if (increment === null) note(path, 'must not be null', breaks('notNull'));
  else {
    const parsed = field.type.read(increment, field);
    if (!parsed.ok)
      for (const issue of parsed.issues) issues.push({ ...issue, path: `${path}${issue.path}` });
    else if (issues.length === before)
      return { field, revision: { kind: 'increment', by: parsed.value } };
  }
  return { field, revision: undefined };
}

/**
 * The value that a revision makes of the current one, not validated yet; undefined for a null that should be incremented.
 */
export function revise(revision: Revision, current: JsonValue, field: Field): unknown {
  if (revision.kind === 'merge') return mergePatch(current, revision.part);
  if (current === null) return undefined;
  const { by } = revision;
  if (field.type.number === 'double') return Number(current) + Number(by);
  const [a, b] = [parseJsonNumber(String(current)), parseJsonNumber(String(by))];
  // A stored value that is no number in decimal notation stays out of reach.
  if (a === undefined || b === undefined) return undefined;
  const scale = Math.max(a.scale, b.scale);
  const sum = formatScaled((rescale(a, scale) ?? 0n) + (rescale(b, scale) ?? 0n), scale);
  return field.type.number === 'whole' ? exactNumber(sum) : sum;
}

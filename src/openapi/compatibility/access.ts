import { operations, type Operation, type Rule } from '../../model/access.ts';
import type { Api, Field } from '../../model/api.ts';
import type { ResourceView } from '../../model/view.ts';
import type { Note } from './change.ts';

/** Which credentials are taken no longer. Where none are, operations are open to everyone or closed, which is told of each. */
export function compareCredentials(old: Api, now: Api, note: Note): void {
  const [before, after] = [old.settings.auth, now.settings.auth];
  if (before === undefined || after === undefined) return;
  if (before.jwt !== undefined && after.jwt === undefined)
    note(true, 'auth.jwt', 'tokens are no longer taken');
  if ((before.apiKeys ?? []).length > 0 && (after.apiKeys ?? []).length === 0)
    note(true, 'auth.apiKeys', 'API keys are no longer taken');
}

/** Whom the operations on a resource are no longer open to, and whom they are open to now. */
export function compareAccess(old: ResourceView, now: ResourceView, note: Note): void {
  for (const operation of operations) {
    const [before, after] = [openTo(old, operation), openTo(now, operation)];
    for (const rule of before)
      if (!after.some((other) => covers(other, rule)))
        note(true, operation, `is no longer open to ${described(rule)}`);
    for (const rule of after)
      if (!before.some((other) => covers(other, rule)))
        note(false, operation, `is open to ${described(rule)}`);
  }
}

/** The rules under which somebody may do it: without `auth` nobody has a role. */
function openTo({ resource, view }: ResourceView, operation: Operation): readonly Rule[] {
  const isOpen = view.api.settings.auth === undefined;
  return resource.access[operation].filter(({ role }) =>
    isOpen ? role === 'public' : role !== 'none',
  );
}

const verbs = {
  read: 'read',
  create: 'sent to create a record',
  update: 'sent to update a record',
};

/**
 * Of a field or relation that is there as before, whom its own rules shut out now. What its resource shuts out is told there, so
 * only those who may still do the operation are looked at.
 */
export function compareFieldAccess(
  [old, before]: readonly [ResourceView, Pick<Field, 'access'>],
  [now, after]: readonly [ResourceView, Pick<Field, 'access'>],
  operation: keyof typeof verbs,
  path: string,
  note: Note,
): void {
  const left = after.access?.[operation];
  if (left === undefined) return;
  const still = openTo(now, operation);
  const had = before.access?.[operation] ?? openTo(old, operation);
  for (const rule of had)
    for (const other of still) {
      const narrower = coversRole(rule, other) ? other : rule;
      const isBoth = coversRole(narrower === rule ? other : rule, narrower);
      if (isBoth && rule.role !== 'none' && !left.some((one) => coversRole(one, narrower)))
        note(true, path, `can no longer be ${verbs[operation]} by ${narrower.role}`);
    }
}

/** Whether everyone and every row of the second rule is one of the first too. */
function covers(rule: Rule, other: Rule): boolean {
  return coversRole(rule, other) && (rule.where === undefined || rule.where === other.where);
}

function coversRole(rule: Rule, other: Rule): boolean {
  const isForAll =
    rule.role === 'public' || (rule.role === 'authenticated' && other.role !== 'public');
  return isForAll || rule.role === other.role;
}

function described({ role, where }: Rule): string {
  return where === undefined ? role : `${role} where ${where}`;
}

import type { FieldInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { absent, draftOf, memberOf, readDraft, type ApiRecord, type Draft } from './draft.ts';

/** A field that two have changed differently: what it was, and what each has made of it. */
export interface Difference {
  readonly field: FieldInfo;
  readonly was: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** What was written here and what is stored by now, put together. */
export interface Merge {
  /** The drafts with every change of others that is in no conflict with one of here. */
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly differences: readonly Difference[];
}

/** Puts together what was written on `base`, and what others have made of it meanwhile. */
export function mergeWith(
  fields: readonly FieldInfo[],
  drafts: ReadonlyMap<string, Draft>,
  base: ApiRecord,
  theirs: ApiRecord,
): Merge {
  const merged = new Map(drafts);
  const differences: Difference[] = [];
  for (const field of fields) {
    const { name } = field;
    const valueOf = (record: ApiRecord): unknown =>
      readDraft(field, draftOf(field, memberOf(record, name)), name, new Map());
    const draft = drafts.get(name) ?? absent;
    const [was, stored] = [valueOf(base), valueOf(theirs)];
    const mine = draft.kind === 'absent' ? was : readDraft(field, draft, name, new Map());
    if (isSame(mine, was)) merged.set(name, draftOf(field, memberOf(theirs, name)));
    else if (!isSame(stored, was) && !isSame(stored, mine))
      differences.push({ field, was, theirs: stored, mine });
  }
  return { drafts: merged, differences };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

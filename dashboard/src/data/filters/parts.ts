import { isGroup } from '../../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import type { Condition, FilterGroup, ListQuery } from '../query.ts';

/** A filter of the list: a condition, or a group of them. */
export type Part = Condition | FilterGroup;

export interface PartProps {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly query: ListQuery;
  readonly part: Part;
  readonly called: string;
  /** Undefined: it is to go. */
  readonly written: (next: Part | undefined) => void;
}

/** The condition that a part is, also as the only one of a group of all. */
export function singleOf(part: Part): Condition | undefined {
  if (!isGroup(part)) return part;
  const [only] = part.parts;
  return part.kind === 'and' && part.parts.length === 1 && only !== undefined && !isGroup(only)
    ? only
    : undefined;
}

import type { RelationInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { absent, emptyText, readDraft, type Draft } from './draft.ts';

/** A link that is to be made, or whose pivot is to be changed. */
export interface AddedLink {
  readonly key: number;
  readonly id: Draft;
  readonly pivot: ReadonlyMap<string, Draft>;
}

/** What is to become of the links of one relation. */
export interface LinksDraft {
  readonly added: readonly AddedLink[];
  /** Ids, as they came. */
  readonly removed: readonly unknown[];
}

export const noLinks: LinksDraft = { added: [], removed: [] };

let lastKey = 0;
/** A link to fill in, with what is known of it. */
export function addedLink(id?: Draft, pivot?: ReadonlyMap<string, Draft>): AddedLink {
  lastKey += 1;
  return { key: lastKey, id: id ?? emptyText, pivot: pivot ?? new Map() };
}

/** Where the server reports what is wrong with an added link. */
export function linkPath(name: string, index: number, isNew: boolean): string {
  return isNew ? `${name}[${index}]` : `${name}.add[${index}]`;
}

/**
 * The member of a body that makes these changes; undefined when there are none. See docs/contract/3-writing.md#links.
 */
export function readLinks(
  { name, link }: RelationInfo,
  { added, removed }: LinksDraft,
  isNew: boolean,
  problems: Map<string, string>,
): unknown {
  if (link === undefined || (added.length === 0 && removed.length === 0)) return undefined;
  const add = added.map(({ id, pivot }, index) => {
    const path = linkPath(name, index, isNew);
    const members = link.pivot.flatMap((info) => {
      const draft = pivot.get(info.name) ?? absent;
      const value = readDraft(info, draft, `${path}.pivot.${info.name}`, problems);
      return value === undefined ? [] : [[info.name, value] as const];
    });
    const value = readDraft(link.id, id, path, problems) ?? null;
    return members.length === 0 ? value : { id: value, pivot: Object.fromEntries(members) };
  });
  return isNew ? add : { add, remove: removed };
}

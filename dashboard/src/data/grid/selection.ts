import type { ApiRecord } from '../record/draft.ts';

/** The rows that are selected: some by their ids, or all that the list finds. */
export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all' };

export const noSelection: Selection = { kind: 'some', ids: new Set() };

export function isSelected(selection: Selection, record: ApiRecord): boolean {
  return selection.kind === 'all' || selection.ids.has(String(record['id']));
}

export function countOf(selection: Selection, total: number): number {
  return selection.kind === 'all' ? total : selection.ids.size;
}

/** The selection with these rows in it, or without them. */
export function withRows(
  selection: Selection,
  records: readonly ApiRecord[],
  isIn: boolean,
): Selection {
  if (selection.kind === 'all') return isIn ? selection : noSelection;
  const ids = new Set(selection.ids);
  for (const record of records)
    if (isIn) ids.add(String(record['id']));
    else ids.delete(String(record['id']));
  return { kind: 'some', ids };
}

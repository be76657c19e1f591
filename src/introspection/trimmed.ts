import { isNeeded } from './attributes.ts';
import type { FieldDraft } from './draft.ts';

/** Whether the fields include the two that `timestamps` adds. */
export function hasTimestamps(fields: readonly FieldDraft[]): boolean {
  return ['createdAt', 'updatedAt'].every((name) =>
    fields.some(
      ({ name: own, attributes }) =>
        own === name && attributes.type === 'datetime' && isNeeded(attributes),
    ),
  );
}

/** Omits what a file need not say: a default id that comes first, and timestamps that come last. */
export function trimmed(fields: readonly FieldDraft[], timestamps: boolean): FieldDraft[] {
  const [first] = fields;
  const isPlainId =
    first?.name === 'id' && Object.keys(first.attributes).length === 1 && first.notes.length === 0;
  const rest = isPlainId ? fields.slice(1) : [...fields];
  if (!timestamps) return rest;
  const [created, updated] = rest.slice(-2);
  const areLast =
    created?.name === 'createdAt' &&
    updated?.name === 'updatedAt' &&
    [created, updated].every(
      ({ attributes: { column, storedAs } }) => column === undefined && storedAs === undefined,
    );
  if (areLast) return rest.slice(0, -2);
  return rest.map((draft) => {
    if (draft.name !== 'createdAt' && draft.name !== 'updatedAt') return draft;
    const { column, storedAs } = draft.attributes;
    return {
      ...draft,
      attributes: {
        type: 'datetime',
        nullable: false,
        ...(column === undefined ? {} : { column }),
        ...(storedAs === undefined ? {} : { storedAs }),
      },
    };
  });
}

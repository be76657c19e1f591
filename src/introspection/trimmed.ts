import { isNeeded } from './attributes.ts';
import type { FieldDraft } from './draft.ts';

/** Whether the fields include the two that `timestamps` adds. Laravel lets them be null, and sets them all the same. */
export function hasTimestamps(fields: readonly FieldDraft[]): boolean {
  return ['createdAt', 'updatedAt'].every((name) =>
    fields.some(({ name: own, attributes }) => own === name && attributes.type === 'datetime'),
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
      ({ attributes }) =>
        isNeeded(attributes) &&
        attributes.column === undefined &&
        attributes.storedAs === undefined &&
        attributes.precision === undefined,
    );
  if (areLast) return rest.slice(0, -2);
  return rest.map((draft) => {
    if (draft.name !== 'createdAt' && draft.name !== 'updatedAt') return draft;
    const { column, storedAs, precision } = draft.attributes;
    return {
      ...draft,
      attributes: {
        type: 'datetime',
        ...(precision === undefined ? {} : { precision }),
        ...(isNeeded(draft.attributes) ? { nullable: false } : {}),
        ...(column === undefined ? {} : { column }),
        ...(storedAs === undefined ? {} : { storedAs }),
      },
    };
  });
}

import type { Field } from './api.ts';
import { keyFields } from './field-types/composite-id.ts';

/** Whether an index of its table begins with the field, be it that of the key or of a constraint. */
export function beginsIndex(field: Field): boolean {
  const { id, unique, indexes } = field.resource;
  const parts = keyFields(field);
  return (
    field === id ||
    field.unique ||
    [...unique, ...indexes].some((list) =>
      parts.every((part) => list.slice(0, parts.length).includes(part)),
    )
  );
}

/** Whether a field is stored as the text of a number, which is compared as the number. */
export function isDecimalText({ attributes }: Field): boolean {
  return attributes.storedAs === 'text';
}

/** Whether some of a field's moments may be stored with fewer digits than others, and are compared as if all had six. */
export function isFineMoment({ attributes: { storedAs } }: Field): boolean {
  return storedAs === 'sqlMicroseconds' || storedAs === 'sqlMixed';
}

/** Whether a field is compared as something else than what is stored, so that no index of it serves. */
export function isConverted(field: Field): boolean {
  return isDecimalText(field) || isFineMoment(field);
}

/** Whether an index of a field finds few records by a value: of others, as many may have it as there are, or none finds them. */
export function tellsFew(field: Field): boolean {
  return field.type.hasFewValues !== true && field.items === undefined && !isConverted(field);
}

import type { Field } from './api.ts';

/** Whether an index of its table begins with the field, be it that of the key or of a constraint. */
export function beginsIndex(field: Field): boolean {
  const { id, unique, indexes } = field.resource;
  return field === id || field.unique || [...unique, ...indexes].some(([first]) => first === field);
}

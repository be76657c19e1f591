import type { FieldInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { isFree, type ApiRecord } from '../record/draft.ts';

/** Why a cell was not written: what is wrong, or that another value is stored meanwhile. */
export type CellRefusal =
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'changed'; readonly theirs: unknown };

/** Writes a field of a record, of which `shown` was seen; `isForced`: whatever is stored by now. */
export type CellWrite = (
  record: ApiRecord,
  field: FieldInfo,
  value: unknown,
  isForced: boolean,
) => Promise<CellRefusal | undefined>;

/** Where to go on after an edit. */
export type Step = 'stay' | 'down' | 'right' | 'left';

/** The choice of null among values. */
export const nullChoice = '\u0000null';

/** The text that stands for a value while it is edited. */
export function editableText(field: FieldInfo, value: unknown): string {
  if (value === null || value === undefined)
    return field.values !== null || field.type === 'boolean' ? nullChoice : '';
  if (isJson(field)) return JSON.stringify(value, undefined, 2);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether a value is edited as JSON. */
export function isJson(field: FieldInfo): boolean {
  return isFree(field) || field.properties !== undefined || field.items !== undefined;
}

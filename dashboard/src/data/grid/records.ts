import type { ApiRecord } from '../record/draft.ts';

/** The records of an answer, as a page or behind a cursor. */
export function recordsOf(body: unknown): readonly ApiRecord[] {
  const list = Array.isArray(body) ? body : (body as { data?: unknown } | undefined)?.data;
  return Array.isArray(list) ? (list as ApiRecord[]) : [];
}

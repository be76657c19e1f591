import { expect } from 'vitest';
import type { Answer, TestApi } from '../support/api.ts';

export interface CursorPage {
  readonly data: readonly { readonly id: number }[];
  readonly next_cursor: string | null;
}

export function idsOf(records: readonly { readonly id: number }[]): number[] {
  return records.map(({ id }) => id);
}

/** An answer that has to be one of 200. */
export async function get(api: TestApi, path: string): Promise<Answer> {
  const answer = await api.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** A page in cursor mode, checked for its form. */
export async function pageOf(api: TestApi, path: string): Promise<CursorPage> {
  const { body } = await get(api, path);
  expect(Object.keys(body as object)).toEqual(['data', 'next_cursor']);
  const page = body as CursorPage;
  if (page.next_cursor !== null) expect(page.next_cursor).toMatch(/^[\w-]+$/u);
  return page;
}

/** The cursor behind a page that is not the last. */
export async function cursorOf(api: TestApi, path: string): Promise<string> {
  const { next_cursor: cursor } = await pageOf(api, path);
  if (cursor === null) throw new Error(`${path} has one page only`);
  return cursor;
}

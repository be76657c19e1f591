import { send } from './http.ts';
import type { Shape } from './shapes.ts';

/** The page that a shape reads by cursor. */
export const deepPage = 2_000;

const pageSize = 20;
const stride = 1_000;

/**
 * Walks to a page of a shape's list and gives its cursor; empty where the shape reads by none. A server without
 * cursors throws.
 */
export async function cursorFor(
  { cursorList }: Shape,
  server: string,
  page: number,
): Promise<string> {
  if (cursorList === undefined) return '';
  let cursor = '';
  for (let left = (page - 1) * pageSize; left > 0; left -= stride) {
    const limit = `limit=${Math.min(left, stride)}`;
    const path = `${cursorList.replace(`limit=${pageSize}`, limit)}&cursor=${cursor}`;
    const { status, headers } = await send(server, { method: 'GET', path });
    const next = headers.get('x-next-cursor');
    if (next === undefined) throw new Error(`GET ${path}: no cursor, status ${status}`);
    cursor = next;
  }
  return cursor;
}

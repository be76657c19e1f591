import type { Position } from '../specification/problems.ts';

/**
 * Where a member of the object that a module exports is written, by the names that lead to it; the nearest one that is
 * found. It looks for the names one after another, as the text of an object has them.
 */
export function positionIn(text: string, path: readonly (string | number)[]): Position {
  let at = Math.max(0, text.search(/^export default\b/mu));
  let found = at;
  for (const name of path) {
    const escaped = String(name).replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);
    const key = new RegExp(String.raw`(?<![\w$.])(['"]?)${escaped}\1\s*(?=[:(,}])`, 'gu');
    key.lastIndex = at;
    const match = key.exec(text);
    if (match === null) break;
    found = match.index;
    at = key.lastIndex;
  }
  const before = text.slice(0, found).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const longest = 64;

/**
 * The candidate that `name` was most likely meant to be: the nearest by Damerau-Levenshtein distance regardless of case, else
 * the one that `name` abbreviates. Of equally near ones the first.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  if (wanted.length === 0 || wanted.length > longest) return undefined;
  let limit = wanted.length < 4 ? 1 : wanted.length < 8 ? 2 : 3;
  let best: string | undefined;
  let abbreviated: string | undefined;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    if (wanted.length >= 3 && other.startsWith(wanted)) abbreviated ??= candidate;
    if (other.length > longest) continue;
    const distance = editDistance(wanted, other, limit);
    if (distance > limit || distance >= Math.max(wanted.length, other.length)) continue;
    best = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return best ?? abbreviated;
}

/** The Damerau-Levenshtein distance; any number over `limit` if it is greater than that. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

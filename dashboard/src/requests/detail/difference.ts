/** A line of a comparison; `skipped` stands for equal lines that are not shown. */
export interface ComparedLine {
  readonly kind: 'same' | 'gone' | 'added' | 'skipped';
  readonly text: string;
}

/** Equal lines that are shown around a difference. */
const around = 2;
/** Longer texts are compared from their first to their last different line, as one block. */
const mostCells = 4_000_000;

/** Compares texts line by line: the fewest lines gone and added. */
export function differenceOf(before: string, after: string): readonly ComparedLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let [from, aEnd, bEnd] = [0, a.length, b.length];
  while (from < aEnd && from < bEnd && a[from] === b[from]) from += 1;
  while (aEnd > from && bEnd > from && a[aEnd - 1] === b[bEnd - 1])
    [aEnd, bEnd] = [aEnd - 1, bEnd - 1];
  const lines: ComparedLine[] = [
    ...a.slice(0, from).map((text) => ({ kind: 'same' as const, text })),
    ...changed(a.slice(from, aEnd), b.slice(from, bEnd)),
    ...a.slice(aEnd).map((text) => ({ kind: 'same' as const, text })),
  ];
  return withoutEqual(lines);
}

function changed(a: readonly string[], b: readonly string[]): readonly ComparedLine[] {
  const gone = (text: string): ComparedLine => ({ kind: 'gone', text });
  const added = (text: string): ComparedLine => ({ kind: 'added', text });
  if ((a.length + 1) * (b.length + 1) > mostCells) return [...a.map(gone), ...b.map(added)];
  /** How many lines the rests of both have in common, by how much of each is left. */
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const lines: ComparedLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      lines.push({ kind: 'same', text: one });
      [i, j] = [i + 1, j + 1];
    } else if (
      one !== undefined &&
      (other === undefined ||
        (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push(gone(one));
      i += 1;
    } else {
      lines.push(added(other ?? ''));
      j += 1;
    }
  }
  return lines;
}

/** Leaves out equal lines that are far from any difference. */
function withoutEqual(lines: readonly ComparedLine[]): readonly ComparedLine[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let at = index - around; at <= index + around; at += 1) near.add(at);
  const shown: ComparedLine[] = [];
  let skipped = 0;
  for (const [index, line] of [...lines.entries(), [-1, undefined] as const]) {
    if (line !== undefined && !near.has(index)) {
      skipped += 1;
      continue;
    }
    if (skipped > 0)
      shown.push({ kind: 'skipped', text: `${skipped} equal ${skipped === 1 ? 'line' : 'lines'}` });
    skipped = 0;
    if (line !== undefined) shown.push(line);
  }
  return shown;
}

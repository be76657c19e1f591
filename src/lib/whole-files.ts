import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Writes files and folders whole or not at all: if `write` fails, as on a full disk, the former state is restored. */
export function wholeOrNothing(paths: readonly string[], write: () => void): void {
  const undos = paths.map(undoOf);
  try {
    write();
  } catch (error) {
    for (const undo of undos) undo();
    throw error;
  }
}

function undoOf(path: string): () => void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return () => rmSync(path, { recursive: true, force: true });
    if (!stat.isFile()) return () => undefined;
    const content = readFileSync(path);
    return () => {
      try {
        writeFileSync(path, content);
      } catch {
        // The error of `write` is reported already.
      }
    };
  } catch {
    // A path without access cannot be written either.
    return () => undefined;
  }
}

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes files and folders whole or not at all: where `write` fails, as on a full disk, what was not there before goes
 * again, and a file that was has its former content.
 */
export function wholeOrNothing(paths: readonly string[], write: () => void): void {
  const takeBack = paths.map(howToTakeBack);
  try {
    write();
  } catch (error) {
    for (const one of takeBack) one();
    throw error;
  }
}

function howToTakeBack(path: string): () => void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return () => rmSync(path, { recursive: true, force: true });
    if (!stat.isFile()) return () => undefined;
    const content = readFileSync(path);
    return () => {
      try {
        writeFileSync(path, content);
      } catch {
        // What hinders it is told already.
      }
    };
  } catch {
    // What cannot be looked at is not begun either.
    return () => undefined;
  }
}

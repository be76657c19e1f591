import { statSync } from 'node:fs';

/** A watch of files. */
export interface FileWatch {
  /** Watches these files from now on, instead of those before. */
  readonly set: (paths: readonly string[]) => void;
  readonly close: () => void;
}

interface Pace {
  /** How often the files are checked, in ms. */
  readonly every: number;
  /** Changes within this time are one, in ms: editors and tools write more than once. */
  readonly settling: number;
  /** The same after a file became empty, which most are while they are saved. */
  readonly filling: number;
}

/** The user waits for the file just saved. */
const soon: Pace = { every: 100, settling: 50, filling: 1_000 };

/** Whether a file is there, with nothing in it. */
function isEmpty(path: string): boolean {
  try {
    const state = statSync(path);
    return state.isFile() && state.size === 0;
  } catch {
    return false;
  }
}

/** Differs whenever the file was changed, replaced, deleted or created. */
export function stateOfFile(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

function statesOf(paths: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...paths].map((path) => [path, stateOfFile(path)]));
}

/**
 * Calls `onChange` when one of the files was written, replaced, deleted or created, and once at the start, so that no
 * earlier change is missed. It polls: the system reports neither a symbolic link that changes its target, as in volumes of
 * Kubernetes, nor changes in a network folder.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { every, settling, filling }: Pace = soon,
): FileWatch {
  let states: ReadonlyMap<string, string> = new Map();
  let settled: NodeJS.Timeout | undefined;
  const unreported = new Set<string>();
  const report = (): void => {
    unreported.clear();
    // A link may have changed since: later checks compare with the files that `onChange` reads.
    states = statesOf(states.keys());
    onChange();
  };
  const check = (next: Iterable<string>): void => {
    const seen = statesOf(next);
    const changed = [...seen].flatMap(([path, state]) => (states.get(path) === state ? [] : path));
    states = seen;
    if (changed.length === 0) return;
    for (const path of changed) unreported.add(path);
    clearTimeout(settled);
    settled = setTimeout(report, [...unreported].some(isEmpty) ? filling : settling).unref();
  };
  check(paths);
  const timer = setInterval(() => check(states.keys()), every).unref();
  return {
    set: check,
    close: () => {
      clearInterval(timer);
      clearTimeout(settled);
    },
  };
}

import { statSync } from 'node:fs';

/** Watches files, whichever way they are changed. */
export interface FileWatch {
  /** Watches these files from now on, and no others. */
  readonly set: (paths: readonly string[]) => void;
  readonly close: () => void;
}

interface Pace {
  /** How often the files are looked at, in ms. */
  readonly every: number;
  /** Changes within so many ms are one: editors and tools write more than once. */
  readonly settling: number;
}

/** For who waits for what was just saved. */
const soon: Pace = { every: 100, settling: 50 };

/** Another text once a file is another one or holds something else; also of one that is not there, or cannot be reached. */
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
 * Calls `onChange` when one of the files was written, replaced, deleted or made, and once when it begins to watch:
 * what has changed before that is not missed. It asks for the files themselves, since no system tells of a link that leads
 * to another file by now, as where Kubernetes mounts them, nor of changes in a folder of another machine.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { every, settling }: Pace = soon,
): FileWatch {
  let states: ReadonlyMap<string, string> = new Map();
  let settled: NodeJS.Timeout | undefined;
  const tell = (): void => {
    // A link may have led elsewhere since: what is read now is compared with, and not what was seen then.
    states = statesOf(states.keys());
    onChange();
  };
  const look = (next: Iterable<string>): void => {
    const seen = statesOf(next);
    const isNews = [...seen].some(([path, state]) => states.get(path) !== state);
    states = seen;
    if (!isNews) return;
    clearTimeout(settled);
    settled = setTimeout(tell, settling).unref();
  };
  look(paths);
  const timer = setInterval(() => look(states.keys()), every).unref();
  return {
    set: look,
    close: () => {
      clearInterval(timer);
      clearTimeout(settled);
    },
  };
}

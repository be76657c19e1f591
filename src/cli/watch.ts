import { existsSync } from 'node:fs';

/** Watches files, whichever way an editor saves them. */
export interface FileWatch {
  /** Watches these files from now on, and no others. */
  readonly set: (paths: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

/** Changes within so many ms are one: editors and tools write more than once. */
const settling = 50;
/** How often a file that is not there is looked for, in ms. */
const seeking = 200;

/**
 * Calls `onChange` when one of the files was written, replaced, deleted or made, and once when it begins to watch:
 * what has changed before that is not missed. `onError` is told what keeps the system from watching.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  onError: (error: unknown) => void,
): Promise<FileWatch> {
  const { watch } = await import('chokidar');
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      seek();
      onChange();
    }, settling);
  };
  let watched = new Set(paths);
  const missing = new Set<string>();
  let seeker: NodeJS.Timeout | undefined;
  /** What is not there when it is to be watched the library does not watch, nor say so. */
  const seek = (): void => {
    clearTimeout(seeker);
    for (const path of missing) if (!watched.has(path)) missing.delete(path);
    for (const path of watched)
      if (!existsSync(path)) missing.add(path);
      else if (missing.delete(path)) {
        watcher.unwatch(path);
        watcher.add(path);
        changed();
      }
    if (missing.size > 0) seeker = setTimeout(seek, seeking);
  };
  const watcher = watch([...watched], { ignoreInitial: true })
    .on('all', changed)
    .on('ready', changed)
    .on('error', onError);
  return {
    set: (next) => {
      const wanted = new Set(next);
      const [added, left] = [wanted.difference(watched), watched.difference(wanted)];
      if (added.size > 0) watcher.add([...added]);
      if (left.size > 0) watcher.unwatch([...left]);
      watched = wanted;
      if (added.size > 0) changed();
    },
    close: async () => {
      clearTimeout(timer);
      clearTimeout(seeker);
      await watcher.close();
    },
  };
}

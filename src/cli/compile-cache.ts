import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Permissions by which others may write. */
const writableByOthers = 0o022;
const forOthers = 0o077;
const sticky = 0o1000;

/**
 * Keeps compiled modules for later starts, in a folder that only this user can write, because the next start runs what
 * the cache contains. Without such a folder nothing is kept. `NODE_COMPILE_CACHE` is the user's own choice, and Node
 * has followed it already.
 */
export function enableCompileCache(environment: Environment): void {
  if ((environment['NODE_COMPILE_CACHE'] ?? '') !== '') return;
  const folder = privateCacheFolder(environment, process.getuid?.());
  if (folder !== undefined) modules.enableCompileCache(folder);
}

/**
 * The folder for the cache of the user `uid`, created if it is missing; undefined if others can write to
 * it. Systems without user ids keep the folders of users apart by themselves.
 */
export function privateCacheFolder(
  environment: Environment,
  uid: number | undefined,
): string | undefined {
  try {
    const base = cacheFolder(environment);
    const known = realpathSync(existing(base));
    if (uid !== undefined && !isSafe(known, uid)) return undefined;
    const folder = join(base, 'plinth', 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return uid === undefined || isPrivate(folder, uid) ? folder : undefined;
  } catch {
    // The home folder is missing, or may not be written.
    return undefined;
  }
}

function cacheFolder(environment: Environment): string {
  const { XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = environment;
  if (process.platform === 'win32' && local !== undefined && local !== '') return local;
  return cache !== undefined && cache.startsWith('/') ? cache : join(homedir(), '.cache');
}

/** The folder itself, or the nearest one above it that exists. */
function existing(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? existing(dirname(folder))
    : folder;
}

/** Whether nobody but this user and root can replace the folder or one above it. */
function isSafe(folder: string, uid: number): boolean {
  for (let path = folder; ; path = dirname(path)) {
    const { uid: owner, mode } = lstatSync(path);
    if (path === folder && owner !== uid) return false;
    if (owner !== uid && owner !== 0) return false;
    // In a folder with the sticky bit, such as /tmp, nobody else may rename what is this user's.
    if ((mode & writableByOthers) !== 0 && (mode & sticky) === 0) return false;
    if (dirname(path) === path) return true;
  }
}

/** Whether it is a folder of this user, no link, and only for this user; the one above it too. */
function isPrivate(folder: string, uid: number): boolean {
  return [folder, dirname(folder)].every((path) => {
    const found = lstatSync(path);
    return found.isDirectory() && found.uid === uid && (found.mode & forOthers) === 0;
  });
}

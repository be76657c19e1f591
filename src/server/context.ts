import { relative, resolve } from 'node:path';
import type { ClockAndIds } from '../query/write/defaults.ts';
import type { Output } from './output.ts';

/** What a command may use of its surroundings. */
export interface Context {
  /** The user's current folder: relative paths of the command line start here. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** Takes the lines of the log; absent: standard output does. `none`: there is no log. */
  readonly log?: { readonly write: (line: string) => void } | 'none';
  readonly clockAndIds: ClockAndIds;
  /** The memory that this process and its child processes may use, in bytes. */
  readonly memory: number;
  /** The most bytes of the JavaScript heap of this process. */
  readonly heapLimit: number;
  /**
   * Aborts on the first SIGINT or SIGTERM. After the first call, that signal no longer ends the process; a second one
   * does.
   */
  readonly stop: () => AbortSignal;
  /** Calls the listener on each SIGHUP, which no longer ends the process, unless its terminal was closed. */
  readonly onHangup: (listener: () => void) => void;
  /** Calls the listener for each rejection that own code leaves to nobody, which no longer ends the process. */
  readonly onLeak: (listener: (error: unknown) => void) => void;
}

/** The variable that gives a worker the user's folder, which may have been deleted since the start. */
export const folderVariable = 'PLINTH_WORKER_FOLDER';

/**
 * The user's current folder. npm runs scripts in the folder of the package, and sets `INIT_CWD` to that of the user;
 * `current` returns the folder of this process.
 */
export function userFolder(environment: Context['environment'], current: () => string): string {
  const { [folderVariable]: given, INIT_CWD: called, npm_lifecycle_event: script } = environment;
  if (given !== undefined) return given;
  // Scripts other than `plinth` have paths that start in the folder of their package.
  return called !== undefined && (script === undefined || script === 'plinth') ? called : current();
}

/** Makes a path of the command line absolute. */
export function fromFolder({ folder }: Context, path: string): string {
  return resolve(folder, path);
}

/** An absolute path as messages show it: relative to the user's folder. */
export function shownPath({ folder }: Context, path: string): string {
  return relative(folder, path) || path;
}

/**
 * The name of a file or database as a shell argument: quoted if a shell would change it, and with `./` if it looks like a
 * flag.
 */
export function shellArgument(name: string): string {
  const text = name.startsWith('-') ? `./${name}` : name;
  return /^[\p{L}\p{M}\p{N}_@%+=:,./…-]+$/u.test(text)
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** How each package manager runs a command of a project, by its name in `npm_config_user_agent`. */
const runners: Readonly<Record<string, string>> = {
  npm: 'npx plinth',
  pnpm: 'pnpm exec plinth',
  yarn: 'yarn plinth',
};

/** A command as this user would type it: in a checkout, in a project with the package, or with a global install. */
export function typedCommand({ environment }: Context, command: string): string {
  const { npm_package_name: owner, npm_config_user_agent: manager = '' } = environment;
  if (owner === 'plinth') return `npm run -s plinth -- ${command}`;
  return `${runners[/^\w+/u.exec(manager)?.[0] ?? ''] ?? 'plinth'} ${command}`;
}

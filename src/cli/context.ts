import { relative, resolve } from 'node:path';
import type { ClockAndIds } from '../query/write/defaults.ts';
import type { Output } from './output.ts';

/** What a command knows of the world. */
export interface Context {
  /** Where the user stands: relative paths of the command line start here. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly clockAndIds: ClockAndIds;
  /** What this process and those that it starts may take, in bytes. */
  readonly memory: number;
  /**
   * The first SIGINT or SIGTERM. From the first look at it on, a signal no longer ends the process by itself; a
   * second one does.
   */
  readonly stop: () => AbortSignal;
}

/** The variable in which a worker is told where the user stands, since that folder may have gone meanwhile. */
export const folderVariable = 'PLINTH_FLEET_FOLDER';

/**
 * Where the user stands. npm runs scripts in the package's folder, and says so in `INIT_CWD`; `current` gives the folder
 * that this process is in.
 */
export function userFolder(environment: Context['environment'], current: () => string): string {
  const { [folderVariable]: told, INIT_CWD: called, npm_lifecycle_event: script } = environment;
  if (told !== undefined) return told;
  // Any other script than `plinth` has written its paths itself, for the folder of its package.
  return called !== undefined && (script === undefined || script === 'plinth') ? called : current();
}

/** A path of the command line as an absolute one. */
export function fromFolder({ folder }: Context, path: string): string {
  return resolve(folder, path);
}

/** An absolute path as messages name it: from where the user stands. */
export function shownPath({ folder }: Context, path: string): string {
  return relative(folder, path) || path;
}

/**
 * The name of a file or database as an argument of a command that can be typed: in quotes where a shell would make more than
 * one or another of it, and with its folder where it would be taken for a flag.
 */
export function argument(name: string): string {
  const text = name.startsWith('-') ? `./${name}` : name;
  return /^[\p{L}\p{M}\p{N}_@%+=:,./…-]+$/u.test(text)
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** How each package manager runs a command of a project, by the name with which it tells of itself. */
const runners: Readonly<Record<string, string>> = {
  npm: 'npx plinth',
  pnpm: 'pnpm exec plinth',
  yarn: 'yarn plinth',
};

/** A command as this user would type it: in a checkout, in a project that has the package, or anywhere. */
export function typed({ environment }: Context, command: string): string {
  const { npm_package_name: owner, npm_config_user_agent: manager = '' } = environment;
  // `npm start` of the checkout is a script of its own.
  if (owner === 'plinth') return `npm run -s plinth -- ${command}`;
  return `${runners[/^\w+/u.exec(manager)?.[0] ?? ''] ?? 'plinth'} ${command}`;
}

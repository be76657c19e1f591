import { resolve } from 'node:path';
import type { Draw } from '../plan/write.ts';
import type { Output } from './output.ts';

/** What a command knows of the world. */
export interface Context {
  /** Where the user stands: npm runs scripts in the package's folder and says in `INIT_CWD` where it was called. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly draw: Draw;
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly stopped: Promise<void>;
}

/** A path of the command line as an absolute one. */
export function fromFolder({ folder }: Context, path: string): string {
  return resolve(folder, path);
}

import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { relative, resolve, isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getOrInsert } from '../get-or-insert.ts';

/** Resolves a module of a user, which must be below the folder of the specification, also after following links. */
export function locateModule(folder: string | undefined, file: string): string {
  if (folder === undefined) throw new TypeError('the folder of the specification is not known');
  const wanted = resolve(folder, file);
  const outside = relative(folder, wanted);
  if (outside.startsWith('..') || isAbsolute(outside))
    throw new TypeError('it must be in the folder of the specification');
  let located: string;
  try {
    located = realpathSync(wanted);
  } catch {
    throw new TypeError('there is no such file');
  }
  const real = relative(realpathSync(folder), located);
  if (real.startsWith('..') || isAbsolute(real))
    throw new TypeError('it leads out of the folder of the specification');
  return located;
}

/** The source of each module when this process first loaded it. */
const firstLoaded = new Map<string, string>();

/** The address of a module. One that has changed since it was first loaded gets another, so that Node loads it again. */
export function presentAddress(file: string): string {
  const text = readFileSync(file, 'utf8');
  getOrInsert(firstLoaded, file, () => text);
  return addressOfText(file, text);
}

/** The address of a module with this source. */
export function addressOfText(file: string, text: string): string {
  const { href } = pathToFileURL(file);
  if (text === firstLoaded.get(file)) return href;
  return `${href}?changed=${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

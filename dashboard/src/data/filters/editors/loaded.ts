import type * as editorsOfChips from './editors.ts';

/** The editors of the chips, which the first view does without. */
type Editors = typeof editorsOfChips;

let loaded: Editors | undefined;

export async function loadEditors(): Promise<void> {
  loaded ??= await import('./editors.ts');
}

/** Undefined: they have not come yet. */
export function editors(): Editors | undefined {
  return loaded;
}

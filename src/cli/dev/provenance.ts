import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../databases/database.ts';
import {
  makeRecipeRecord,
  readRecipeRecord,
  writeRecipeRecord,
  type RecipeRow,
} from '../../generate/fill/recipe-record.ts';
import { readRecipe, type Recipe } from '../../generate/fill/recipe.ts';
import type { SpecificationFile } from '../files/specification.ts';
import type { OpenDatabase, Target } from '../database/target.ts';

/** By what the generated records of a database were made. */
export interface MadeBy {
  /** By which all were made; undefined where nobody knows. */
  readonly whole: Recipe | undefined;
  /** By which some have been made since, before it was broken off or could not be done. */
  readonly parts: readonly Recipe[];
  /** By which columns were made that the file has named no more since, and that are still there. */
  readonly left: readonly Recipe[];
}

/** The tables whose records came from files; undefined where nobody knows. */
export function loadedIn({ whole, parts }: MadeBy): Recipe['loaded'] | undefined {
  return (parts.at(-1) ?? whole)?.loaded;
}

/** So many recipes are remembered beside the one by which all were made, of each kind. */
const mostOthers = 4;

const nothing: MadeBy = { whole: undefined, parts: [], left: [] };

/**
 * Remembers by what the generated records of a database were made, so that a later file is known to make others. What
 * `dev` keeps for itself remembers it too; of another database only this process does.
 */
export class Provenance {
  private readonly database: Database | undefined;
  private readonly folder: string;
  private rows: readonly RecipeRow[] = [];
  private madeBy = nothing;

  private constructor(database: Database | undefined, folder: string) {
    this.database = database;
    this.folder = folder;
  }

  /** Without `isKept` this process alone remembers. */
  static async of(
    { isOwn }: Target,
    { database }: OpenDatabase,
    { folder }: SpecificationFile,
    { isKept }: { readonly isKept: boolean },
  ): Promise<Provenance> {
    if (!isOwn || !isKept) return new Provenance(undefined, folder);
    await makeRecipeRecord(database);
    return new Provenance(database, folder);
  }

  /** What is known; another process may have generated since it was asked last. */
  async known(): Promise<MadeBy> {
    const rows = this.database === undefined ? this.rows : await readRecipeRecord(this.database);
    if (!isDeepStrictEqual(rows, this.rows)) {
      const read = (name: string): readonly Recipe[] =>
        rows.flatMap(({ part, recipe }) =>
          part === name ? (readRecipe(recipe, this.folder) ?? []) : [],
        );
      const [whole] = read('whole');
      // What another version has left is as nothing.
      this.madeBy =
        whole === undefined ? nothing : { whole, parts: read('part'), left: read('left') };
      this.rows = rows;
    }
    return this.madeBy;
  }

  /** From now on some records may have been made by this one. */
  async begin(recipe: Recipe): Promise<void> {
    const { whole, parts, left } = await this.known();
    if (whole === undefined || (parts.at(-1) ?? whole).text === recipe.text) return;
    const others = parts.filter(({ text }) => text !== recipe.text);
    await this.write({ whole, parts: [...others, recipe].slice(-mostOthers), left });
  }

  /** All generated records are what this one makes, but for columns that it does not know. */
  async finish(recipe: Recipe): Promise<void> {
    const { whole, parts, left } = await this.known();
    if (whole?.text === recipe.text && parts.length === 0) return;
    const columns = columnsOf(recipe);
    const others: Recipe[] = [];
    for (const one of [whole ?? [], parts, left].flat()) {
      const own = columnsOf(one);
      if (!own.isSubsetOf(columns)) others.push(one);
      for (const column of own) columns.add(column);
    }
    await this.write({ whole: recipe, parts: [], left: others.slice(0, mostOthers) });
  }

  /** All records were made anew by this one. */
  async restart(recipe: Recipe): Promise<void> {
    await this.write({ whole: recipe, parts: [], left: [] });
  }

  private async write(madeBy: MadeBy): Promise<void> {
    const { whole, parts, left } = madeBy;
    const rowsOf = (part: string, recipes: readonly Recipe[]): readonly RecipeRow[] =>
      recipes.map(({ text }) => ({ part, recipe: text }));
    const rows = [
      ...rowsOf('whole', whole === undefined ? [] : [whole]),
      ...rowsOf('part', parts),
      ...rowsOf('left', left),
    ];
    if (this.database !== undefined) await writeRecipeRecord(this.database, rows);
    this.madeBy = madeBy;
    this.rows = rows;
  }
}

function columnsOf({ api }: Recipe): Set<string> {
  return new Set(
    [...api.resources.values()].flatMap(({ table, fields }) =>
      [...fields.values()].map(({ column }) => JSON.stringify([table, column])),
    ),
  );
}

import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../execute/database.ts';
import { makeRecipeRecord, readRecipeRecord, writeRecipeRecord } from '../execute/recipe-record.ts';
import { readRecipe, type Recipe } from '../generate/recipe.ts';
import type { SpecificationFile } from './specification.ts';
import type { OpenDatabase, Target } from './target.ts';

/** By what the generated records of a database were made. */
export interface MadeBy {
  /** By which all were made; undefined where nobody knows. */
  readonly whole: Recipe | undefined;
  /** By which some have been made since, before it was broken off or could not be done. */
  readonly parts: readonly Recipe[];
  /** The tables whose records came from files; undefined where nobody knows. */
  readonly loaded: Recipe['loaded'] | undefined;
}

/** So many recipes are remembered by which only a part was made. */
const mostParts = 4;

/**
 * Remembers by what the generated records of a database were made, so that a later file is known to make others. What
 * `dev` keeps for itself remembers it too; of another database only this process does.
 */
export class Provenance {
  private readonly database: Database | undefined;
  private readonly folder: string;
  private texts: readonly string[] = [];
  private recipes: readonly Recipe[] = [];

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
    const texts = this.database === undefined ? this.texts : await readRecipeRecord(this.database);
    if (!isDeepStrictEqual(texts, this.texts)) {
      const [whole, ...parts] = texts.map((text) => readRecipe(text, this.folder));
      // What another version has left is as nothing.
      const others = parts.flatMap((recipe) => recipe ?? []);
      this.recipes = whole === undefined ? [] : [whole, ...others];
      this.texts = texts;
    }
    const [whole, ...parts] = this.recipes;
    return { whole, parts, loaded: this.recipes.at(-1)?.loaded };
  }

  /** From now on some records may have been made by this one. */
  async begin(recipe: Recipe): Promise<void> {
    const { whole, parts } = await this.known();
    if (whole === undefined || [whole, ...parts].at(-1)?.text === recipe.text) return;
    const others = parts.filter(({ text }) => text !== recipe.text);
    await this.write([whole, ...[...others, recipe].slice(-mostParts)]);
  }

  /** All generated records are what this one makes. */
  async finish(recipe: Recipe): Promise<void> {
    const { whole, parts } = await this.known();
    if (whole?.text !== recipe.text || parts.length > 0) await this.write([recipe]);
  }

  private async write(recipes: readonly Recipe[]): Promise<void> {
    const texts = recipes.map(({ text }) => text);
    if (this.database !== undefined) await writeRecipeRecord(this.database, texts);
    this.recipes = recipes;
    this.texts = texts;
  }
}

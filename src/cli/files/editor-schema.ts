import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { specificationJsonSchema } from '../../model/load-specification.ts';
import { fileReason } from '../../server/failure.ts';
import { makeFolderOf, ownFolder } from '../../server/files/own-folder.ts';

/** Beside the specification, so that an editor finds it offline. */
const schemaFile = `${ownFolder}/schema.json`;
/** The first line of a specification for which editors offer checks and completion. */
export const schemaLine = `# yaml-language-server: $schema=${schemaFile}`;

/** Writes the schema that `schemaLine` names. Fails with the file system's error. */
export function writeEditorSchema(folder: string): void {
  const path = join(folder, schemaFile);
  const schema = JSON.stringify(specificationJsonSchema(), undefined, 2);
  if (schema === textOf(path)) return;
  makeFolderOf(path);
  writeFileSync(path, schema);
}

/**
 * Writes the schema if a specification names it: a fresh clone has no `.plinth`, and another version of Plinth has other
 * keys. A schema that cannot be written is no failure.
 */
export function refreshEditorSchema({ text, folder }: { text: string; folder: string }): void {
  if (!text.includes(schemaLine)) return;
  try {
    writeEditorSchema(folder);
  } catch (error) {
    if (fileReason(error) === undefined) throw error;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

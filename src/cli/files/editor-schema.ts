import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { specificationJsonSchema } from '../../specification/json-schema.ts';
import { fileReason } from '../failure.ts';
import { makeFolderOf, ownFolder } from './own-folder.ts';

/** Beside the specification, so that an editor finds it without a network. */
const schemaFile = `${ownFolder}/schema.json`;
/** The first line of a specification that wants to be checked and completed by an editor. */
export const schemaLine = `# yaml-language-server: $schema=${schemaFile}`;

/** Writes the schema that `schemaLine` names. Fails as the file system does. */
export function writeEditorSchema(folder: string): void {
  const path = join(folder, schemaFile);
  const schema = JSON.stringify(specificationJsonSchema(), undefined, 2);
  if (schema === textOf(path)) return;
  makeFolderOf(path);
  writeFileSync(path, schema);
}

/**
 * Writes the schema where a specification names it: a copy of a project has no `.plinth`, and that of another version
 * knows other keys. Where nothing can be written the editor does without.
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

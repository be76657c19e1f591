import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Api, Version } from '../../model/api.ts';
import { viewOf, type View } from '../../model/view.ts';
import { CommandFailure, fileReason } from '../../server/failure.ts';
import { fromFolder, type Context } from '../../server/context.ts';
import type { SpecificationFlags } from '../../server/files/specification.ts';
import { wholeOrNothing } from '../../lib/whole-files.ts';

/** Flags of the commands that write a document for one version. */
export interface DocumentFlags extends SpecificationFlags {
  readonly out?: string;
  readonly version?: string;
}

/** A version as a caller with every role sees it; the default version if none is named. */
export function wholeView(api: Api, { version: wanted }: DocumentFlags): View {
  return viewOf(api, versionOf(api, wanted), { authenticated: true, roles: api.roles });
}

function versionOf(api: Api, wanted: string | undefined): Version {
  const number = wanted === undefined ? api.defaultVersion : Number(wanted.replace(/^v/u, ''));
  const version = api.versions.get(number);
  if (version !== undefined) return version;
  const known = [...api.versions.keys()].sort((a, b) => a - b).join(', ');
  throw new CommandFailure(
    `There is no version ${wanted ?? number}. Give --version one of ${known}.`,
    { exitCode: 2 },
  );
}

/** Prints a document, or writes it to the file of `--out` and creates its folder. */
export function writeDocument(context: Context, text: string, out: string | undefined): void {
  const { output } = context;
  if (out === undefined) {
    output.document(text.trimEnd());
    return;
  }
  try {
    const path = fromFolder(context, out);
    // If a file has the folder's name, the write fails with the better error.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    wholeOrNothing([path], () => writeFileSync(path, text));
  } catch (error) {
    const reason = out === '' ? 'the name is empty' : fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(`${out} cannot be written: ${reason}. Name another file with --out.`, {
      cause: error,
    });
  }
  output.note(`Wrote ${out}.`);
}

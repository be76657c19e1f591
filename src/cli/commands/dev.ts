import type { Context } from '../../server/context.ts';
import { targetOrDevelopment } from '../../server/database/target.ts';
import { openDev } from '../../server/dev/open-dev.ts';
import { Stopped } from '../../server/failure.ts';
import { formatProblem, requireSpecification } from '../../server/files/specification.ts';
import { readPort } from '../../server/serve/address.ts';
import { deleteOwn } from '../consent.ts';
import type { ClientFile } from '../files/client-file.ts';
import { refreshEditorSchema } from '../files/editor-schema.ts';
import { serve, type ServeFlags } from '../serve.ts';

/** Flags of `plinth dev`. */
export interface DevFlags extends ServeFlags {
  /** False for `--no-generate`. */
  readonly generate?: boolean;
  /** Deletes the development database first. */
  readonly reset?: boolean;
  /** The file that the typed client is written to. */
  readonly types?: string;
}

/** `plinth dev [file]`: serves a specification while the user works on it. See `openDev`. */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  context.stop();
  readPort(context, flags);
  const read = requireSpecification(context, flags);
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  refreshEditorSchema(read);
  const { database, generate = true, reset = false, verbose = false } = flags;
  if (reset) await deleteOwn(context, targetOrDevelopment(context, read, database));
  const client = await clientFile(context, flags);
  const options = { database, generate, watch: true, client };
  try {
    const server = await openDev(context, read, options, { isVerbose: verbose });
    await serve(context, server, flags, 'dev');
  } catch (error) {
    // A signal while data is loaded stops the command as usual.
    if (!(error instanceof Stopped)) throw error;
  }
}

async function clientFile(context: Context, { types }: DevFlags): Promise<ClientFile | undefined> {
  if (types === undefined) return undefined;
  const file = await import('../files/client-file.ts');
  return new file.ClientFile(context, types);
}

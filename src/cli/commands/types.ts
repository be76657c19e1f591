import { clientSource } from '../../openapi/client/client.ts';
import type { Context } from '../../server/context.ts';
import { watchFiles } from '../../server/dev/watch.ts';
import { CommandFailure } from '../../server/failure.ts';
import { documentedOf } from '../../server/files/code.ts';
import { ClientFile } from '../files/client-file.ts';
import { wholeView, writeDocument, type DocumentFlags } from '../files/document.ts';
import { readSpecification, requireSpecification } from '../../server/files/specification.ts';

export interface TypesFlags extends DocumentFlags {
  /** Writes it again after each change of the specification. */
  readonly watch?: boolean;
}

/** `plinth types [file]`: a TypeScript client of a version with everything in it. */
export async function types(context: Context, flags: TypesFlags): Promise<void> {
  const make = async (): Promise<string> => {
    const read = requireSpecification(context, flags, { isOnlyRead: true });
    const { api, endpoints } = await documentedOf(context, read);
    return clientSource(wholeView(api, flags), endpoints);
  };
  const { out, watch = false } = flags;
  if (!watch) return writeDocument(context, await make(), out);
  if (out === undefined)
    throw new CommandFailure(
      '--watch writes to a file. Name it with --out, such as --out client.ts.',
      {
        exitCode: 2,
      },
    );
  const { path } = readSpecification(context, flags, { isOnlyRead: true });
  const client = new ClientFile(context, out);
  await whileWatched(context, path, () => void client.write(make));
}

/** Calls `onChange` now and after each change of a file, until the command is stopped. */
async function whileWatched(context: Context, path: string, onChange: () => void): Promise<void> {
  const stop = context.stop();
  const watch = watchFiles([path], onChange);
  // The watch itself does not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    if (!stop.aborted)
      await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
  } finally {
    clearInterval(alive);
    watch.close();
  }
}

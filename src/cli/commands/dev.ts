import type { Context } from '../../server/context.ts';
import { deleteOwn } from '../consent.ts';
import { withStoredForms, withDatabase } from '../../server/database/database.ts';
import type { ClientFile } from '../files/client-file.ts';
import { refreshEditorSchema } from '../files/editor-schema.ts';
import { prepare, servedOn } from '../../server/dev/prepare.ts';
import { readPort, type DevFlags } from '../../server/serve/address.ts';
import { withStartedCode } from '../../server/files/code.ts';
import {
  formatProblem,
  requireSpecification,
  type SpecificationFile,
} from '../../server/files/specification.ts';
import { targetOrDevelopment, type OpenDatabase } from '../../server/database/target.ts';

/**
 * `plinth dev [file]`: migrates the development database, fills it if it is empty, and serves it. Serves any other
 * database as it is.
 */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  const stop = context.stop();
  readPort(context, flags);
  const read = requireSpecification(context, flags);
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  refreshEditorSchema(read);
  const options = { generates: flags.generate ?? true };
  const target = targetOrDevelopment(context, read, flags.database);
  if (flags.reset === true) await deleteOwn(context, target);
  const found = await withStoredForms(context, target, read);
  const access = target.isOwn ? 'create' : 'write';
  const serveOn = async (specification: SpecificationFile, open: OpenDatabase): Promise<void> => {
    const served = await servedOn(specification, target, open, options);
    try {
      await prepare(context, served, options);
    } catch (error) {
      // A signal while data is loaded stops the command as usual.
      if (stop.aborted) return;
      throw error;
    }
    const { LiveReload } = await import('../../server/dev/reload.ts');
    const live = new LiveReload(context, flags, served, await clientFile(context, flags));
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'dev', { live });
  };
  await withStartedCode(context, found, (specification) =>
    withDatabase(context, target, access, (open) => serveOn(specification, open)),
  );
}

async function clientFile(context: Context, { types }: DevFlags): Promise<ClientFile | undefined> {
  if (types === undefined) return undefined;
  const file = await import('../files/client-file.ts');
  return new file.ClientFile(context, types);
}

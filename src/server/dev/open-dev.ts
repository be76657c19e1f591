import type { Context } from '../context.ts';
import { openDatabase, withStoredForms } from '../database/database.ts';
import { targetOrDevelopment } from '../database/target.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { openServer, type OpenServer, type ServerSettings } from '../serve/open-server.ts';
import { prepare, servedOn } from './prepare.ts';
import { LiveReload, type FollowOptions } from './reload.ts';

/**
 * Opens the server of `dev`: migrates its own database and fills it if it is empty. Any other database is served as it
 * is.
 */
export async function openDev(
  context: Context,
  read: SpecificationFile,
  options: FollowOptions,
  settings: ServerSettings,
): Promise<OpenServer> {
  const target = targetOrDevelopment(context, read, options.database);
  const found = await withStoredForms(context, target, read);
  const fill = { generates: options.generate };
  return openServer(
    context,
    found,
    {
      mode: 'dev',
      openDatabase: () => openDatabase(context, target, target.isOwn ? 'create' : 'write'),
      prepare: async (specification, open) => {
        const served = await servedOn(specification, target, open, fill);
        await prepare(context, served, fill);
        return new LiveReload(context, options, served);
      },
    },
    settings,
  );
}

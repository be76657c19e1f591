import type { Context } from '../context.ts';
import { openDatabase } from '../database/database.ts';
import type { OpenDatabase } from '../database/target.ts';
import { requireEndpointAccess } from '../files/code.ts';
import { openServer, type OpenServer, type ServerSettings } from './open-server.ts';
import { Rereading } from './reread.ts';
import type { Startable } from './start-rules.ts';

/** Opens the server of `start` on a database that is up to date. `upToDate` opens it; default: it exists. */
export async function openStart(
  context: Context,
  startable: Startable,
  settings: ServerSettings,
  upToDate: () => Promise<OpenDatabase> = () => openDatabase(context, startable.target, 'write'),
): Promise<OpenServer<Rereading>> {
  // All workers read the same text: one of them prints what comes of it.
  const isQuiet = settings.worker?.isReporter === false;
  const output = isQuiet ? { ...context.output, note: () => undefined } : context.output;
  return openServer(
    context,
    startable.specification,
    {
      mode: 'start',
      openDatabase: (specification) => {
        requireEndpointAccess(specification);
        return upToDate();
      },
      prepare: async (specification, open) =>
        new Rereading({ ...context, output }, { ...startable, specification }, open),
    },
    settings,
  );
}

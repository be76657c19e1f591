import cluster from 'node:cluster';
import { fromFolder, type Context } from '../../server/context.ts';
import { databaseName } from '../../server/database/database.ts';
import { databaseKindOf } from '../../server/database/kinds.ts';
import { requireCurrent } from '../../server/database/schema.ts';
import { migrateCommand } from '../../server/database/target.ts';
import { takesCreates } from '../../sql/compile/idempotency.ts';
import { CommandFailure } from '../../server/failure.ts';
import { formatProblem, requireSpecification } from '../../server/files/specification.ts';
import { listenAddress, readPort, readWorkers } from '../../server/serve/address.ts';
import { noteRefusal, rereadSpecification } from '../../server/serve/reread.ts';
import {
  requireAccess,
  startable,
  writableByEveryone,
  type Startable,
} from '../../server/serve/start-rules.ts';
import type { ServeFlags } from '../serve.ts';
import type { WorkerRole } from '../workers/worker.ts';

export interface StartFlags extends ServeFlags {
  readonly workers?: string;
}

/** `plinth start [file]`: serves a named database that is up to date, with one process or several workers. */
export async function start(context: Context, flags: StartFlags): Promise<void> {
  context.stop();
  readPort(context, flags);
  const count = readWorkers(flags);
  if (count > 1 && cluster.isWorker) {
    await startWorker(context, flags, count);
    return;
  }
  const read = requireSpecification(context, flags);
  const { name, text, warnings } = read;
  // What is refused is not warned of as well.
  requireAccess(read);
  for (const warning of warnings) context.output.note(formatProblem(warning));
  const found = await startable(context, read, flags.database);
  const { target, specification } = found;
  if (count > 1 && databaseKindOf(target.url) === 'memory')
    throw new CommandFailure(
      'Several workers cannot share a database in memory. Name a file or a PostgreSQL database, or leave out --workers.',
      { exitCode: 2 },
    );
  const extra = await requireCurrent(context, target, specification.api);
  if (extra.length > 0 && takesCreates(specification.api))
    context.output.note(
      `Requests with an Idempotency-Key are 501, since the database has no table for their keys. To create it, run "${migrateCommand(context, target)}".`,
    );
  const writable = writableByEveryone(specification.api);
  if (writable.length > 0)
    context.output.note(
      `Warning: everyone may write ${writable.join(', ')}, since ${name} has no "auth" block.`,
    );
  if (count === 1) {
    await serveOver(context, found, flags);
    return;
  }
  const { runWorkers } = await import('../workers/primary.ts');
  const address = listenAddress(context, flags, specification.api.settings.server);
  const reread = async (): Promise<string | undefined> => {
    try {
      return (await rereadSpecification(context, found)).text;
    } catch (error) {
      noteRefusal(context, error, await databaseName(context, target));
      return undefined;
    }
  };
  await runWorkers(context, count, { path: fromFolder(context, name), text }, address, reread);
}

/** Serves as one of several workers. The primary has examined the database. */
async function startWorker(context: Context, flags: StartFlags, count: number): Promise<void> {
  const own = { ...context, memory: context.memory / count };
  const { runWorker } = await import('../workers/worker.ts');
  await runWorker(own, count, async (role) => {
    const { path, text } = role.specification;
    const read = requireSpecification(own, { file: path }, { given: text });
    await serveOver(own, await startable(own, read, flags.database), flags, role);
  });
}

/** Serves a database that fits the specification. The primary of several workers loads none of this. */
async function serveOver(
  context: Context,
  found: Startable,
  flags: StartFlags,
  worker?: WorkerRole,
): Promise<void> {
  const [{ openStart }, { serve }] = await Promise.all([
    import('../../server/serve/open-start.ts'),
    import('../serve.ts'),
  ]);
  const server = await openStart(context, found, { isVerbose: flags.verbose === true, worker });
  const { live } = server;
  if (worker === undefined) context.onHangup(() => live.reread());
  else {
    // The primary hears it too, and sends the text.
    context.onHangup(() => undefined);
    worker.onSpecification((text) => live.reread(text));
  }
  await serve(context, server, flags, 'start', worker);
}

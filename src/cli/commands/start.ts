import cluster from 'node:cluster';
import { fromFolder, type Context } from '../../server/context.ts';
import { databaseName, withDatabase, withStoredForms } from '../../server/database/database.ts';
import { kindOf } from '../../server/database/kinds.ts';
import { CommandFailure } from '../../server/failure.ts';
import { requireCurrent } from '../../server/database/schema.ts';
import {
  noteRefusal,
  Rereading,
  rereadSpecification,
  type Terms,
} from '../../server/serve/reread.ts';
import { requireAccess, requireTarget } from '../../server/serve/start-rules.ts';
import { listenAddress, readPort, readWorkers, type DevFlags } from '../../server/serve/address.ts';
import type { OpenDatabase } from '../../server/database/target.ts';
import { requireEndpointAccess, withStartedCode } from '../../server/files/code.ts';
import {
  formatProblem,
  requireSpecification,
  type SpecificationFile,
} from '../../server/files/specification.ts';
import type { WorkerRole } from '../workers/worker.ts';

export interface StartFlags extends DevFlags {
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
  const { name, warnings } = read;
  const writable = requireAccess(read);
  for (const warning of warnings) context.output.note(formatProblem(warning));
  const target = requireTarget(context, flags, read);
  if (count > 1 && kindOf(target.url) === 'memory')
    throw new CommandFailure(
      'Several workers cannot share a database in memory. Name a file or a PostgreSQL database, or leave out --workers.',
      { exitCode: 2 },
    );
  const specification = await withStoredForms(context, target, read);
  await requireCurrent(context, target, specification.api);
  if (writable.length > 0)
    context.output.note(
      `Warning: everyone may write ${writable.join(', ')}, since ${name} has no "auth" block.`,
    );
  const terms = { flag: flags.database, target, requireAccess };
  if (count === 1) {
    await serveOver(context, specification, terms, flags);
    return;
  }
  const { runWorkers } = await import('../workers/primary.ts');
  const address = listenAddress(context, flags, specification.api.settings.server);
  const { text } = read;
  const reread = async (): Promise<string | undefined> => {
    try {
      return (await rereadSpecification(context, name, terms)).text;
    } catch (error) {
      noteRefusal(context, error, await databaseName(context, target));
      return undefined;
    }
  };
  await runWorkers(context, count, { path: fromFolder(context, name), text }, address, reread);
}

/** Serves as one of several workers. The primary has checked the specification and the database. */
async function startWorker(context: Context, flags: StartFlags, count: number): Promise<void> {
  const own = { ...context, memory: context.memory / count };
  const { runWorker } = await import('../workers/worker.ts');
  await runWorker(own, count, async (role) => {
    const { path, text } = role.specification;
    const read = requireSpecification(own, { file: path }, { given: text });
    const target = requireTarget(own, flags, read);
    const specification = await withStoredForms(own, target, read);
    const terms = { flag: flags.database, target, requireAccess };
    await serveOver(own, specification, terms, flags, role);
  });
}

/** Serves a database that fits the specification. */
async function serveOver(
  context: Context,
  read: SpecificationFile,
  terms: Terms,
  flags: StartFlags,
  worker?: WorkerRole,
): Promise<void> {
  const serveOn = async (specification: SpecificationFile, open: OpenDatabase): Promise<void> => {
    // All workers read the same text: one of them prints what comes of it.
    const output =
      worker?.isReporter === false ? { ...context.output, note: () => undefined } : context.output;
    const live = new Rereading({ ...context, output }, terms, specification, open);
    if (worker === undefined) context.onHangup(() => live.reread());
    else {
      // The primary hears it too, and sends the text.
      context.onHangup(() => undefined);
      worker.onSpecification((text) => live.reread(text));
    }
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'start', { worker, live });
  };
  await withStartedCode(context, read, async (specification) => {
    requireEndpointAccess(specification);
    await withDatabase(context, terms.target, 'write', (open) => serveOn(specification, open));
  });
}

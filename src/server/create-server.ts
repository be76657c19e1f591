import type { AnyApi, ApiTypes, OwnerDb } from '../extensions/code.ts';
import { ownerAsking } from '../http/api/in-process.ts';
import type { ApiServer } from '../http/server/server.ts';
import { getOrInsert } from '../lib/get-or-insert.ts';
import { neededSteps, type MigrationOptions } from '../migrations/steps.ts';
import { owner } from '../model/access.ts';
import type { Api } from '../model/api.ts';
import type { Context } from './context.ts';
import { closingOnFailure, openDatabase } from './database/database.ts';
import { databaseKindOf } from './database/kinds.ts';
import { migrationRefusal, stepLines, whyBehind } from './database/schema.ts';
import type { OpenDatabase } from './database/target.ts';
import { openDev } from './dev/open-dev.ts';
import { embeddedContext, publicError, readGiven, told } from './embedded.ts';
import type { CreateServerOptions, ListenAddress, PlinthServer } from './embedding.ts';
import { CommandFailure } from './failure.ts';
import type { SpecificationFile } from './files/specification.ts';
import type { OpenServer } from './serve/open-server.ts';
import { openStart } from './serve/open-start.ts';
import { startable } from './serve/start-rules.ts';

/** Makes a server in this process. See `createServer` of `index.ts`. */
export async function makeServer<Api extends ApiTypes = AnyApi>(
  options: CreateServerOptions,
): Promise<PlinthServer<Api>> {
  const context = embeddedContext(options);
  return told(async () => {
    const read = readGiven(context, options);
    const found =
      options.mode === 'dev'
        ? await forDev(context, options, read)
        : await forStart(context, options, read);
    return serverOf<Api>(found);
  });
}

/** A server that may still lack an up-to-date database. */
interface FoundServer {
  /** Fails if the database is not up to date. */
  readonly server: () => OpenServer;
  /** The Api that is served, or will be. */
  readonly api: () => Api;
  readonly migrate: PlinthServer['migrate'];
  readonly close: () => Promise<void>;
}

const settings = { isVerbose: true };

async function forDev(
  context: Context,
  { database, specification: given, generate = true, watch = true }: CreateServerOptions,
  read: SpecificationFile,
): Promise<FoundServer> {
  const isNamed = database !== undefined || read.api.settings.database?.url !== undefined;
  const options = {
    // What is in no file has no folder for a database.
    database: given === undefined || isNamed ? database : 'sqlite::memory:',
    generate,
    watch: watch && given === undefined,
  };
  const server = await openDev(context, read, options, settings);
  server.follow();
  return {
    server: () => server,
    api: () => server.live.current.api,
    migrate: async () => [],
    close: server.close,
  };
}

async function forStart(
  context: Context,
  { database }: CreateServerOptions,
  read: SpecificationFile,
): Promise<FoundServer> {
  const found = await startable(context, read, database);
  const { target, specification } = found;
  const { api } = specification;
  let server: OpenServer | undefined;
  const open = async (upToDate?: () => Promise<OpenDatabase>): Promise<void> => {
    server = await openStart(context, found, settings, upToDate);
    server.follow();
  };
  const migrated = async (
    database: OpenDatabase,
    options: MigrationOptions,
  ): Promise<readonly string[]> => {
    const steps = await database.migrate(api, options);
    const what = migrationRefusal(context, target, steps, options);
    if (what !== undefined)
      throw new CommandFailure(`Nothing was changed. ${what}`, {
        details: stepLines(neededSteps(steps), options),
      });
    return stepLines(options.allowDataLoss === true ? steps : neededSteps(steps), options);
  };
  const refusal =
    databaseKindOf(target.url) === 'memory'
      ? new Error('The database in memory is empty. Call migrate() first.')
      : await whyBehind(context, target, api, 'empty');
  if (refusal === undefined) await open();
  return {
    server: () => {
      if (server === undefined) throw publicError(refusal);
      return server;
    },
    api: () => server?.live.current.api ?? api,
    migrate: async (options = {}) => {
      if (server !== undefined) return migrated(server.open, options);
      let lines: readonly string[] = [];
      // A database in memory lasts as long as it is open: what is migrated is what is served.
      await open(async () => {
        const database = await openDatabase(context, target, 'create');
        lines = await closingOnFailure(database, () => migrated(database, options));
        return database;
      });
      return lines;
    },
    close: async () => server?.close(),
  };
}

function serverOf<Api extends ApiTypes>({
  server,
  api,
  migrate,
  close,
}: FoundServer): PlinthServer<Api> {
  const clients = new WeakMap<object, OwnerDb<Api>>();
  let url: string | undefined;
  let listening: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    // A port that opens later would stay open.
    await listening?.catch(() => undefined);
    await close();
  };
  const closeOnce = (): Promise<void> =>
    (closed ??= told(end).finally(() => {
      url = undefined;
    }));
  const requireOpen = (): void => {
    if (closed !== undefined) throw new CommandFailure('The server is closed.');
  };
  const listen = async ({ host, port }: ListenAddress): Promise<void> => {
    ({ url } = await server().listen({
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port: String(port) }),
    }));
  };
  const askAsOwner = async (request: Request): Promise<Response> =>
    server().api.fetch(request, {}, { caller: owner, isOfFile: true });
  return {
    get url() {
      return url;
    },
    listen: (address = {}) =>
      told(async () => {
        requireOpen();
        if (listening !== undefined)
          throw new CommandFailure(
            `The server listens already${url === undefined ? '' : `, at ${url}`}.`,
          );
        listening = listen(address);
        await listening.catch((error: unknown) => {
          listening = undefined;
          throw error;
        });
      }),
    handler: (request, response, next) => {
      let handle: ApiServer['handler'];
      try {
        handle = server().api.handler;
      } catch (error) {
        if (next === undefined) request.socket.destroy();
        else next(error);
        return;
      }
      handle(request, response, next);
    },
    fetch: async (request, caller) => server().api.fetch(request, caller),
    get db() {
      return getOrInsert(clients, api(), () => ownerAsking(askAsOwner, api()) as OwnerDb<Api>);
    },
    migrate: (options) =>
      told(async () => {
        requireOpen();
        return migrate(options);
      }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

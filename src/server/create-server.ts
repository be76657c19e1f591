import type { AnyApi, ApiTypes, OwnerDb } from '../extensions/code.ts';
import type { Mode } from '../http/edge/edge.ts';
import { ownerAsking } from '../http/api/in-process.ts';
import { getOrInsert } from '../lib/get-or-insert.ts';
import { neededSteps } from '../migrations/steps.ts';
import { owner } from '../model/access.ts';
import type { Context } from './context.ts';
import { openDatabase, withStoredForms } from './database/database.ts';
import { kindOf } from './database/kinds.ts';
import { migrationRefusal, stepLines, whyBehind } from './database/schema.ts';
import { targetOrDevelopment, type OpenDatabase } from './database/target.ts';
import { prepare, servedOn } from './dev/prepare.ts';
import { embeddedContext, publicError, readGiven, told } from './embedded.ts';
import type { CreateServerOptions, ListenAddress, PlinthServer } from './embedding.ts';
import { LiveReload } from './dev/reload.ts';
import { CommandFailure, databaseFailure } from './failure.ts';
import { requireEndpointAccess, withStartedCode } from './files/code.ts';
import type { SpecificationFile } from './files/specification.ts';
import { listenAddress, urlHost } from './serve/address.ts';
import { composeServer, type ComposedServer } from './serve/compose.ts';
import { Rereading } from './serve/reread.ts';
import { requireAccess, requireTarget } from './serve/start-rules.ts';
import { openTls, type OpenTls } from './serve/tls.ts';

/** Makes a server in this process. See `createServer` of `index.ts`. */
export async function makeServer<Api extends ApiTypes = AnyApi>(
  options: CreateServerOptions,
): Promise<PlinthServer<Api>> {
  const context = embeddedContext(options);
  return told(async () => {
    const read = readGiven(context, options);
    const parts =
      options.mode === 'dev'
        ? await openDev(context, options, read)
        : await openStart(context, options, read);
    return serverOf<Api>(context, parts, options.mode ?? 'start');
  });
}

/** A server before it listens. */
interface Parts {
  readonly specification: SpecificationFile;
  /** Fails if the database is not up to date. */
  readonly composed: () => ComposedServer;
  /** The Api that is served, or will be. */
  readonly api: () => SpecificationFile['api'];
  readonly migrate: PlinthServer['migrate'];
  readonly close: () => Promise<void>;
}

async function openDev(
  context: Context,
  { database, specification: given, generate = true, watch = true }: CreateServerOptions,
  read: SpecificationFile,
): Promise<Parts> {
  const isNamed = database !== undefined || read.api.settings.database?.url !== undefined;
  // What is in no file has no folder for a database.
  const flag = given === undefined || isNamed ? database : 'sqlite::memory:';
  const target = targetOrDevelopment(context, read, flag);
  const found = await withStoredForms(context, target, read);
  return withStartedCode(context, found, async (specification) => {
    const open = await openDatabase(context, target, target.isOwn ? 'create' : 'write');
    return closing(open, async () => {
      const options = { generates: generate };
      const served = await servedOn(specification, target, open, options);
      await prepare(context, served, options);
      const flags = {
        generate,
        watch: watch && given === undefined,
        ...(flag === undefined ? {} : { database: flag }),
      };
      const live = new LiveReload(context, flags, served);
      const composed = await composeServer(context, open, 'dev', live, { isVerbose: true });
      live.begin(composed.api.readers);
      return {
        specification,
        composed: () => composed,
        api: () => live.current.api,
        migrate: async () => [],
        close: async () => {
          await composed.close();
          await open.close();
        },
      };
    });
  });
}

async function openStart(
  context: Context,
  { database }: CreateServerOptions,
  read: SpecificationFile,
): Promise<Parts> {
  requireAccess(read);
  const target = requireTarget(context, database === undefined ? {} : { database }, read);
  const specification = await withStoredForms(context, target, read);
  const { api } = specification;
  // A database in memory lasts as long as the connection: it is opened once, and empty.
  const isMemory = kindOf(target.url) === 'memory';
  let open = isMemory ? await openDatabase(context, target, 'create') : undefined;
  let composed: ComposedServer | undefined;
  let live: Rereading | undefined;
  const compose = (): Promise<void> => withStartedCode(context, specification, composeOf);
  const composeOf = async (loaded: SpecificationFile): Promise<void> => {
    requireEndpointAccess(loaded);
    const own = (open ??= await openDatabase(context, target, 'write'));
    const terms = { flag: database, target, requireAccess };
    live = new Rereading(context, terms, loaded, own);
    composed = await composeServer(context, own, 'start', live, { isVerbose: true });
    live.begin(composed.api.readers);
  };
  const refusal = isMemory
    ? new Error('The database in memory is empty. Call migrate() first.')
    : await whyBehind(context, target, api, 'empty');
  if (refusal === undefined)
    await compose().catch(async (error: unknown) => {
      await open?.close();
      throw error;
    });
  return {
    specification,
    composed: () => {
      if (composed === undefined) throw publicError(refusal);
      return composed;
    },
    api: () => live?.current.api ?? api,
    migrate: async (options = {}) => {
      open ??= await openDatabase(context, target, 'create');
      const steps = await open.migrate(api, options);
      const what = migrationRefusal(context, target, steps, options);
      if (what !== undefined)
        throw new CommandFailure(`Nothing was changed. ${what}`, {
          details: stepLines(neededSteps(steps), options),
        });
      if (composed === undefined) await compose();
      return stepLines(options.allowDataLoss === true ? steps : neededSteps(steps), options);
    },
    close: async () => {
      await composed?.close();
      await open?.close();
    },
  };
}

function serverOf<Api extends ApiTypes>(
  context: Context,
  { specification, composed, api, migrate, close }: Parts,
  mode: Mode,
): PlinthServer<Api> {
  const clients = new WeakMap<object, OwnerDb<Api>>();
  let url: string | undefined;
  let tls: OpenTls | undefined;
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
      tls?.close();
    }));
  const listen = async (address: ListenAddress): Promise<void> => {
    const server = composed();
    const { settings } = specification.api;
    const { host, port } = listenAddress(
      context,
      {
        ...(address.host === undefined ? {} : { host: address.host }),
        ...(address.port === undefined ? {} : { port: String(address.port) }),
      },
      settings.server,
    );
    tls = await openTls(context, settings.server ?? {}, specification.folder, host);
    const bound = await server.listen({ host, port, tls });
    url = `${tls === undefined ? 'http' : 'https'}://${urlHost(host)}:${bound}`;
  };
  const askAsOwner = async (request: Request): Promise<Response> =>
    composed().api.fetch(request, {}, { caller: owner, isOfFile: true });
  return {
    get url() {
      return url;
    },
    listen: (address = {}) =>
      told(async () => {
        if (closed !== undefined) throw new CommandFailure('The server is closed.');
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
      let server: ComposedServer;
      try {
        server = composed();
      } catch (error) {
        if (next === undefined) request.socket.destroy();
        else next(error);
        return;
      }
      server.api.handler(request, response, next);
    },
    fetch: async (request, caller) => composed().api.fetch(request, caller),
    get db() {
      return getOrInsert(clients, api(), () => ownerAsking(askAsOwner, api()) as OwnerDb<Api>);
    },
    migrate: (options) => told(() => (mode === 'dev' ? Promise.resolve([]) : migrate(options))),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** Runs the work; closes the database if it fails. */
async function closing<Value>(open: OpenDatabase, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    await open.close().catch(() => undefined);
    throw databaseFailure(error, open.name);
  }
}

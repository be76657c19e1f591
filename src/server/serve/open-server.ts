import type { Mode } from '../../http/edge/edge.ts';
import type { ConnectionSource } from '../../http/server/listener.ts';
import type { ApiServer } from '../../http/server/server.ts';
import type { Workers } from '../../http/server/workers.ts';
import type { Context } from '../context.ts';
import { closingOnFailure } from '../database/database.ts';
import type { OpenDatabase } from '../database/target.ts';
import { withStartedCode } from '../files/code.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { listenAddress, urlHost, type ListenFlags } from './address.ts';
import { composeServer } from './compose.ts';
import { openTls, type OpenTls, type SharedCertificate } from './tls.ts';
import type { Reload } from './versions.ts';

/** What a server has that is one of several workers. */
export interface WorkerParts extends SharedCertificate {
  readonly workers: Workers;
  readonly connections: ConnectionSource;
}

export interface ServerSettings {
  /** Whether messages have the stacks of errors. */
  readonly isVerbose: boolean;
  readonly worker?: WorkerParts | undefined;
}

/** Where a server listens. */
export interface Listening {
  /** As clients use it. */
  readonly url: string;
  readonly host: string;
  readonly isSelfSigned: boolean;
}

/**
 * A server on its open database, before it listens. `createServer`, `plinth dev` and `plinth start` all serve one, which
 * `openDev` or `openStart` has made.
 */
export interface OpenServer<Live extends Reload = Reload> {
  /** The first one that it serves. */
  readonly specification: SpecificationFile;
  /** The first database. */
  readonly open: OpenDatabase;
  readonly live: Live;
  readonly api: ApiServer;
  /** Begins to follow the specification. */
  readonly follow: () => void;
  /** Listens where the flags, the environment or the specification say. Fails with one sentence if the system refuses. */
  readonly listen: (flags: ListenFlags) => Promise<Listening>;
  /** Ends the requests in flight, then own code, the database and the log. See `ApiServer`. */
  readonly close: (drainDelay?: number) => Promise<void>;
}

/** What `dev` and `start` do differently. */
interface Steps<Live extends Reload> {
  readonly mode: Mode;
  readonly openDatabase: (specification: SpecificationFile) => Promise<OpenDatabase>;
  /** Gets the open database ready, and makes what follows the specification. It closes the database. */
  readonly prepare: (specification: SpecificationFile, open: OpenDatabase) => Promise<Live>;
}

/**
 * Starts own code, opens the database, gets it ready, and composes a server. If a step fails, those before it are
 * undone.
 */
export async function openServer<Live extends Reload>(
  context: Context,
  found: SpecificationFile,
  { mode, openDatabase, prepare }: Steps<Live>,
  settings: ServerSettings,
): Promise<OpenServer<Live>> {
  return withStartedCode(context, found, async (specification) => {
    const open = await openDatabase(specification);
    return closingOnFailure(open, async () => {
      const live = await prepare(specification, open);
      const { api, listen, close } = await composeServer(context, open, mode, live, settings);
      const { worker } = settings;
      const server = specification.api.settings.server ?? {};
      let tls: OpenTls | undefined;
      return {
        specification,
        open,
        live,
        api,
        follow: () => live.begin(api.readers),
        listen: async (flags) => {
          const { host, port } = listenAddress(context, flags, server);
          tls = await openTls(context, server, specification.folder, host, worker);
          const bound = await listen({
            host,
            port,
            tls,
            connectionSource: worker?.connections,
          }).catch((error: unknown) => {
            tls?.close();
            throw error;
          });
          const url = `${tls === undefined ? 'http' : 'https'}://${urlHost(host)}:${bound}`;
          return { url, host, isSelfSigned: tls?.isSelfSigned === true };
        },
        close: async (drainDelay) => {
          await close(drainDelay);
          tls?.close();
        },
      };
    });
  });
}

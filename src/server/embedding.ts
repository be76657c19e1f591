import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyApi, ApiTypes, OwnerDb } from '../extensions/code.ts';
import type { Mode } from '../http/edge/edge.ts';
import type { FetchContext, Next } from '../http/server/server.ts';
import type { Problem } from '../specification/problems.ts';
import type { Specification } from '../specification/specification.ts';

/** Takes what a server tells, as the console, pino and the log of Fastify do. */
export interface Logger {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

/** What `createServer` takes: one of `file` and `specification`, and what the command line has flags for. */
export interface CreateServerOptions {
  /** The path of the specification, from `folder`. Default: `plinth.yaml`, `plinth.yml` or `plinth.json` in `folder`. */
  readonly file?: string;
  /** The specification itself, as an object or as the text of a file, instead of `file`. */
  readonly specification?: Specification | string;
  /** Where relative paths start. Default: the current folder. */
  readonly folder?: string;
  /** `start`, the default, serves a database that is up to date; `dev` migrates and fills its own, and follows the file. */
  readonly mode?: Mode;
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Default: as the specification says; `dev` has one of its own. */
  readonly database?: string;
  /** In `dev`: whether records are generated. Default: yes. */
  readonly generate?: boolean;
  /** In `dev`: whether changes of `file` are served. Default: yes. */
  readonly watch?: boolean;
  /** What `${NAME}` in the specification stands for. Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Takes log lines and messages. Default: nobody does. */
  readonly logger?: Logger;
  /** How much memory the server may plan with, in bytes. Default: that of the machine or container. */
  readonly memory?: number;
}

/** Where a server listens; what is missing is taken from the environment, then from the specification. */
export interface ListenAddress {
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
}

/** A server in this process. `Api`: a type of the file that `plinth types` writes. */
export interface PlinthServer<Api extends ApiTypes = AnyApi> extends AsyncDisposable {
  /** Where it listens; undefined if it does not. */
  readonly url: string | undefined;
  /** Listens on a port of its own; resolves when requests are answered. */
  readonly listen: (address?: ListenAddress) => Promise<void>;
  /**
   * Answers a request of a server of `node:http`: `app.use('/api', server.handler)`. Paths that are not the API's go to
   * `next`, or get 404 without it. Mount it before what parses bodies.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: Next) => void;
  /** Answers a request of Fetch, without a port. Rejects if its signal aborts before there is a response. */
  readonly fetch: (request: Request, context?: FetchContext) => Promise<Response>;
  /**
   * The API as a typed client, in the names of the file and with the rights of the owner: no access rule holds. A failure throws
   * a `PlinthError`. It ignores access rules: never pass its results to callers, use `fetch` for them.
   */
  readonly db: OwnerDb<Api>;
  /**
   * Brings the database of `start` up to date in one transaction, and returns what was done, a line for each step. Rejects
   * without a change if a step is not possible, or would lose values that `allowDataLoss` does not give up.
   */
  readonly migrate: (options?: { readonly allowDataLoss?: boolean }) => Promise<readonly string[]>;
  /** Ends the requests in flight, then the database. */
  readonly close: () => Promise<void>;
}

/** The specification has errors. */
export class SpecificationError extends Error {
  override readonly name = 'SpecificationError';
  /** All problems, warnings too, as `plinth check --json` prints them. */
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[], cause?: unknown) {
    super(message, { cause });
    this.problems = problems;
  }
}

/** The public API of the package. */
import type { AnyApi, ApiTypes } from './extensions/code.ts';
import type { CreateServerOptions, PlinthServer } from './server/embedding.ts';

/**
 * Makes a server in this process, which may hold several. It does not touch signals, the exit code and the standard streams.
 * Rejects with a `SpecificationError` if the specification has errors, and with an `Error` that says what to do if it cannot
 * be served for another reason.
 *
 * ```ts
 * const server = await createServer({ file: 'plinth.yaml', mode: 'dev' });
 * await server.listen({ port: 4000 });
 * ```
 *
 * `Api` is a type of the file that `plinth types` writes, for `server.db`.
 */
export async function createServer<Api extends ApiTypes = AnyApi>(
  options: CreateServerOptions = {},
): Promise<PlinthServer<Api>> {
  // A module that only takes a type or `defineCode` of the package does not load the server.
  const { makeServer } = await import('./server/create-server.ts');
  return makeServer<Api>(options);
}

export { SpecificationError } from './server/embedding.ts';
export type {
  CreateServerOptions,
  ListenAddress,
  Logger,
  PlinthServer,
} from './server/embedding.ts';
export type { FetchContext, Next } from './http/server/server.ts';
/** Specifications, what is wrong with one, and what functions of `generator` get. */
export type { Problem } from './specification/problems.ts';
export type { Specification } from './specification/specification.ts';
export type { GeneratorContext } from './generate/custom/modules.ts';
/** What the typed client throws in process: `db` of own code and of servers. */
export { PlinthError } from './client/runtime.ts';
/** Own code: what the module of `code` exports. */
export { defineCode, endpoint } from './extensions/code.ts';
export type {
  AnyApi,
  ApiTypes,
  ChangeHookContext,
  Code,
  CodeContext,
  CodeLog,
  CodeProblem,
  CodeRequest,
  Committed,
  ComputedValue,
  Db,
  EndpointContext,
  EndpointDefinition,
  EndpointHandler,
  Fail,
  Operation,
  OwnerDb,
  ResourceCode,
  Sql,
  SqlName,
  SqlParameter,
  SqlRows,
  SqlScalar,
  TypedEndpoint,
  User,
  ValueOf,
  WriteHookContext,
} from './extensions/code.ts';

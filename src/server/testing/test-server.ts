import process from 'node:process';
import type { ApiTypes } from '../../extensions/code.ts';
import { ServedApi } from '../../http/server/served-api.ts';
import type { SandboxCopy } from '../../http/sandboxes/sandboxes.ts';
import type { CreateServerOptions } from '../embedding.ts';
import { embeddedContext, readGiven, told } from '../embedded.ts';
import { sandboxSource } from '../dev/sandbox-source.ts';
import { withCode } from '../files/code.ts';
import { composeServer } from '../serve/compose.ts';
import { openCopy } from './records.ts';
import { makeSandbox, type OpenedSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';

/** What `testServer` takes: one of `file` and `specification`. */
export type TestServerOptions = Pick<
  CreateServerOptions,
  'file' | 'specification' | 'folder' | 'generate' | 'environment' | 'logger' | 'memory'
>;

/** An API for tests. Its records are those of its sandboxes. */
export interface TestServer<Api extends ApiTypes> extends AsyncDisposable {
  /**
   * A database of its own with the generated records, or those of `records`; nothing of it is left when it is closed. It is
   * opened when it is first used.
   */
  readonly sandbox: (options?: SandboxOptions<Api>) => Sandbox<Api>;
  /** Closes all sandboxes, then calls `stop` of own code. The next `testServer` begins anew. */
  readonly close: () => Promise<void>;
}

/** Makes the server of sandboxes. It holds no database itself. */
export async function openTestServer<Api extends ApiTypes>(
  options: TestServerOptions,
): Promise<TestServer<Api>> {
  const context = embeddedContext(options);
  const specification = await told(() => withCode(context, readGiven(context, options)));
  const { api, folder, code } = specification;
  const { generate = true } = options;
  const inMemory = true;
  const source = sandboxSource(context, specification, { generates: generate }, { inMemory });
  // Tests may leave some open.
  process.once('exit', source.removeFiles);
  const sandboxes = new Set<Sandbox<Api>>();
  let original: ServedApi | undefined;
  const servedOn = ({ database }: SandboxCopy): ServedApi => {
    // Views and plans are made once for all sandboxes.
    if (original !== undefined) return original.onCopy(database);
    original = new ServedApi(api, database, folder, undefined, code);
    return original;
  };
  const open = async (
    records: SandboxOptions<Api>['records'],
    clock: () => Date,
  ): Promise<OpenedSandbox> => {
    const copy = await openCopy(source, records, clock);
    const current = servedOn(copy);
    const nothing = async (): Promise<void> => undefined;
    const live = { current, begin: () => undefined, end: nothing, close: nothing };
    const own = { ...context, clockAndIds: { ...context.clockAndIds, now: clock } };
    const server = await composeServer(own, copy, 'dev', live, { isVerbose: true });
    return {
      api: server.api,
      close: async () => {
        await server.close();
        await copy.close();
      },
    };
  };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= told(async () => {
      await Promise.all([...sandboxes].map((sandbox) => sandbox.close()));
      await source.close();
      process.off('exit', source.removeFiles);
      await code?.stop();
    }));
  return {
    sandbox: (given = {}) => {
      if (closed !== undefined) throw new Error('The test server is closed.');
      const { records, now } = given;
      const clock = now === undefined ? context.clockAndIds.now : standing(now);
      const openThis = (): Promise<OpenedSandbox> => told(() => open(records, clock));
      const sandbox = makeSandbox(api, given, openThis, (one) => sandboxes.delete(one));
      sandboxes.add(sandbox);
      return sandbox;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A clock that stands. */
function standing(now: Date | string | number): () => Date {
  const time = new Date(now).getTime();
  if (Number.isNaN(time)) throw new TypeError(`now is no date: ${String(now)}`);
  return () => new Date(time);
}

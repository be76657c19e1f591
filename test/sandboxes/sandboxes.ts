import type { Context } from '../../src/server/context.ts';
import { fillEmpty } from '../../src/server/dev/fill.ts';
import { sandboxSource } from '../../src/server/dev/sandbox-source.ts';
import { requireSpecification } from '../../src/server/files/specification.ts';
import { openTemporary } from '../../src/server/database/sqlite.ts';
import { Sandboxes, type SandboxSource } from '../../src/http/sandboxes/sandboxes.ts';
import type { ServerOptions } from '../../src/http/server/server.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { serve, type TestApi } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';

/** What `dev` serves on SQLite, in this process, with a clock that goes on when a test says so. */
export interface SandboxedApi extends TestApi {
  /** Adds so many ms to the clock. */
  readonly pass: (ms: number) => void;
  /** How many copies were opened and how many of them were removed. */
  readonly copies: { opened: number; closed: number };
  readonly sandboxes: Sandboxes;
}

/** A command that nobody looks at. */
export function quietContext(folder: string, now = (): Date => new Date()): Context {
  return {
    folder,
    environment: {},
    output: {
      print: () => undefined,
      note: () => undefined,
      progress: (_title, work) => work(() => undefined),
      serving: () => undefined,
      confirm: async () => false,
      document: () => undefined,
      isInteractive: false,
      isTerminal: false,
    },
    clockAndIds: { now, uuid: uuidv7 },
    heapLimit: Infinity,
    memory: Infinity,
    stop: () => new AbortController().signal,
    onHangup: () => undefined,
    onLeak: () => undefined,
  };
}

/** Serves a specification as `dev` does, its database filled. `files` lie beside it: name → content. */
export async function serveSandboxes(
  text: string,
  files: Readonly<Record<string, string>> = {},
  options: Partial<ServerOptions> = {},
): Promise<SandboxedApi> {
  const folder = makeFolder({ 'plinth.yaml': text, ...files });
  const begun = Date.now();
  let passed = 0;
  const clock = (): number => begun + passed;
  const context = quietContext(folder.path, () => new Date(clock()));
  const specification = requireSpecification(context, {});
  const open = openTemporary(folder.at('dev.db'));
  await open.migrate(specification.api);
  await fillEmpty(context, specification, open, { generates: true });
  const copies = { opened: 0, closed: 0 };
  const source = sandboxSource(context, specification, { generates: true });
  const counting: SandboxSource = {
    open: async () => {
      copies.opened += 1;
      const { database, close } = await source.open();
      return { database, close: () => close().then(() => void (copies.closed += 1)) };
    },
    openWith: source.openWith,
    close: source.close,
  };
  const sandboxes = new Sandboxes(counting, clock);
  const api = await serve(specification.api, open.database, context.clockAndIds, [], {
    mode: 'dev',
    ...options,
    sandboxes,
  });
  return {
    ...api,
    pass: (ms) => void (passed += ms),
    copies,
    sandboxes,
    stop: async () => {
      await api.stop();
      await sandboxes.close();
    },
  };
}

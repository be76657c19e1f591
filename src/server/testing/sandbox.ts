import { callerGiven, type GivenCaller } from '../../auth/callers.ts';
import type { ApiTypes, OwnerDb } from '../../extensions/code.ts';
import { clientAsking, ownerAsking } from '../../http/api/in-process.ts';
import type { ApiServer } from '../../http/server/server.ts';
import { owner, type Caller } from '../../model/access.ts';
import type { Api as ServedModel } from '../../model/api.ts';
import type { SandboxRecords } from './records.ts';

/** What closes a sandbox at the end of a test: the context of a test of Vitest, or of `node:test`. */
export type TestContext =
  | { readonly onTestFinished: (work: () => Promise<void>) => void }
  | { readonly after: (work: () => Promise<void>) => void };

export interface SandboxOptions<Api extends ApiTypes> {
  /** Its records, in place of the generated ones; resources that are not named are empty. No hooks run for them. */
  readonly records?: SandboxRecords & {
    readonly [Name in keyof Api['resources'] & string]?: readonly object[];
  };
  /** The time at which its clock stands; default: it goes. */
  readonly now?: Date | string | number;
  /** Closes it with this test. */
  readonly context?: TestContext;
}

/** What one caller uses of a sandbox. */
export interface Visitor<Api extends ApiTypes> {
  /** Answers a request, as `fetch` does over a network: `fetch('/v1/orders')`. */
  readonly fetch: (request: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The typed client, in the names of the file. */
  readonly db: Api['client'];
}

/** An API with records of its own. Its `fetch` asks as its credential says, its `db` has the rights of the owner. */
export interface Sandbox<Api extends ApiTypes> extends Visitor<Api>, AsyncDisposable {
  readonly db: OwnerDb<Api>;
  /** The same for a caller that needs no credential. */
  readonly as: (caller: GivenCaller) => Visitor<Api>;
  /** Goes back to the records of the start. */
  readonly reset: () => Promise<void>;
  /** Resolves when every `afterCommit` is done. */
  readonly settled: () => Promise<void>;
  /** Ends its requests and its `afterCommit`s, and deletes its records. */
  readonly close: () => Promise<void>;
}

/** A sandbox while it is open. */
export interface OpenedSandbox {
  readonly api: Pick<ApiServer, 'fetch' | 'settled'>;
  readonly close: () => Promise<void>;
}

/** A sandbox that `open` opens when it is first used. `onClose`: called once it is closed. */
export function makeSandbox<Api extends ApiTypes>(
  api: ServedModel,
  { context }: SandboxOptions<Api>,
  open: () => Promise<OpenedSandbox>,
  onClose: (sandbox: Sandbox<Api>) => void,
): Sandbox<Api> {
  let opened: Promise<OpenedSandbox> | undefined;
  let closed: Promise<void> | undefined;
  const inside = (): Promise<OpenedSandbox> => {
    if (closed !== undefined) throw new Error('The sandbox is closed.');
    return (opened ??= open());
  };
  const end = async (): Promise<void> => {
    const former = opened;
    opened = undefined;
    // If it could not be opened, its first request has told.
    await (await former?.catch(() => undefined))?.close();
  };
  const close = (): Promise<void> => (closed ??= end().finally(() => onClose(sandbox)));
  const fetchAs =
    (caller: Caller | undefined): Visitor<Api>['fetch'] =>
    async (request, init) => {
      const sandbox = await inside();
      const given = caller && { caller, isOfFile: false };
      return sandbox.api.fetch(requestOf(request, init), {}, given);
    };
  const askAs =
    (caller: Caller) =>
    async (request: Request): Promise<Response> => {
      const sandbox = await inside();
      return sandbox.api.fetch(request, {}, { caller, isOfFile: true });
    };
  const rolesClaim = api.settings.auth?.jwt?.rolesClaim;
  let db: OwnerDb<Api> | undefined;
  closeWith(context, close);
  const sandbox: Sandbox<Api> = {
    fetch: fetchAs(undefined),
    get db() {
      return (db ??= ownerAsking(askAs(owner), api) as OwnerDb<Api>);
    },
    as: (given) => {
      const caller = callerGiven(given, rolesClaim);
      return { fetch: fetchAs(caller), db: clientAsking(askAs(caller), api) };
    },
    reset: end,
    settled: async () => (await opened)?.api.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return sandbox;
}

/** Paths are those of the API; the host is any. */
function requestOf(request: string | URL | Request, init?: RequestInit): Request {
  const isWhole = request instanceof Request;
  if (isWhole) return init === undefined ? request : new Request(request, init);
  return new Request(new URL(request, 'http://localhost'), init);
}

function closeWith(context: TestContext | undefined, close: () => Promise<void>): void {
  if (context === undefined) return;
  if ('onTestFinished' in context) context.onTestFinished(close);
  else if ('after' in context) context.after(close);
  else
    throw new TypeError(
      'context is not the context of a test. Give that of Vitest, or of node:test, or close the sandbox yourself.',
    );
}

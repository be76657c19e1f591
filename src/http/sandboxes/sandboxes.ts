import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { Database } from '../../databases/database.ts';
import { IdempotencyKeys } from '../../records/write/idempotency.ts';
import { InFlight } from '../server/in-flight.ts';

/**
 * How many sandboxes there may be at once, and how long an unused one is kept, in ms. See
 * docs/contract/7-data-debug-dashboard.md#sandboxes.
 */
const mostSandboxes = 50;
const longestIdle = 10 * 60_000;
/** How often expired sandboxes are removed, in ms; no request finds an expired one. */
const sweepEvery = 60_000;

/** Where sandboxes get their data from. */
export interface SandboxSource {
  /** Makes a copy of the generated data and opens it. */
  readonly open: () => Promise<SandboxCopy>;
  /**
   * Opens a database with these records alone: JSON of lists by resource. `now`: the clock of their defaults; default: that of
   * the server. Throws a `RefusedRecords`.
   */
  readonly openWith: (records: Buffer, now?: () => Date) => Promise<SandboxCopy>;
  /** Removes what copies are made from. */
  readonly close: () => Promise<void>;
}

/** The records of a sandbox have problems, and it was not made. */
export class RefusedRecords extends Error {
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  constructor(problems: RefusedRecords['problems']) {
    super('The records of a sandbox have problems');
    this.problems = problems;
  }
}

export interface SandboxCopy {
  readonly database: Database;
  /** Closes and removes it. */
  readonly close: () => Promise<void>;
}

/** A sandbox while a request uses it. */
interface Entered {
  readonly database: Database;
  readonly keys: IdempotencyKeys;
  readonly leave: () => void;
}

/** One item of `GET /_sandboxes`. */
export interface SandboxState {
  readonly name: string;
  /** Since its last request ended; 0 while one runs. */
  readonly idleSeconds: number;
}

interface Sandbox {
  readonly opened: Promise<SandboxCopy & { readonly keys: IdempotencyKeys }>;
  readonly users: InFlight;
  /** When its last request began or ended, by the clock. */
  usedAt: number;
}

/** The sandboxes of a served API: copies of its generated data by name, made on first use. */
export class Sandboxes {
  private readonly source: SandboxSource;
  private readonly clock: () => number;
  private readonly byName = new Map<string, Sandbox>();
  /** Sandboxes that are removed and being closed; and how many of them still run requests. */
  private readonly leaving = new Set<Promise<void>>();
  private closingInUse = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `clock`: monotonic, in whole ms. */
  constructor(source: SandboxSource, clock: () => number) {
    this.source = source;
    this.clock = clock;
  }

  /** The sandbox for one request, which must call `leave`. Fails with SANDBOXES_FULL. */
  async enter(name: string): Promise<Result<Entered>> {
    this.sweep();
    let sandbox = this.byName.get(name);
    if (sandbox === undefined) {
      if (this.byName.size + this.closingInUse >= mostSandboxes) return fail(this.full());
      sandbox = this.make(name, () => this.source.open());
    }
    const { users, opened } = sandbox;
    users.enter();
    const leave = (): void => {
      sandbox.usedAt = this.clock();
      users.leave();
    };
    try {
      const { database, keys } = await opened;
      return ok({ database, keys, leave });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Makes a sandbox with these records alone, in place of the one of this name. Fails with SANDBOXES_FULL; throws a
   * `RefusedRecords`.
   */
  async begin(name: string, records: Buffer): Promise<Result<undefined>> {
    await this.remove(name);
    if (this.byName.size + this.closingInUse >= mostSandboxes) return fail(this.full());
    await this.make(name, () => this.source.openWith(records)).opened;
    return ok(undefined);
  }

  /** Removes a sandbox: new requests no longer find it; it is closed when its requests have ended. False if unknown. */
  async remove(name: string): Promise<boolean> {
    this.sweep();
    const sandbox = this.byName.get(name);
    if (sandbox === undefined) return false;
    const isUsed = !sandbox.users.isNone;
    const gone = this.discard(name, sandbox);
    if (!isUsed) await gone;
    return true;
  }

  /** Sorted by name. */
  list(): readonly SandboxState[] {
    this.sweep();
    const now = this.clock();
    return [...this.byName]
      .map(([name, { users, usedAt }]) => ({
        name,
        idleSeconds: users.isNone ? Math.max(0, Math.floor((now - usedAt) / 1000)) : 0,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Removes all sandboxes and their source. No request may be using one. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const [name, sandbox] of this.byName) void this.discard(name, sandbox);
    await Promise.all(this.leaving);
    await this.source.close();
  }

  private make(name: string, open: SandboxSource['open']): Sandbox {
    this.timer ??= setInterval(() => this.sweep(), sweepEvery).unref();
    const opened = open().then((copy) => ({
      ...copy,
      keys: new IdempotencyKeys(copy.database, false),
    }));
    const sandbox: Sandbox = { opened, users: new InFlight(), usedAt: this.clock() };
    this.byName.set(name, sandbox);
    // If making it fails, the next request tries again.
    opened.catch(() => {
      if (this.byName.get(name) === sandbox) this.byName.delete(name);
    });
    return sandbox;
  }

  private discard(name: string, sandbox: Sandbox): Promise<void> {
    this.byName.delete(name);
    const { users, opened } = sandbox;
    const lingers = users.isNone ? 0 : 1;
    this.closingInUse += lingers;
    const gone = users
      .none()
      .then(() => {
        this.closingInUse -= lingers;
        return opened;
      })
      .then(({ close }) => close())
      // The request that opened it already got the error.
      .catch(() => undefined)
      .then(() => void this.leaving.delete(gone));
    this.leaving.add(gone);
    return gone;
  }

  /** Removes sandboxes that were idle for too long. */
  private sweep(): void {
    const end = this.clock() - longestIdle;
    for (const [name, sandbox] of this.byName)
      if (sandbox.users.isNone && sandbox.usedAt <= end) void this.discard(name, sandbox);
  }

  private full(): ApiError {
    const unused = [...this.byName.values()].filter(({ users }) => users.isNone);
    const next = Math.min(...unused.map(({ usedAt }) => usedAt)) + longestIdle - this.clock();
    const seconds = Number.isFinite(next) ? Math.max(1, Math.ceil(next / 1000)) : 1;
    return apiError(
      'SANDBOXES_FULL',
      `There are ${mostSandboxes} sandboxes, as many as there may be; throw one away with DELETE /_sandboxes/<name>`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}

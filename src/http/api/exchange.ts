import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError, Result } from '../../errors.ts';
import type { Database } from '../../databases/database.ts';
import type { IdempotencyKeys } from '../../records/write/idempotency.ts';
import type { Ran } from '../../databases/record-statements.ts';
import type { Caller } from '../../model/access.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import type { ResourceView, View } from '../../model/view.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import type { Query } from '../../query/request/query.ts';
import type { Client } from '../edge/client.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import type { Mode } from '../edge/edge.ts';
import type { MemoryBudget, Reservation } from '../load/memory-budget.ts';
import type { ReadMemory } from '../load/read-memory.ts';
import type { Requester } from '../../sql/statement.ts';
import type { CallerCheck } from '../callers/caller-check.ts';
import type { DebugOptions } from '../../query/request/debug.ts';
import type { NetworkReport, SimulatedNetwork } from '../simulation/simulated-network.ts';
import type { CompiledGroups } from '../../sql/compile/groups.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { CodeNote, RequestTrace } from '../../observability/events.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { ServedApi } from '../server/served-api.ts';
import type { Committed, Operation, ResourceCode } from '../../extensions/code.ts';
import type { BatchOperation } from '../../query/request/batch.ts';
import type { FieldValues } from '../../query/plan.ts';
import type { WrittenRecord } from '../../query/write/written-records.ts';
import type { WriteContext } from '../../records/write/result.ts';
import type { FormerRows } from '../../records/write/checks/former-rows.ts';
import type { SeenRecords } from '../../records/write/unchanged.ts';
import type { Resource } from '../../model/api.ts';
import type { Turns } from './own-code/turns.ts';
import type { Metrics } from '../debug/metrics.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Response } from '../response/response.ts';
import type { BatchRoute, ResourceRoute, SqlRoute } from './router.ts';

/** What the application around the API says of a request that it makes itself. */
export interface Given {
  /** Takes the place of a credential. */
  readonly caller: Caller;
  /**
   * Its path is below the root of the API and in the names of the file, as in `answerAs`. No quota counts it, and the simulated
   * network leaves it alone.
   */
  readonly isOfFile: boolean;
}

/** A request in the pipeline, with what it needs of the server. */
export interface Exchange {
  readonly requestId: string;
  readonly method: string;
  /** As sent: path and query string, undecoded. */
  readonly url: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
  /** The path under which an application has mounted the API, before `path`; empty without one. */
  readonly mount: string;
  readonly headers: IncomingHttpHeaders;
  /** As received: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly client: Client;
  /** Absent for requests of clients. */
  readonly given?: Given | undefined;
  readonly callerCheck: CallerCheck;
  readonly network: SimulatedNetwork;
  /** Reads the body, up to a number of bytes; without one up to the server's limit. */
  readonly readBody: (limit?: number) => Promise<Result<Buffer>>;
  /** Runs work whose signal aborts when the client disconnects. */
  readonly whileThere: <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
  /** See `Requester`. */
  readonly onGone: Requester['onGone'];
  readonly readMemory: ReadMemory;
  /** The memory for what it reads. */
  readonly reservation: Reservation;
  readonly servedApi: ServedApi;
  /** Of the served API or of a sandbox; wrapped if it is recorded. */
  readonly database: Database;
  /** Of the database. */
  readonly keys: IdempotencyKeys;
  /** Registers work for when the response was sent, streams to their end. */
  readonly onEnd: (work: () => void) => void;
  /** Sends finished responses. Call it before long synchronous work. */
  readonly sendEarly: () => void;
  readonly mode: Mode;
  readonly metrics: Metrics;
  /** Undefined if it is off. */
  readonly dashboard: Dashboard | undefined;
  readonly trace: RequestTrace;
  /** What debug members need; undefined without debug parameters. */
  readonly watching: Watching | undefined;
  /** Reports an unforeseen error, and returns the error for the client. */
  readonly failed: (error: unknown) => ApiError;
  readonly clockAndIds: ClockAndIds;
  /** The most characters of the rows of the response; undefined: as many as there is memory for. */
  readonly answerLength: number | undefined;
  readonly exportBudget: MemoryBudget;
  /** Aborts when the server stops: it still answers, but is not ready. */
  readonly stopping: AbortSignal;
  /** Told the ids of what a request has created or changed; `isArray`: its body was an array. Absent outside of batches. */
  readonly onWritten?: ((ids: readonly JsonValue[], isArray: boolean) => void) | undefined;
  /** The database without the settings of the caller; absent if `database` has none. */
  readonly serviceDatabase?: Database | undefined;
  /** The run of own code that this request is a part of. */
  readonly codeRun?: CodeRun | undefined;
  /** Collects what is committed with the transaction that it is in; undefined outside of one. */
  readonly commits?: Commit[] | undefined;
  /** What the transaction of a batch has written so far; undefined outside of one. */
  readonly former?: FormerRows | undefined;
  /** How a write that others precede takes part in the hooks of its request; undefined for a write alone. */
  readonly hookStage?: HookStage | undefined;
  /** Has the transaction that it is in rolled back: a write of own code has failed in it, perhaps half done. */
  readonly spoil?: ((error: Error) => void) | undefined;
  /** The request holds records that it writes: what own code writes for it waits for no turn. */
  readonly holdsTurns?: boolean;
  /** Runs `afterCommit`s. */
  readonly afterCommits: AfterCommits;
  /** The hooked writes that hold records. */
  readonly turns: WeakMap<IdempotencyKeys, Turns>;
  /** Writes a line of own code into the log. */
  readonly note: (note: CodeNote) => void;
  /** Answers a request that is a part of this one; see `inside`. */
  readonly answerRoute: AnswerRoute;
}

/** The run of own code for one request: all its functions share the time, and what they ask by `db` is one level deeper. */
export interface CodeRun {
  /** On the clock of `performance.now()`. */
  readonly until: number;
  /** The functions that led here, the outermost first. */
  readonly chain: readonly string[];
  /** Aborts when the time is up, or the client has gone. */
  readonly signal: AbortSignal;
  abort(reason: string): void;
  /** The deadline is met: what goes on has no other end than the client's. */
  meetDeadline(): void;
  /** A run of what a function of this one calls, one level deeper. */
  below(place: string): CodeRun;
}

/** A record that was written, for `afterCommit`. */
export interface Commit {
  readonly caller: Caller;
  readonly code: ResourceCode;
  readonly resource: Resource;
  readonly operation: Committed['operation'];
  /** The record before and after, as JSON. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The ids of the records that an upsert or a change of many finds. */
export type FoundIds = readonly (JsonValue | undefined)[] | undefined;

/** A write whose hooks run before its transaction. */
export interface PlannedWrite {
  readonly call: Call;
  readonly context: WriteContext;
  /** Finds the records; absent if the plan has their ids. */
  readonly find?: ((database: Database) => Promise<FoundIds>) | undefined;
  readonly records: (found: FoundIds) => readonly WrittenRecord[];
  /** The parts of the body that only earlier answers of its batch can tell, by path. The write is planned again with them. */
  readonly unresolved?: ReadonlyMap<string, unknown> | undefined;
  /** Its number in its batch. */
  readonly operation?: number | undefined;
}

/** A write that a hook has added, and the record that it was added for. */
export interface Added {
  readonly one: WrittenRecord;
  readonly operation: Operation | ((record: never) => Operation);
  /** The write, if its hooks have run before the transaction; otherwise they run in it. */
  readonly prepared?: { readonly operation: BatchOperation; readonly hooked: Hooked };
}

/** What the hooks of a write have done. */
export interface Hooked {
  readonly found: FoundIds;
  /** The ids of the records whose hooks have run, by the key of the record. */
  readonly records: ReadonlyMap<string, JsonValue | undefined>;
  /** The values that hooks have set, by the key of the record. */
  readonly values: ReadonlyMap<string, FieldValues>;
  readonly seen: readonly SeenRecords[];
  readonly added: readonly Added[];
  /** Some records do not exist for the caller, or may not be changed by it: the write will say so. */
  readonly isRefused: boolean;
}

/** Where the hooks of a request are when one of its writes runs. */
export type HookStage =
  /** Before the transaction: the write is planned, tells what its hooks need, if it has some, and ends. */
  | {
      readonly kind: 'plan';
      readonly unresolved: ReadonlyMap<string, unknown>;
      readonly keep: (write: PlannedWrite | undefined) => void;
    }
  /**
   * In the transaction: they have run, if the write was planned. `changed` is of the whole batch; its `take` returns the
   * first record that was changed before.
   */
  | {
      readonly kind: 'write';
      readonly hooked: Hooked | undefined;
      readonly changed?: {
        readonly take: (records: readonly WrittenRecord[]) => WrittenRecord | undefined;
      };
    };

/** Runs work after its request, a bounded number at a time. */
export interface AfterCommits {
  /** Adds work that holds so many bytes; false if too much waits, or there is no memory for it. */
  readonly add: (work: () => Promise<void>, bytes: number) => boolean;
}

/** Answers a request to a resource, a batch or SQL as if it had come alone. */
export type AnswerRoute = (
  exchange: Exchange,
  route: ResourceRoute | BatchRoute | SqlRoute,
  caller: Caller,
) => MaybePromise<Result<Response>>;

/** What a request with debug parameters has collected so far. */
export interface Watching {
  readonly options: DebugOptions;
  /** Every statement that ran. */
  readonly ran: Ran[];
  caller: Caller;
  /** The resource and the id in the path. */
  params: Readonly<Record<string, string>>;
  call?: Call;
  /** The read that makes the response. */
  compiled?: CompiledRead | CompiledGroups;
  /** What the simulated network did to it. */
  network?: NetworkReport;
  /** The cause of an unforeseen error. */
  thrown?: unknown;
  /** The value of `_inspect`. */
  inspected?: unknown;
}

/**
 * What goes before a path in links: `server.publicUrl`, then the path under which an application has mounted the API, unless
 * `publicUrl` has a path of its own. See docs/contract/10-own-code.md#embedding.
 */
export function linkRoot({ servedApi, mount }: Pick<Exchange, 'servedApi' | 'mount'>): string {
  const { publicUrl = '' } = servedApi.api.settings.server ?? {};
  if (mount === '') return publicUrl;
  return publicUrl !== '' && new URL(publicUrl).pathname !== '/' ? publicUrl : publicUrl + mount;
}

/** A request after routing and authorization. */
export interface Call {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly kind: RequestKind;
  readonly view: View;
  readonly resourceView: ResourceView;
  readonly id: string | undefined;
  readonly query: Query;
}

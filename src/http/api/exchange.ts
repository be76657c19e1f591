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
import type { MemoryBudget } from '../load/memory-budget.ts';
import type { Gate } from '../gate/gate.ts';
import type { DebugWish } from '../../query/request/debug.ts';
import type { NetworkReport } from '../simulation/report.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { RequestTrace } from '../../observability/events.ts';
import type { ServedApi } from '../server/served-api.ts';
import type { Metrics } from '../debug/metrics.ts';
import type { SimulatedNetwork } from '../simulation/simulated-network.ts';

/** A request as the pipeline takes it, whatever server brought it. */
export interface Exchange {
  readonly requestId: string;
  readonly method: string;
  /** As sent: path and query string, undecoded. */
  readonly url: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** As they came: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly client: Client;
  readonly gate: Gate;
  readonly network: SimulatedNetwork;
  /** Reads the body when the pipeline comes to it, up to the server's limit. */
  readonly readBody: () => Promise<Result<Buffer>>;
  /** Does work that ends with its signal when the client goes away. */
  readonly whileThere: <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
  readonly servedApi: ServedApi;
  /** That of the generation or of a sandbox, perhaps watched. */
  readonly database: Database;
  /** Those of the database. */
  readonly keys: IdempotencyKeys;
  /** Has something done when the answer was sent, streams to their end. */
  readonly onEnd: (work: () => void) => void;
  /** Sends what is answered already: to be called before what takes long, and lets nothing else run meanwhile. */
  readonly sendEarly: () => void;
  readonly mode: Mode;
  readonly metrics: Metrics;
  /** Absent where there is none. */
  readonly dashboard: Dashboard | undefined;
  readonly trace: RequestTrace;
  /** What is found out on the way for debug members; absent where none are asked for. */
  readonly watching: Watching | undefined;
  /** Reports an error that no rule foresaw; gives what the client is told. */
  readonly failed: (error: unknown) => ApiError;
  readonly clockAndIds: ClockAndIds;
  /** How long the rows of the answer may be in all, in characters; as `Room` has it where nobody says. */
  readonly answerLength: number | undefined;
  readonly exportBudget: MemoryBudget;
  /** Whether the server takes its leave: it answers, but is no longer ready. */
  readonly isStopping: () => boolean;
}

/** What a request that asks for debug members has met so far. */
export interface Watching {
  readonly wish: DebugWish;
  /** Every statement that ran. */
  readonly ran: Ran[];
  caller: Caller;
  /** What the path says: the resource and the id. */
  params: Readonly<Record<string, string>>;
  call?: Call;
  /** The read that answers it. */
  compiled?: CompiledRead;
  /** What the simulated network did to it. */
  network?: NetworkReport;
  /** What has caused the error that is answered, where no rule foresaw it. */
  thrown?: unknown;
  /** What `_inspect=data` shows. */
  inspected?: unknown;
}

/** A request whose path, method and right were found. */
export interface Call {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly kind: RequestKind;
  readonly view: View;
  readonly resourceView: ResourceView;
  readonly id: string | undefined;
  readonly query: Query;
}

/** Types shared by server and dashboard page. */

import type { NetworkSpecification } from '../../specification/specification.ts';
import type { ReloadEvent } from '../../observability/events.ts';

/** The first event of a stream: the server, the caller and what it may change. */
export interface Hello {
  /** The token that the page sends with each change; differs between servers. */
  readonly token: string;
  readonly mode: 'dev' | 'start';
  readonly caller: string | null;
  /** Whether the link of the developer has opened the page, and not the credential. */
  readonly isLinked: boolean;
  readonly mayChange: boolean;
  /** The number of workers; the stream covers all of them. */
  readonly processes: number;
  readonly hasSandboxes: boolean;
  /** Whether the following requests continue those that the page has. */
  readonly isContinued: boolean;
  /** Why the last saved file is not served; null if it is. */
  readonly specification: ReloadEvent | null;
}

/** A row of the list of requests. Times are in ms. */
export interface RequestRow {
  readonly number: number;
  readonly id: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly duration: number;
  readonly caller: string | null;
  readonly client: string | null;
  /** Null: it was not recorded. */
  readonly statements: number | null;
  readonly databaseTime: number | null;
  /** The length of the response body in bytes. Null: it was streamed, or not recorded. */
  readonly size: number | null;
  readonly isSimulated: boolean;
  readonly sandbox: string | null;
  /** Whether a page of the dashboard has sent it. */
  readonly isOwn: boolean;
}

export interface Step {
  readonly stage: string;
  readonly begin: number;
  readonly duration: number;
}

export interface RanStatement {
  readonly sql: string;
  readonly stage: string | null;
  readonly begin: number;
  readonly duration: number;
  /** Null: it failed. */
  readonly rows: number | null;
}

/** A part of a step that is no statement; times in ms. */
export interface StepPart {
  readonly kind: 'queue' | 'plan' | 'sandbox' | 'begin' | 'commit';
  readonly stage: string | null;
  readonly begin: number;
  readonly duration: number;
}

/** What an error came from, in `dev`: own code, the database, or an error that no rule foresaw. */
export interface ErrorCause {
  readonly source: 'own code' | 'database' | 'server';
  /** The function of own code. */
  readonly place: string | null;
  /** A message, with the stack if there is one. */
  readonly text: string;
}

/** A body as redacted text, or why it is not shown. */
export type ShownBody = { readonly text: string } | { readonly note: string };

/** The details of one request. */
export interface RequestDetail extends RequestRow {
  /** By name; without values, the names only. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>> | readonly string[];
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly responseHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly tellsValues: boolean;
  readonly isRecorded: boolean;
  /** Whether a body that was sent is not kept: it is too long, or made room for newer ones. */
  readonly isForgotten: boolean;
  /** Null: there was none, or it was not recorded. */
  readonly requestBody: ShownBody | null;
  readonly responseBody: ShownBody | null;
  readonly causes: readonly ErrorCause[];
  readonly parts?: readonly StepPart[];
  readonly steps?: readonly Step[];
  readonly statementList?: readonly RanStatement[];
}

/** A change of the simulated network. */
export interface NetworkChange {
  /** Undefined: for all resources without settings of their own. */
  readonly resource?: string | undefined;
  /** Undefined: restore those of the file. */
  readonly settings?: NetworkSpecification | undefined;
}

/** Record counts by resource; null if hidden from the caller. */
export interface RowCounts {
  readonly rows: Readonly<Record<string, number | null>>;
  /** The most that are counted. */
  readonly countedRows: number;
}

/** What the server tells the page of the dashboard: types alone, which both are written against. */

import type { NetworkSpecification } from '../../specification/specification.ts';
import type { ReloadEvent } from '../../observability/events.ts';

/** The first event of a stream: who looks on, and what it may change. */
export interface Hello {
  /** What a page has to send with each change; another server has another. */
  readonly token: string;
  readonly mode: 'dev' | 'start';
  readonly caller: string | null;
  readonly mayChange: boolean;
  /** How many processes serve together, of all of which it is told. */
  readonly processes: number;
  /** Whether the requests that follow are those after the one that the page has seen last. */
  readonly isContinued: boolean;
  /** Why what was saved last is not what is served; null where it is. */
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

/** A body as text, without what is secret in it; or why it is not shown. */
export type ShownBody = { readonly text: string } | { readonly note: string };

/** All that is known of one request. */
export interface RequestDetail extends RequestRow {
  /** By name, or, where values are not told, the names alone. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>> | readonly string[];
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly responseHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly tellsValues: boolean;
  readonly isRecorded: boolean;
  readonly size: number | null;
  /** Null: there was none, or it was not recorded. */
  readonly requestBody: ShownBody | null;
  readonly responseBody: ShownBody | null;
  readonly failure: string | null;
  readonly steps?: readonly Step[];
  readonly statementList?: readonly RanStatement[];
}

/** A change of the simulated network. */
export interface NetworkChange {
  /** Undefined: of all that have nothing of their own. */
  readonly resource?: string | undefined;
  /** Undefined: what the file says. */
  readonly settings?: NetworkSpecification | undefined;
}

/** The records that there are, by resource; null where the caller is not told. */
export interface RowCounts {
  readonly rows: Readonly<Record<string, number | null>>;
  /** No more than this are counted. */
  readonly countedRows: number;
}

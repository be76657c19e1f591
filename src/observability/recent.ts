import type { HeaderValues, RequestEnd, RequestTrace } from './events.ts';
import type { Recording } from './recording.ts';

/** A request that has ended. The object is reused for later requests, so read it at once. */
export interface KeptRequest {
  /** Counts the requests of this server. */
  readonly number: number;
  /** Arrival, on the clock of `performance.now()`. */
  readonly begin: number;
  readonly requestId: string;
  readonly method: string;
  /** As sent. */
  readonly url: string;
  readonly route: string;
  readonly operation: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly duration: number;
  readonly caller: string | undefined;
  readonly callerId: string | undefined;
  readonly client: string | undefined;
  readonly failure: unknown;
  /** See `RequestTrace`. */
  readonly databaseError: unknown;
  readonly ownCode: string | undefined;
  readonly isSimulated: boolean;
  readonly sandbox: string | undefined;
  /** Whether a page of the dashboard has sent it. */
  readonly isOwn: boolean;
  /** The length of the response body; undefined if it was streamed or not recorded. */
  readonly size: number | undefined;
  /** Undefined if it was not recorded. */
  readonly record: RequestRecord | undefined;
}

/** The recorded part of a request. */
export interface RequestRecord {
  readonly recording: Recording;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  readonly requestBody: Buffer | undefined;
  readonly responseBody: string | Buffer | undefined;
  /** Why a body is missing that was sent: it is too long, or made room for newer ones. */
  readonly isForgotten: boolean;
}

type Entry = { -readonly [Name in keyof KeptRequest]: KeptRequest[Name] } & {
  bytes: number;
  /** The part of `bytes` that bodies take. */
  bodyBytes: number;
};

/** How many requests are kept, and how many bytes they may take together. */
const keptRequests = 1_000;
const keptBytes = 32 * 1024 * 1024;
/** Of longer bodies only the length is kept. */
const longestBody = 64 * 1024;
/** The header by which the dashboard marks the requests that it sends. */
const ownHeader = 'x-dashboard';
/** What a request takes beside its texts, headers included: the server bounds those. */
const overhead = 2_000;

/**
 * The latest requests, bounded in number and bytes: if they take too many, the oldest bodies are dropped first. A ring of objects that are reused: new objects that live for a thousand
 * requests would cost garbage collection more than everything else here.
 */
export class RecentRequests {
  private readonly entries: Entry[] = [];
  /** The numbers of the oldest and the latest request. */
  private first = 1;
  private last = 0;
  private bytes = 0;
  /** The oldest request that may have bodies. */
  private withBodies = 1;

  /** Adds a request; with its record if it `isRecorded`. */
  add(trace: RequestTrace, end: RequestEnd, isRecorded: boolean): void {
    if (this.last - this.first + 1 >= keptRequests) this.drop();
    this.last += 1;
    const entry = this.entryOf(this.last);
    entry.number = this.last;
    entry.begin = trace.begin;
    entry.requestId = trace.start.requestId;
    entry.method = trace.start.method;
    entry.url = trace.start.url;
    entry.route = trace.route;
    entry.operation = trace.operation;
    entry.status = end.status;
    entry.code = end.code;
    entry.duration = end.duration;
    entry.caller = trace.caller;
    entry.callerId = trace.callerId;
    entry.client = trace.client;
    entry.failure = trace.failure;
    entry.databaseError = trace.databaseError;
    entry.ownCode = trace.ownCode;
    entry.isSimulated = trace.isSimulated;
    entry.sandbox = trace.sandbox;
    entry.isOwn = end.requestHeaders[ownHeader] !== undefined;
    entry.size = undefined;
    entry.record = undefined;
    entry.bodyBytes = 0;
    entry.bytes = overhead + trace.start.url.length;
    if (isRecorded) record(entry, trace, end);
    this.bytes += entry.bytes;
    while (this.bytes > keptBytes && this.withBodies < this.last) this.dropBodies();
    while (this.bytes > keptBytes && this.first < this.last) this.drop();
  }

  /** Up to `most` requests after a number, oldest first. */
  after(number: number, most = keptRequests): readonly KeptRequest[] {
    const start = Math.max(this.first, number + 1);
    return Array.from({ length: Math.max(0, Math.min(most, this.last - start + 1)) }, (_, index) =>
      this.entryOf(start + index),
    );
  }

  /** Finds a request by its id. */
  find(requestId: string): KeptRequest | undefined {
    for (let number = this.last; number >= this.first; number -= 1) {
      const entry = this.entryOf(number);
      if (entry.requestId === requestId) return entry;
    }
    return undefined;
  }

  private entryOf(number: number): Entry {
    return (this.entries[number % keptRequests] ??= emptyEntry());
  }

  private dropBodies(): void {
    this.withBodies = Math.max(this.withBodies, this.first);
    const entry = this.entryOf(this.withBodies);
    this.withBodies += 1;
    if (entry.record === undefined || entry.bodyBytes === 0) return;
    this.bytes -= entry.bodyBytes;
    entry.bytes -= entry.bodyBytes;
    entry.bodyBytes = 0;
    const none = { requestBody: undefined, responseBody: undefined, isForgotten: true };
    entry.record = { ...entry.record, ...none };
  }

  private drop(): void {
    const entry = this.entryOf(this.first);
    this.bytes -= entry.bytes;
    entry.record = undefined;
    entry.failure = undefined;
    entry.databaseError = undefined;
    this.first += 1;
  }
}

function emptyEntry(): Entry {
  return {
    number: 0,
    begin: 0.5,
    requestId: '',
    method: '',
    url: '',
    route: '',
    operation: '',
    status: 0,
    code: undefined,
    duration: 0.5,
    caller: undefined,
    callerId: undefined,
    client: undefined,
    failure: undefined,
    databaseError: undefined,
    ownCode: undefined,
    isSimulated: false,
    sandbox: undefined,
    isOwn: false,
    size: undefined,
    record: undefined,
    bytes: 0,
    bodyBytes: 0,
  };
}

function record(entry: Entry, trace: RequestTrace, end: RequestEnd): void {
  const { recording, body: sent } = trace;
  if (recording === undefined) return;
  const size = end.body === undefined ? undefined : Buffer.byteLength(end.body);
  entry.size = size;
  const requestBody = sent !== undefined && sent.length <= longestBody ? sent : undefined;
  const responseBody = size !== undefined && size <= longestBody ? end.body : undefined;
  const { requestHeaders, responseHeaders } = end;
  const isForgotten = requestBody !== sent || responseBody !== end.body;
  entry.record = {
    recording,
    requestHeaders,
    responseHeaders,
    requestBody,
    responseBody,
    isForgotten,
  };
  entry.bodyBytes = (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
  entry.bytes += entry.bodyBytes;
  for (const { sql } of recording.statements) entry.bytes += 100 + sql.length;
  entry.bytes += recording.steps.length * 200;
}

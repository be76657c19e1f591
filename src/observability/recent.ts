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

type Place = { -readonly [Name in keyof KeptRequest]: KeptRequest[Name] } & {
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
  private readonly places: Place[] = [];
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
    const place = this.placeOf(this.last);
    place.number = this.last;
    place.begin = trace.begin;
    place.requestId = trace.start.requestId;
    place.method = trace.start.method;
    place.url = trace.start.url;
    place.route = trace.route;
    place.operation = trace.operation;
    place.status = end.status;
    place.code = end.code;
    place.duration = end.duration;
    place.caller = trace.caller;
    place.callerId = trace.callerId;
    place.client = trace.client;
    place.failure = trace.failure;
    place.databaseError = trace.databaseError;
    place.ownCode = trace.ownCode;
    place.isSimulated = trace.isSimulated;
    place.sandbox = trace.sandbox;
    place.isOwn = end.requestHeaders[ownHeader] !== undefined;
    place.size = undefined;
    place.record = undefined;
    place.bodyBytes = 0;
    place.bytes = overhead + trace.start.url.length;
    if (isRecorded) record(place, trace, end);
    this.bytes += place.bytes;
    while (this.bytes > keptBytes && this.withBodies < this.last) this.dropBodies();
    while (this.bytes > keptBytes && this.first < this.last) this.drop();
  }

  /** Up to `most` requests after a number, oldest first. */
  after(number: number, most = keptRequests): readonly KeptRequest[] {
    const start = Math.max(this.first, number + 1);
    return Array.from({ length: Math.max(0, Math.min(most, this.last - start + 1)) }, (_, index) =>
      this.placeOf(start + index),
    );
  }

  /** Finds a request by its id. */
  find(requestId: string): KeptRequest | undefined {
    for (let number = this.last; number >= this.first; number -= 1) {
      const place = this.placeOf(number);
      if (place.requestId === requestId) return place;
    }
    return undefined;
  }

  private placeOf(number: number): Place {
    return (this.places[number % keptRequests] ??= emptyPlace());
  }

  private dropBodies(): void {
    this.withBodies = Math.max(this.withBodies, this.first);
    const place = this.placeOf(this.withBodies);
    this.withBodies += 1;
    if (place.record === undefined || place.bodyBytes === 0) return;
    this.bytes -= place.bodyBytes;
    place.bytes -= place.bodyBytes;
    place.bodyBytes = 0;
    const none = { requestBody: undefined, responseBody: undefined, isForgotten: true };
    place.record = { ...place.record, ...none };
  }

  private drop(): void {
    const place = this.placeOf(this.first);
    this.bytes -= place.bytes;
    place.record = undefined;
    place.failure = undefined;
    place.databaseError = undefined;
    this.first += 1;
  }
}

function emptyPlace(): Place {
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

function record(place: Place, trace: RequestTrace, end: RequestEnd): void {
  const { recording, body: sent } = trace;
  if (recording === undefined) return;
  const size = end.body === undefined ? undefined : Buffer.byteLength(end.body);
  place.size = size;
  const requestBody = sent !== undefined && sent.length <= longestBody ? sent : undefined;
  const responseBody = size !== undefined && size <= longestBody ? end.body : undefined;
  const { requestHeaders, responseHeaders } = end;
  const isForgotten = requestBody !== sent || responseBody !== end.body;
  place.record = {
    recording,
    requestHeaders,
    responseHeaders,
    requestBody,
    responseBody,
    isForgotten,
  };
  place.bodyBytes = (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
  place.bytes += place.bodyBytes;
  for (const { sql } of recording.statements) place.bytes += 100 + sql.length;
  place.bytes += recording.steps.length * 200;
}

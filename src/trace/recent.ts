import type { RequestEnd, RequestTrace } from './events.ts';

/** A request that has ended, as it is kept. */
export interface KeptRequest {
  /** Counts the requests of this server. */
  readonly number: number;
  /** When it arrived, in ms since 1970. */
  readonly time: number;
  readonly trace: RequestTrace;
  readonly end: RequestEnd;
  /** The length of the body that was sent; undefined where it was streamed. */
  readonly size: number | undefined;
}

interface Place {
  readonly request: KeptRequest;
  readonly bytes: number;
}

/** How many requests are kept, and how many bytes they may take together. */
const keptRequests = 1_000;
const keptBytes = 32 * 1024 * 1024;
/** Of longer bodies only the length is kept. */
const longestBody = 64 * 1024;
/** What a request takes beside its texts. Its headers are bounded by the server, at so little that all of them fit. */
const overhead = 2_000;

/** The requests that have ended last, in a memory that is bounded in their number and in bytes. */
export class RecentRequests {
  private readonly kept: (Place | undefined)[] = [];
  /** Where the oldest stands. */
  private first = 0;
  private bytes = 0;
  private last = 0;

  /** Keeps a request that arrived at `time`; with its bodies where `withBodies`. */
  add(trace: RequestTrace, end: RequestEnd, time: number, withBodies: boolean): void {
    const { body } = end;
    const size = body === undefined ? undefined : Buffer.byteLength(body);
    const keepsAnswer = withBodies && size !== undefined && size <= longestBody;
    const wasRead = trace.body?.length ?? 0;
    if (!withBodies || wasRead > longestBody) trace.body = undefined;
    this.last += 1;
    const kept = keepsAnswer || body === undefined ? end : { ...end, body: undefined };
    const request = { number: this.last, time, trace, end: kept, size };
    const bytes = sizeOf(request);
    this.kept.push({ request, bytes });
    this.bytes += bytes;
    while (this.length > keptRequests || (this.bytes > keptBytes && this.length > 1)) this.drop();
  }

  /** Those after the one with this number, oldest first. */
  after(number: number): readonly KeptRequest[] {
    const start = Math.max(this.first, this.kept.length - Math.max(0, this.last - number));
    return this.kept.slice(start).flatMap((place) => place?.request ?? []);
  }

  /** The one with this request id, if it is still kept. */
  find(requestId: string): KeptRequest | undefined {
    for (let index = this.kept.length - 1; index >= this.first; index -= 1) {
      const request = this.kept[index]?.request;
      if (request?.trace.start.requestId === requestId) return request;
    }
    return undefined;
  }

  private get length(): number {
    return this.kept.length - this.first;
  }

  private drop(): void {
    this.bytes -= this.kept[this.first]?.bytes ?? 0;
    this.kept[this.first] = undefined;
    this.first += 1;
    if (this.first < keptRequests) return;
    this.kept.splice(0, this.first);
    this.first = 0;
  }
}

/** About how many bytes a kept request takes. */
function sizeOf({ trace, end }: KeptRequest): number {
  let bytes = overhead + trace.start.url.length + (trace.body?.length ?? 0);
  bytes += end.body?.length ?? 0;
  const { recording } = trace;
  if (recording === undefined) return bytes;
  for (const { sql } of recording.statements) bytes += 100 + sql.length;
  return bytes + recording.steps.length * 200;
}

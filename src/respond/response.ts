import type { ErrorCode } from '../errors.ts';

/** A body that is written as it comes, in portions. */
export type StreamedBody = AsyncIterable<string | Buffer>;

/** An answer, ready for the wire. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | StreamedBody | undefined;
  /** The code of the error that it reports. */
  readonly code?: ErrorCode;
  /** The body is an object whose `data` is what was asked for. */
  readonly hasData?: true;
  /** What a streamed body will have brought, where that is known: its length is sent, and the log has it. */
  readonly whole?: string | Buffer;
  /** The body lasts as long as its reader: once it has begun the request is not under way any more. */
  readonly isLive?: true;
}

/** An answer whose whole body is there as text. */
export interface TextResponse extends Response {
  readonly body: string;
}

/** A body that is written as it comes, in portions. */
export type StreamedBody = AsyncIterable<string | Buffer>;

/** An answer, ready for the wire. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | StreamedBody | undefined;
}

/** An answer whose whole body is there as text. */
export interface TextResponse extends Response {
  readonly body: string;
}

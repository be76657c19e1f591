/**
 * The room for CSV and NDJSON lists, whose ids and a portion of whose records are kept until the last one was sent, however
 * slowly a client reads: who finds none is refused before the first byte, so that no list that has begun is given up.
 */
export class ExportRoom {
  private held = 0;
  private readonly most: number;

  /** `most`: what all lists may hold together, in bytes. */
  constructor(most: number) {
    this.most = most;
  }

  /** Whether so many bytes can be held, until `release` is called with them. One list always finds room. */
  hold(bytes: number): boolean {
    if (this.held > 0 && this.held + bytes > this.most) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

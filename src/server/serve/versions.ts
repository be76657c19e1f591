import type { ServedApi } from '../../http/server/served-api.ts';
import type { TraceReader } from '../../observability/events.ts';

/** What follows a specification while it is served. */
export interface Reload {
  /** The version that serves new requests. */
  readonly current: ServedApi;
  /** Called when the server listens. `readers` get an event for each edit. */
  readonly begin: (readers: readonly TraceReader[]) => void;
  /** No new version follows. Waits for one that is being applied. */
  readonly end: () => Promise<void>;
  /** Releases everything, the database last. Called when no request is in flight. */
  readonly close: () => Promise<void>;
}

/** The version of a specification that serves new requests, and those before it that still have requests in flight. */
export class ServedVersions {
  private servedApi: ServedApi;
  /** Each with the function that releases its resources. */
  private readonly former = new Map<ServedApi, () => Promise<void>>();

  constructor(first: ServedApi) {
    this.servedApi = first;
  }

  get current(): ServedApi {
    return this.servedApi;
  }

  /** New requests use `next`. `release` is called once the last request of the version before has ended. */
  swap(next: ServedApi, release: () => Promise<void>, failed: (error: unknown) => void): void {
    const before = this.servedApi;
    this.servedApi = next;
    this.former.set(before, async () => {
      this.former.delete(before);
      await before.sandboxes?.close();
      await before.code?.stop();
      await release();
    });
    void before.inFlight
      .none()
      .then(() => this.former.get(before)?.())
      .catch(failed);
  }

  async close(): Promise<void> {
    await this.servedApi.sandboxes?.close();
    await this.servedApi.code?.stop();
    for (const release of this.former.values()) await release();
  }
}

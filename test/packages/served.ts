import { cleanup } from './page.ts';
import { afterEach, beforeEach, vi } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { watchedFetch, type Sent } from './requests.ts';
import { shelf, shelfRecords } from './shelf.ts';

/** The shelf as a test has it, and the requests that the provider has sent in it. */
export interface ServedShelf {
  readonly api: TestApi;
  readonly sent: readonly Sent[];
  /** What a provider for it is made with. */
  readonly connection: { readonly baseUrl: string; readonly fetch: typeof fetch };
}

/** Serves the shelf anew for each test, and clears the page after it. Valid while a test runs. */
export function serveEachShelf(): ServedShelf {
  const served = {} as { -readonly [Name in keyof ServedShelf]: ServedShelf[Name] };
  beforeEach(async () => {
    // Both libraries write every refusal to the console.
    vi.spyOn(console, 'error').mockReturnValue();
    const sent: Sent[] = [];
    served.api = await serveApi(shelf, shelfRecords);
    served.sent = sent;
    served.connection = { baseUrl: `${served.api.url}/v1`, fetch: watchedFetch(sent) };
  });
  afterEach(async () => {
    cleanup();
    vi.restoreAllMocks();
    await served.api.stop();
  });
  return served;
}

import { afterEach, beforeEach, vi } from 'vitest';
import type { ProviderOptions } from '../../packages/common/http.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { cleanup } from './page.ts';
import { watchedFetch, type Sent } from './requests.ts';
import { shelf, shelfRecords } from './shelf.ts';

/** The shelf as a test has it: served anew, with a provider for it. */
export interface ServedShelf<Provider> {
  readonly api: TestApi;
  readonly provider: Provider;
  /** The requests that the provider has sent. */
  readonly sent: readonly Sent[];
  /** Makes the provider anew, with further options. */
  readonly provide: (options: Partial<ProviderOptions>) => void;
}

/** Serves the shelf for each test, and clears the page after it. What it gives is valid while a test runs. */
export function serveEachShelf<Provider>(
  create: (options: ProviderOptions) => Provider,
): ServedShelf<Provider> {
  let served: { api: TestApi; sent: Sent[]; provider: Provider } | undefined;
  const current = (): NonNullable<typeof served> => {
    if (served === undefined) throw new Error('No test runs');
    return served;
  };
  const make = (api: TestApi, sent: Sent[], options: Partial<ProviderOptions> = {}): Provider => {
    return create({ baseUrl: `${api.url}/v1`, fetch: watchedFetch(sent), ...options });
  };
  beforeEach(async () => {
    // Both libraries write every refusal to the console.
    vi.spyOn(console, 'error').mockReturnValue();
    const api = await serveApi(shelf, shelfRecords);
    const sent: Sent[] = [];
    served = { api, sent, provider: make(api, sent) };
  });
  afterEach(async () => {
    cleanup();
    vi.restoreAllMocks();
    await current().api.stop();
  });
  return {
    get api() {
      return current().api;
    },
    get provider() {
      return current().provider;
    },
    get sent() {
      return current().sent;
    },
    provide: (options) => {
      const now = current();
      now.provider = make(now.api, now.sent, options);
    },
  };
}

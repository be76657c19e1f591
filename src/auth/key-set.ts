import { apiError, fail, ok, type Result } from '../errors.ts';
import {
  chooseKey,
  keysOfSet,
  type KeySource,
  type TokenHeader,
  type VerificationKey,
} from './keys.ts';

/** Times in ms, sizes in bytes. See docs/contract/5-access.md#signing-keys. */
const refetchAfter = 30_000;
const retryAfter = 5_000;
/** An older set is fetched again in the background, so that withdrawn keys stop working. */
const oldAfter = 10 * 60_000;
const fetchTimeout = 5_000;
const largestSet = 256 * 1024;

export interface KeySetOptions {
  readonly uri: string;
  readonly algorithms: readonly string[] | undefined;
  /** Monotonic, in ms. */
  readonly clock: () => number;
  /** Called after every fetch, with the error or undefined. */
  readonly report: (error: unknown) => void;
}

/** The published keys of an issuer: fetched on first use, cached, and fetched again for an unknown `kid`. */
export class KeySet implements KeySource {
  private readonly options: KeySetOptions;
  private keys: readonly VerificationKey[] | undefined;
  private text = '';
  private changes = 0;
  private fetchedAt = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  /** When the set was last fetched for an unknown `kid`. */
  private soughtAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | undefined;

  constructor(options: KeySetOptions) {
    this.options = options;
  }

  revision(): number {
    this.refreshOld();
    return this.changes;
  }

  async find(header: TokenHeader): Promise<Result<VerificationKey | undefined>> {
    const now = this.options.clock();
    if (this.keys === undefined) {
      if (now - this.failedAt >= retryAfter || this.loading !== undefined) await this.load();
    } else this.refreshOld();
    if (this.keys === undefined) return fail(this.unavailable());
    const key = chooseKey(this.keys, header);
    if (key !== undefined || !this.isNew(header.kid)) return ok(key);
    if (this.loading === undefined) {
      if (now - this.soughtAt < refetchAfter) return ok(undefined);
      this.soughtAt = now;
    }
    await this.load();
    return ok(chooseKey(this.keys, header));
  }

  /** In the background; the cached set is used meanwhile. */
  private refreshOld(): void {
    if (this.keys === undefined) return;
    const now = this.options.clock();
    if (now - this.fetchedAt >= oldAfter && now - this.failedAt >= refetchAfter) void this.load();
  }

  private isNew(kid: string | undefined): boolean {
    return kid !== undefined && this.keys?.every((key) => key.kid !== kid) === true;
  }

  private unavailable(): ReturnType<typeof apiError> {
    const wait = this.failedAt + retryAfter - this.options.clock();
    return apiError('KEYS_UNAVAILABLE', 'Tokens cannot be checked now; try again', {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(wait / 1_000))) },
    });
  }

  /** Fetches the set, once for all that wait. A failed fetch leaves the last good set. */
  private load(): Promise<void> {
    this.loading ??= this.fetched().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async fetched(): Promise<void> {
    const { uri, algorithms, clock, report } = this.options;
    try {
      const text = await fetchText(uri);
      const keys = keysOfSet(JSON.parse(text), algorithms);
      if (keys === undefined) throw new Error('there is no key in it that checks tokens');
      if (text !== this.text) this.changes += 1;
      this.text = text;
      this.keys = keys;
      this.fetchedAt = clock();
      this.failedAt = Number.NEGATIVE_INFINITY;
      report(undefined);
    } catch (error) {
      this.failedAt = clock();
      report(error);
    }
  }
}

/** Fetches a text, bounded in time and size, without redirects. */
async function fetchText(uri: string): Promise<string> {
  const { status, body } = await fetch(uri, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchTimeout),
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > largestSet) throw new Error(`it is longer than ${largestSet} bytes`);
    chunks.push(chunk);
  }
  if (status !== 200) throw new Error(`the answer has status ${status}`);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

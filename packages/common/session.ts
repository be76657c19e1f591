import { isObject, PlinthError } from './error.ts';
import { sendTo, type ProviderOptions } from './http.ts';

/** Where a credential is kept: `localStorage`, `sessionStorage` or what has the same methods. */
export interface CredentialStorage {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
  readonly removeItem: (key: string) => void;
}

export interface AuthOptions extends Pick<ProviderOptions, 'baseUrl' | 'headers' | 'fetch'> {
  /**
   * Makes the token or API key of what a login form gives, for instance by asking an identity provider. Without it the
   * form gives the credential itself: its `token`, `apiKey` or `password`.
   */
  readonly login?: (params: Readonly<Record<string, unknown>>) => string | Promise<string>;
  /** `localStorage` unless given; where there is none, the memory of the page. */
  readonly storage?: CredentialStorage;
  /** Under which name it is kept; one for each `baseUrl` unless given. */
  readonly storageKey?: string;
  /** Where the API tells what a caller may do, if not under `/_permissions` of the host of `baseUrl`. */
  readonly permissionsUrl?: string;
}

export type Operation = 'read' | 'create' | 'update' | 'delete';

export interface ResourcePermissions {
  /** Whether an operation is open on all records or on some; what is left out is closed. */
  readonly operations: Readonly<Partial<Record<Operation, 'all' | 'some'>>>;
  readonly fields: Readonly<Record<string, readonly ('read' | 'create' | 'update')[]>>;
  readonly relations: Readonly<Record<string, readonly ('read' | 'write')[]>>;
}

/** What the caller may do in the version of `baseUrl`, as `/_permissions` tells it. */
export interface Permissions {
  readonly authenticated: boolean;
  readonly roles: readonly string[];
  readonly resources: Readonly<Record<string, ResourcePermissions>>;
}

/** Who a token says its bearer is. An API key says nothing. */
export interface Identity {
  readonly id: string;
  readonly fullName?: string;
  readonly avatar?: string;
}

/** For so long it is not asked again what a caller may do, in ms. */
const kept = 60_000;

/** What was told to whom, and when. */
interface Known {
  readonly credential: string | undefined;
  readonly at: number;
  readonly told: Promise<Permissions>;
}

/** The credential of one user, and what the API lets that user do. */
export class Session {
  private readonly options: AuthOptions;
  private readonly key: string;
  private readonly storage: CredentialStorage;
  private known: Known | undefined;

  constructor(options: AuthOptions) {
    this.options = options;
    this.key = options.storageKey ?? `plinth ${options.baseUrl}`;
    this.storage = options.storage ?? pageStorage() ?? new Memory();
  }

  /** The credential of who is logged in: what a data provider takes as `token`. */
  readonly token = (): string | undefined => this.storage.getItem(this.key) ?? undefined;

  /** Keeps a credential once the API has taken it. Throws a `PlinthError` where it does not. */
  async login(params: unknown): Promise<void> {
    const given = isObject(params) ? params : {};
    const credential = this.options.login
      ? await this.options.login(given)
      : [given['token'], given['apiKey'], given['password']].find(isText);
    if (!isText(credential)) throw new Error('A token or API key is needed');
    const told = this.ask(credential);
    await told;
    this.storage.setItem(this.key, credential);
    this.known = { credential, at: performance.now(), told };
  }

  logout(): void {
    this.storage.removeItem(this.key);
    this.known = undefined;
  }

  /** Whether an error says that the credential is no longer good, or is missing: 401. A 403 is said to who one is. */
  isExpiry(error: unknown): boolean {
    return isObject(error) && error['status'] === 401;
  }

  /** What the caller may do, logged in or not. Asked for once a minute. */
  permissions(): Promise<Permissions> {
    const now = performance.now();
    const credential = this.token();
    // Another tab may have logged out, or in as somebody else.
    if (this.known && this.known.credential === credential && now - this.known.at < kept)
      return this.known.told;
    const told = this.ask(credential);
    const known = { credential, at: now, told };
    this.known = known;
    told.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return told;
  }

  /** Whether the caller may do this to records of a resource, or to one of its fields: `books`, `books.title`. */
  async may(operation: Operation, name: string): Promise<boolean> {
    const { resources } = await this.permissions();
    const known = own(resources, name);
    if (known !== undefined) return own(known.operations, operation) !== undefined;
    const dot = name.indexOf('.');
    const resource = dot < 0 ? undefined : own(resources, name.slice(0, dot));
    if (resource === undefined) return false;
    const uses: readonly string[] = own(resource.fields, name.slice(dot + 1)) ?? [];
    return uses.includes(operation);
  }

  /** Whom the token names; undefined where nobody is logged in. */
  identity(): Identity | undefined {
    const credential = this.token();
    if (credential === undefined) return undefined;
    const claims = claimsOf(credential);
    const text = (...names: readonly string[]): string | undefined =>
      names.map((name) => claims[name]).find(isText);
    const fullName = text('name', 'preferred_username', 'email', 'sub');
    const avatar = text('picture');
    return {
      id: text('sub') ?? 'api-key',
      ...(fullName === undefined ? {} : { fullName }),
      ...(avatar === undefined ? {} : { avatar }),
    };
  }

  private async ask(credential: string | undefined): Promise<Permissions> {
    const { baseUrl, permissionsUrl, headers, fetch: given } = this.options;
    const page = (globalThis as { location?: { readonly href: string } }).location;
    const base = new URL(baseUrl, page?.href);
    const options: ProviderOptions = {
      baseUrl,
      ...(headers === undefined ? {} : { headers }),
      ...(given === undefined ? {} : { fetch: given }),
      ...(credential === undefined ? {} : { token: credential }),
    };
    const url = permissionsUrl ?? new URL('/_permissions', base).href;
    const { body } = await sendTo(options, url, { method: 'GET' });
    const versions = isObject(body) ? body['versions'] : undefined;
    if (!isObject(body) || !isObject(versions)) throw new PlinthError(200, body);
    const [, named] = /\/(v\d+)\/*$/u.exec(base.pathname) ?? [];
    // Without a version, requests are answered by the default one.
    const version = named ?? String(body['defaultVersion'] ?? Object.keys(versions)[0]);
    return {
      authenticated: body['authenticated'] === true,
      roles: (body['roles'] as readonly string[] | undefined) ?? [],
      resources: (versions[version] ?? {}) as Permissions['resources'],
    };
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function own<Value>(members: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** What a JSON Web Token says; it is the API that checks it. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  try {
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
    const claims: unknown = JSON.parse(text);
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

/** The storage of the page; undefined where there is no page, or where it may not keep anything. */
function pageStorage(): CredentialStorage | undefined {
  try {
    return (globalThis as { localStorage?: CredentialStorage }).localStorage;
  } catch {
    return undefined;
  }
}

class Memory implements CredentialStorage {
  private readonly items = new Map<string, string>();
  readonly getItem = (key: string): string | null => this.items.get(key) ?? null;
  readonly setItem = (key: string, value: string): void => void this.items.set(key, value);
  readonly removeItem = (key: string): void => void this.items.delete(key);
}

import { PlinthError } from './error.ts';

/** A text, or what gives one for each request. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

export interface ProviderOptions {
  /** Where the resources are: `https://api.example.com/v1`, or without the version for the default one. */
  readonly baseUrl: string;
  /** A JSON Web Token or API key, sent as `Authorization: Bearer`. */
  readonly token?: Credential;
  /** An API key, sent as `X-API-Key`. */
  readonly apiKey?: Credential;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** The most records that one request may ask for: `limits.maxLimit` of the API, 1,000 unless its file says otherwise. */
  readonly maxLimit?: number;
}

export interface Ask {
  readonly method: string;
  /** A resource, and the id of a record. */
  readonly path: readonly (string | number)[];
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Told {
  readonly headers: Headers;
  /** The body as JSON; undefined where there is none. */
  readonly body: unknown;
}

/** Sends one request to the API. What it refuses is thrown as a `PlinthError`. */
export type Send = (ask: Ask) => Promise<Told>;

/** Makes the function that asks the API, with the credentials of the options. */
export function sender(options: ProviderOptions): Send {
  const root = options.baseUrl.replace(/\/+$/u, '');
  return async ({ path, query, ...rest }) => {
    const place = path.map((part) => segment(String(part))).join('/');
    const search = query?.toString() ?? '';
    return sendTo(options, `${root}/${place}${search === '' ? '' : `?${search}`}`, rest);
  };
}

/** Sends a request to any URL under the API, whose credentials it carries. Errors as `Send`. */
export async function sendTo(
  { token, apiKey, headers, fetch: own }: ProviderOptions,
  url: string,
  { method, body, headers: more = {}, signal }: Omit<Ask, 'path' | 'query'>,
): Promise<Told> {
  const sent = new Headers({ accept: 'application/json', ...headers });
  const [bearer, key] = await Promise.all([valueOf(token), valueOf(apiKey)]);
  if (bearer !== undefined) sent.set('authorization', `Bearer ${bearer}`);
  if (key !== undefined) sent.set('x-api-key', key);
  if (body !== undefined) sent.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(more)) if (value !== undefined) sent.set(name, value);
  const response = await (own ?? globalThis.fetch)(url, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const read = text === '' ? undefined : parsed(text);
  if (response.ok && (text === '' || read !== undefined))
    return { headers: response.headers, body: read };
  throw new PlinthError(response.status, read);
}

async function valueOf(credential: Credential | undefined): Promise<string | undefined> {
  return typeof credential === 'function' ? credential() : credential;
}

/** A part of a path. A URL would take `.` and `..` for folders, encoded or not, so that another record was meant. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`"${text}" names no resource and no record`);
  return encodeURIComponent(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

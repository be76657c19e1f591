import { sessionHeaders } from './link.ts';
import { mount } from './mount.ts';
/** Requests to the server that the page came from: those of the dashboard, and those of the API itself. */

const credentialKey = 'plinth-credential';

/** The credential of this tab; it is forgotten with it. */
export function credential(): string {
  return sessionStorage.getItem(credentialKey) ?? '';
}

export function setCredential(text: string): void {
  if (text === '') sessionStorage.removeItem(credentialKey);
  else sessionStorage.setItem(credentialKey, text);
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Records of a resource that are in the way of a delete. */
export interface Dependents {
  readonly resource: string;
  readonly count: number;
}

/** What the server has refused, in its own words; status 0: it did not answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly FieldError[];
  readonly dependents: readonly Dependents[];

  constructor(
    status: number,
    code: string,
    message: string,
    fields: readonly FieldError[] = [],
    dependents: readonly Dependents[] = [],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.dependents = dependents;
  }
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  readonly dependents?: readonly Dependents[];
  readonly validationErrors?: readonly { readonly field: string; readonly error: string }[];
}

/** An answer of the API with its body read. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly body: unknown;
  /** In ms, as the page has measured it. */
  readonly duration: number;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A request of this server. Throws a Refusal for what a URL takes for one of another, as `//elsewhere` and `/\elsewhere`,
 * and for what the browser does not send: some methods, and headers with letters of their own.
 */
function requestOf(url: string, options: RequestInit): Request {
  if (!url.startsWith('/') || URL.parse(url, location.origin)?.origin !== location.origin)
    throw new Refusal(
      0,
      'UNSENT',
      'The path begins with one slash: requests go to this server alone.',
    );
  try {
    return new Request(url, options);
  } catch (error) {
    throw new Refusal(0, 'UNSENT', `The browser does not send this. ${String(error)}`);
  }
}

/** Sends a request with the credential of the tab, whatever it is answered. Throws a Refusal where nothing answers. */
export async function send(url: string, sent: Sent = {}): Promise<ApiAnswer> {
  const own = credential();
  const begin = performance.now();
  const request = requestOf(url, {
    method: sent.method ?? 'GET',
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      ...(own === '' ? {} : { authorization: `Bearer ${own}` }),
      // The list of requests marks those of the dashboard by it.
      'x-dashboard': 'page',
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: sent.body }),
  });
  const response = await fetch(request).catch(() => {
    throw new Refusal(0, 'GONE', 'The server does not answer');
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed(text),
    duration: performance.now() - begin,
  };
}

/** As `send`; an answer that reports an error is thrown as a Refusal. */
export async function ask(url: string, sent: Sent = {}): Promise<ApiAnswer> {
  const answer = await send(url, sent);
  if (answer.status >= 400) throw refusalOf(answer);
  return answer;
}

/** Asks an endpoint of the dashboard. */
export async function askDashboard<Body>(path: string, sent: Sent = {}): Promise<Body> {
  const headers = { ...sessionHeaders(), ...sent.headers };
  return (await ask(`${mount}/_dashboard/api/${path}`, { ...sent, headers })).body as Body;
}

export function refusalOf({ status, text }: Pick<ApiAnswer, 'status' | 'text'>): Refusal {
  const body = parsed(text);
  const error = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const fields = [
    ...(error.errors ?? []),
    ...(error.validationErrors ?? []).map((one) => ({ field: one.field, message: one.error })),
  ];
  const message = error.message ?? (text.slice(0, 300) || `Status ${status}`);
  return new Refusal(status, error.code ?? '', message, fields, error.dependents);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

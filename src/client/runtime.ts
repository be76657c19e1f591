import type { BatchAnswer } from './batch.ts';
import type { QueryValue } from './calls.ts';
import type { Client } from './client.ts';
import { resourceNames, root, type ErrorBody, type FieldProblem } from './resources.ts';
import type {
  Aggregating,
  Listing,
  Matching,
  Page,
  ReadOptions,
  RequestOptions,
  ResourceName,
  Selection,
} from './types.ts';

/** A text, or what gives one for each request; without one the request is sent without credentials. */
type Credential =
  | string
  | undefined
  | (() => string | null | undefined | Promise<string | null | undefined>);

export interface ClientOptions {
  /** Where the API is, with or without its version: `https://api.example.com`, `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** A JSON Web Token or API key, sent as `Authorization: Bearer`. */
  readonly token?: Credential;
  /** An API key, sent as `X-API-Key`. */
  readonly apiKey?: Credential;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** The paths of an API: its resources, below a root such as `/v1`. */
export interface ApiPaths {
  readonly root: string;
  readonly resourceNames: readonly string[];
}

/** What the API has refused; `body` says why, and `body.code` tells the reasons apart. */
export class PlinthError extends Error {
  override readonly name = 'PlinthError';
  readonly body: ErrorBody;
  /** What is wrong with which field or parameter, in a 400 as in a 422: `{ 'specs.weight': 'must be at least 0' }`. */
  readonly errors: Readonly<Record<string, string>>;
  /** The same one by one, with the rule that is broken and what it asks for: to say it in another language. */
  readonly problems: readonly FieldProblem[];
  /** After how many seconds to try again, where the API says so. */
  readonly retryAfter: number | undefined;
  /** In a batch: the number of the operation that failed, from 0. */
  readonly operation: number | undefined;

  constructor(body: ErrorBody, retryAfter?: number) {
    super(body.message);
    this.body = body;
    this.problems = problemsOf(body);
    this.errors = messagesByField(this.problems);
    this.retryAfter = retryAfter;
    this.operation = body.operation;
  }
}

/** `validationErrors` of a 400, or `errors` of a 422. */
function problemsOf(body: ErrorBody): readonly FieldProblem[] {
  if ('errors' in body && body.errors !== undefined) return body.errors;
  if (!('validationErrors' in body)) return [];
  return (body.validationErrors ?? []).map(({ error, ...problem }) => ({
    ...problem,
    message: error,
  }));
}

function messagesByField(problems: readonly FieldProblem[]): Readonly<Record<string, string>> {
  const messages = new Map<string, string>();
  for (const { field, message } of problems) {
    const before = messages.get(field);
    messages.set(field, before === undefined ? message : `${before}; ${message}`);
  }
  return Object.fromEntries(messages);
}

/** An answer that is not the API's own, such as that of a proxy. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`The server answered ${status}, but not as the API does`);
    this.status = status;
    this.text = text;
  }
}

const tags = new WeakMap<object, string>();

/** The entity tag under which a record was read or written plainly; undefined for any other. */
export function etagOf(record: object): string | undefined {
  return tags.get(record);
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly options?: RequestOptions | undefined;
  /** An answer that is no JSON is given as it is. */
  readonly isAny?: boolean;
}

interface Told {
  readonly headers: Headers;
  readonly body: unknown;
}

type AnyListing = Listing<ResourceName, string, string, string>;
type AnyAggregating = Aggregating<ResourceName, string, string, string, string, string, string>;
type AnyReadOptions = ReadOptions<ResourceName, string, string, string> & {
  readonly where?: unknown;
};
type AnyMatching = Matching<ResourceName>;
type AnySelection = Selection<ResourceName, string, string, string>;
type AnyWriting = AnySelection & {
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly onConflict?: readonly string[] | undefined;
  readonly ignoreDuplicates?: boolean | undefined;
};

/** An operation of a batch, at a path or on a resource. */
type AnyOperation = AnyWriting & {
  readonly method: string;
  readonly as?: string | undefined;
  readonly path?: string | undefined;
  readonly resource?: string | undefined;
  readonly id?: unknown;
  readonly body?: unknown;
  readonly merge?: boolean | undefined;
};

interface AnyCall extends RequestOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>> | undefined;
  readonly body?: unknown;
}

/** Makes a client of the API. */
export function createClient(options: ClientOptions): Client {
  return clientOf({ root, resourceNames }, { ...options, baseUrl: serverOf(options.baseUrl) });
}

/** A client of the API with these paths; `baseUrl` is what they follow. */
export function clientOf({ root, resourceNames }: ApiPaths, options: ClientOptions): Client {
  const ask = (request: Ask): Promise<Told> => send(options, request);
  const batch = async (
    operations: readonly AnyOperation[],
    given: AnyWriting = {},
  ): Promise<readonly BatchAnswer[]> => {
    const headers = { 'idempotency-key': given.idempotencyKey };
    const body = operations.map(operationOf);
    const told = await ask({
      method: 'POST',
      path: `${root}/_batch`,
      body,
      headers,
      options: given,
    });
    const answers = told.body as readonly BatchAnswer[];
    for (const [index, answer] of answers.entries()) {
      const { path, ...operation } = operations[index] ?? { method: 'POST' };
      // What parameters in the path select is not known here.
      const shown = path?.includes('?') === true ? { query: {} } : operation;
      remembered({ ...answer, headers: new Headers(answer.headers) }, shown);
    }
    return answers;
  };
  const call = async (name: string, given: AnyCall = {}): Promise<unknown> => {
    const [method = '', template = ''] = name.split(' ');
    const below = template.replace(/(?<=\/):(\w+)/gu, (_, key: string) =>
      encodeURIComponent(String(given.params?.[key])),
    );
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(given.query ?? {}))
      for (const one of [value].flat()) if (one !== undefined) query.append(key, String(one));
    const path = `${root}${below}`;
    const told = await ask({ method, path, query, body: given.body, options: given, isAny: true });
    return told.body;
  };
  return {
    batch,
    call,
    ...Object.fromEntries(resourceNames.map((name) => [name, methodsOf(`${root}/${name}`, ask)])),
  } as unknown as Client;
}

async function send(
  { baseUrl, token, apiKey, headers = {}, fetch: own }: ClientOptions,
  {
    method,
    path,
    query,
    body,
    type = 'application/json',
    headers: more = {},
    options = {},
    isAny,
  }: Ask,
): Promise<Told> {
  const sent = new Headers({ accept: 'application/json', ...headers });
  const [bearer, key] = [await valueOf(token), await valueOf(apiKey)];
  if (typeof bearer === 'string') sent.set('authorization', `Bearer ${bearer}`);
  if (typeof key === 'string') sent.set('x-api-key', key);
  const isRaw = isRawBody(body);
  if (body !== undefined && !isRaw) sent.set('content-type', type);
  for (const [name, value] of Object.entries({ ...more, ...options.headers }))
    if (value !== undefined) sent.set(name, value);
  const search = query?.toString() ?? '';
  const url = `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
  const response = await (own ?? globalThis.fetch)(url, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const isJson = /[/+]json\b/u.test(response.headers.get('content-type') ?? 'application/json');
  if (isAny === true && response.ok && !isJson)
    return { headers: response.headers, body: response };
  const text = await response.text();
  const read = text === '' ? undefined : parsed(text);
  if (response.ok && (text === '' || read !== undefined))
    return { headers: response.headers, body: read };
  if (isErrorBody(read)) throw new PlinthError(read, retryAfterOf(response.headers));
  throw new UnexpectedAnswer(response.status, text);
}

/** Whether a body is sent as it is. */
function isRawBody(
  body: unknown,
): body is FormData | URLSearchParams | Blob | ArrayBuffer | Uint8Array<ArrayBuffer> {
  return [FormData, URLSearchParams, Blob, ArrayBuffer, Uint8Array].some(
    (kind) => body instanceof kind,
  );
}

/** The URL that the paths of the API follow. */
function serverOf(baseUrl: string): string {
  const url = baseUrl.replace(/\/+$/u, '');
  return url.endsWith(root) ? url.slice(0, -root.length) : url;
}

function valueOf(credential: Credential): ReturnType<Extract<Credential, () => unknown>> {
  return typeof credential === 'function' ? credential() : credential;
}

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  return value === null ? undefined : Number(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'requestId' in body;
}

/** An operation as the API takes it. */
function operationOf(operation: AnyOperation): unknown {
  const { method, path, resource, id, body, as, merge } = operation;
  if (resource === undefined) return { method, path, body, as, headers: operation.headers };
  const query = writeQuery(operation).toString();
  const own = {
    'if-match': operation.ifMatch ?? tagOf(id),
    prefer: preferenceOf(operation),
    'content-type': merge === true ? mergePatch : undefined,
  };
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return {
    method,
    path: `/${resource}${id === undefined ? '' : `/${segmentOf(id)}`}${query === '' ? '' : `?${query}`}`,
    body,
    as,
    headers: { ...Object.fromEntries(set), ...operation.headers },
  };
}

/** An id in the path of an operation, where a reference stays as it is. */
function segmentOf(id: unknown): string {
  return typeof id === 'string' && /^\{\w+\.[\w.-]+\}$/u.test(id) ? id : idOf(id);
}

const mergePatch = 'application/merge-patch+json';

function preferenceOf({ ignoreDuplicates }: AnyWriting): string | undefined {
  return ignoreDuplicates === true ? 'resolution=ignore-duplicates' : undefined;
}

function writeQuery(options: AnyWriting): URLSearchParams {
  const query = selectionQuery(options);
  const { onConflict } = options;
  if (onConflict !== undefined) query.set('onConflict', onConflict.join(','));
  return query;
}

function methodsOf(path: string, ask: (request: Ask) => Promise<Told>): unknown {
  const list = async (options: AnyListing = {}): Promise<Page<unknown>> => {
    const prefer = options.count === undefined ? undefined : `count=${options.count}`;
    const told = await ask({
      method: 'GET',
      path,
      query: listQuery(options),
      headers: { prefer },
      options,
    });
    return pageOf(told);
  };
  const aggregate = async (options: AnyAggregating = {}): Promise<Page<unknown>> =>
    pageOf(await ask({ method: 'GET', path, query: totalsQuery(options), options }));
  const pages = async function* pages(
    options: AnyListing = {},
  ): AsyncGenerator<unknown[], void, undefined> {
    let cursor: string | undefined = options.cursor ?? '';
    while (cursor !== undefined) {
      const page: Page<unknown> = await list({ ...options, cursor });
      if (page.data.length > 0) yield page.data;
      cursor = page.nextCursor;
    }
  };
  const write = async (
    method: string,
    target: unknown,
    body: unknown,
    options: AnyWriting = {},
    type?: string,
  ): Promise<unknown> => {
    const told = await ask({
      method,
      path: `${path}/${idOf(target)}`,
      query: selectionQuery(options),
      body,
      ...(type === undefined ? {} : { type }),
      headers: { 'if-match': options.ifMatch ?? tagOf(target) },
      options,
    });
    return remembered(told, options);
  };
  const create = async (body: unknown, options: AnyWriting = {}): Promise<unknown> => {
    const headers = {
      'idempotency-key': options.idempotencyKey,
      prefer: preferenceOf(options),
    };
    const query = writeQuery(options);
    const told = await ask({ method: 'POST', path, query, body, headers, options });
    return remembered(told, options);
  };
  const changeMany = async (
    method: string,
    { maxAffected, ...matching }: AnyMatching,
    body?: unknown,
  ): Promise<number> => {
    const prefer = maxAffected === undefined ? undefined : `max-affected=${maxAffected}`;
    const told = await ask({
      method,
      path,
      query: listQuery(matching),
      body,
      headers: { prefer },
      options: matching,
    });
    return (told.body as { readonly count: number }).count;
  };
  return {
    list,
    aggregate,
    pages,
    each: async function* each(options: AnyListing = {}): AsyncGenerator<unknown, void, undefined> {
      for await (const page of pages(options)) yield* page;
    },
    get: async (id: unknown, options: AnyReadOptions = {}): Promise<unknown> =>
      remembered(
        await ask({
          method: 'GET',
          path: `${path}/${idOf(id)}`,
          query: readQuery(options),
          options,
        }),
        options,
      ),
    create,
    createMany: create,
    update: (target: unknown, changes: unknown, options?: AnyWriting) =>
      write('PATCH', target, changes, options),
    merge: (target: unknown, changes: unknown, options?: AnyWriting) =>
      write('PATCH', target, changes, options, mergePatch),
    replace: (target: unknown, body: unknown, options?: AnyWriting) =>
      write('PUT', target, body, options),
    updateMany: (matching: AnyMatching, body: unknown) => changeMany('PATCH', matching, body),
    deleteMany: (matching: AnyMatching) => changeMany('DELETE', matching),
    delete: async (target: unknown, options: AnyWriting = {}): Promise<void> => {
      const headers = { 'if-match': options.ifMatch ?? tagOf(target) };
      await ask({ method: 'DELETE', path: `${path}/${idOf(target)}`, headers, options });
    },
  };
}

function idOf(target: unknown): string {
  const id = typeof target === 'object' && target !== null && 'id' in target ? target.id : target;
  return encodeURIComponent(String(id));
}

/** A record that was not read plainly says nothing of what it is now: to write it unseen, its id has to be given. */
function tagOf(target: unknown): string | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  const tag = tags.get(target);
  if (tag === undefined)
    throw new TypeError(
      'No entity tag is known of this record: give its id, or the very object that get gave without fields, exclude and expand. Beside a copy of that keep etagOf(record), and give it as ifMatch',
    );
  return tag;
}

/** Keeps the entity tag of a record that is shown plainly. */
function remembered(
  { headers, body }: Told,
  { fields, exclude, expand, query }: AnySelection,
): unknown {
  const tag = headers.get('etag');
  const isPlain =
    [fields, exclude, expand].every((list) => (list ?? []).length === 0) && query === undefined;
  if (tag !== null && isPlain && typeof body === 'object' && body !== null) tags.set(body, tag);
  return body;
}

function pageOf({ headers, body }: Told): Page<unknown> {
  const number = (name: string): number | undefined => {
    const value = headers.get(name);
    return value === null ? undefined : Number(value);
  };
  const isList = Array.isArray(body);
  const { data, next_cursor: next } = (
    isList ? { data: body, next_cursor: headers.get('x-next-cursor') } : body
  ) as {
    readonly data: unknown[];
    readonly next_cursor: string | null;
  };
  return {
    data,
    total: number('x-total-count'),
    totalPages: number('x-total-pages'),
    page: number('x-page'),
    limit: number('x-limit') ?? data.length,
    nextCursor: next ?? undefined,
  };
}

function selectionQuery({ expand, fields, exclude, query }: AnySelection): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, list] of Object.entries({ expand, fields, exclude }))
    if (list !== undefined && list.length > 0) search.set(name, list.join(','));
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value as string])
      search.append(name, one);
  return search;
}

function readQuery(options: AnyReadOptions): URLSearchParams {
  const search = selectionQuery(options);
  const { where, collections, nulls } = options;
  for (const [name, value] of conditions(where)) search.append(name, value);
  for (const [path, paging] of Object.entries(collections ?? {}))
    for (const [name, value] of Object.entries(paging ?? {}))
      if (value !== undefined) search.set(`${path}.${name}`, String(value));
  if (nulls !== undefined) search.set('nulls', nulls);
  return search;
}

function listQuery(options: AnyListing): URLSearchParams {
  const search = readQuery(options);
  const { and, or, not, search: words, sort, limit, page, offset, cursor } = options;
  for (const [name, groups] of Object.entries({ _and: and, _or: or, _not: not }))
    for (const group of groups ?? []) search.append(name, groupText(group));
  if (words !== undefined && words.trim() !== '') search.set('search', words);
  if (sort !== undefined && sort.length > 0) search.set('sort', sort.join(','));
  for (const [name, value] of Object.entries({ limit, page, offset, cursor }))
    if (value !== undefined) search.set(name, String(value));
  return search;
}

/** The text of a group: its filters, and the groups in it. */
function groupText(group: unknown): string {
  return Object.entries(group ?? {})
    .flatMap(([name, value]: readonly [string, unknown]) => {
      const nested = /^_(and|or|not)$/u.exec(name)?.[1];
      if (nested === undefined)
        return conditions({ [name]: value }).map(
          ([path, text]) => `${path}:${quoted(text, /[",:()\\]/u)}`,
        );
      return ((value ?? []) as readonly unknown[]).map((one) => `${nested}(${groupText(one)})`);
    })
    .join(',');
}

const functionNames = ['sum', 'avg', 'min', 'max', 'countDistinct'] as const;

function totalsQuery(options: AnyAggregating): URLSearchParams {
  const { where, and, or, not, sort, nulls, limit, page, offset } = options;
  // Groups are sorted by names that lists do not have.
  const listing: unknown = { where, and, or, not, sort, nulls, limit, page, offset };
  const search = listQuery(listing as AnyListing);
  const { group, having } = options;
  if (group !== undefined && group.length > 0) search.set('group', group.join(','));
  const functions = functionNames.flatMap((name) =>
    (options[name] ?? []).map((path) => `${name}:${path}`),
  );
  search.set('aggregate', ['count', ...functions].join(','));
  const conditionsOfGroups = groupText(having);
  if (conditionsOfGroups !== '') search.set('having', conditionsOfGroups);
  return search;
}

/** The filters of an object; a list belongs to an operator that takes one, else each of its items is a filter. */
function conditions(where: unknown): readonly (readonly [string, string])[] {
  return Object.entries(where ?? {}).flatMap(
    ([name, value]): readonly (readonly [string, string])[] => {
      if (value === undefined) return [];
      if (!Array.isArray(value)) return [[name, String(value)]];
      const items = (value as readonly unknown[]).map(String);
      return /_(?:in|nin|containsAll|containsAny)$/u.test(name)
        ? [[name, items.map((item) => quoted(item, /[",]/u)).join(',')]]
        : items.map((item) => [name, item] as const);
    },
  );
}

function quoted(text: string, special: RegExp): string {
  return text === '' || special.test(text) ? `"${text.replace(/["\\]/gu, String.raw`\$&`)}"` : text;
}

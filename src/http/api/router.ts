import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { unknownName } from '../../model/build/names.ts';
import type { Endpoint } from '../../extensions/endpoints/endpoint.ts';
import type { FoundEndpoints, RouteTable } from '../../extensions/endpoints/route-table.ts';
import type { Operation } from '../../model/access.ts';
import type { Api, Version } from '../../model/api.ts';
import { versionOfFile, type ResourceView, type View } from '../../model/view.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import { emptyResponse, type Response } from '../response/response.ts';

/** Where a path leads: one of the service's own paths, or a resource and perhaps one record. */
export type Route =
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'openapi'; readonly version: Version }
  /** The audit log, or one change in it. */
  | { readonly kind: 'audit'; readonly id: string | undefined }
  | BatchRoute
  | SqlRoute
  | EndpointRoute
  | ResourceRoute;

/** Several writes at once. */
export interface BatchRoute {
  readonly kind: 'batch';
  readonly version: Version;
}

/** SQL of the owner's client in process. */
export interface SqlRoute {
  readonly kind: 'sql';
}

/** A path of endpoints of own code. */
export interface EndpointRoute {
  readonly kind: 'endpoint';
  readonly version: Version;
  /** Below the version, as it was sent. */
  readonly below: string;
  readonly found: FoundEndpoints<Endpoint>;
}

/** What has paths. */
export interface Routed {
  readonly api: Api;
  /** Undefined without endpoints. */
  readonly endpoints?: RouteTable<Endpoint> | undefined;
}

/** A path of a resource, or of one of its records. */
export interface ResourceRoute {
  readonly kind: 'resource';
  readonly version: Version;
  readonly name: string;
  /** The text of the path's last part, decoded. */
  readonly id: string | undefined;
}

/**
 * Whether a path is a health probe. Compared one by one: looking a path up in a Set would intern it, which takes longer than
 * everything else before routing.
 */
export function isProbe(path: string): boolean {
  return path === '/_health' || path === '/_ready';
}

/** The path and the query (without `?`) of a URL, undecoded. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const [path, search = ''] = cutAt(url, '?');
  return { path, search };
}

/** The text before and after the first `mark`. */
function cutAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Whether a path is the API's, in an application that has mounted it: below its versions, a resource without a version, or
 * one of the service's own. Under a path of its own (`isBelow`), `/` is too. See docs/contract/10-own-code.md#embedding.
 */
export function isOwnPath(path: string, served: Routed, isBelow: boolean): boolean {
  const { api } = served;
  if (path === '/') return isBelow;
  const { basePath } = api;
  if (path === `${basePath}${batchName}`) return true;
  if (path.startsWith('/_')) return ownPaths.test(path);
  if (path.startsWith(`${basePath}/v`) && /^\/v\d+(?:\/|$)/u.test(path.slice(basePath.length)))
    return true;
  const route = findRoute(path, served);
  return route.ok && (route.value.kind !== 'resource' || api.resources.has(route.value.name));
}

const ownPaths =
  /^\/_(?:audit|dashboard|docs|health|metrics|openapi\.json|permissions|ready|sandboxes|schema\.json)(?:\/|$)/u;

const collectionMethods: ReadonlyMap<string, RequestKind> = new Map([
  ['GET', 'list'],
  ['HEAD', 'list'],
  ['POST', 'create'],
  ['PATCH', 'updateMany'],
  ['DELETE', 'deleteMany'],
]);
const recordMethods: ReadonlyMap<string, RequestKind> = new Map([
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['PUT', 'replace'],
  ['PATCH', 'update'],
  ['DELETE', 'delete'],
]);

/**
 * Finds where a path leads. Case, double and trailing slashes count. See
 * docs/contract/2-reading.md#paths-and-methods, rule 5.
 */
export function findRoute(path: string, { api, endpoints }: Routed): Result<Route> {
  if (path === `${api.basePath}${batchName}`) return findBatch(api);
  if (path.startsWith('/_') || path === '/') return ok(findOwn(path));
  const document = path.endsWith('/_openapi.json') ? findDocument(path, api) : undefined;
  if (document !== undefined) return document;
  const unknown = (): Result<Route> => fail(nothingAt(path, adviceOn(path, api)));
  if (!path.startsWith(`${api.basePath}/`)) return unknown();
  const below = path.slice(api.basePath.length + 1);
  const [first, rest = ''] = cutAt(below, '/');
  const written = first.startsWith('v') ? versionNumber(first) : undefined;
  const isVersioned = written !== undefined || (first.startsWith('v') && /^v\d+$/u.test(first));
  const number = isVersioned ? written : api.defaultVersion;
  const version = number === undefined ? undefined : api.versions.get(number);
  if (version === undefined) return unknownVersion(first, api);
  if (!isVersioned && !api.unversioned) return unknown();
  const inside = isVersioned ? rest : below;
  return findIn(inside, version, isVersioned, endpoints) ?? unknown();
}

/** Finds where a path of a request in process leads: below no root, in the names of the file. */
export function findInFile(path: string, { endpoints }: Routed): Result<Route> {
  return findIn(path.slice(1), versionOfFile, true, endpoints) ?? fail(nothingAt(path));
}

function findIn(
  below: string,
  version: Version,
  hasBatch: boolean,
  endpoints: Routed['endpoints'],
): Result<Route> | undefined {
  if (endpoints !== undefined) {
    const found = endpointsAt(below, endpoints);
    if (!found.ok) return found;
    if (found.value !== undefined)
      return ok({ kind: 'endpoint', version, below, found: found.value });
  }
  return findBelow(below, version, hasBatch);
}

/**
 * Where a path below a version leads, such as `orders/1`; undefined if to nothing. `hasBatch`: `_batch` is the batch of
 * this version.
 */
export function findBelow(
  below: string,
  version: Version,
  hasBatch: boolean,
): Result<ResourceRoute | BatchRoute | SqlRoute> | undefined {
  if (hasBatch && below === batchName.slice(1)) return ok({ kind: 'batch', version });
  if (hasBatch && version === versionOfFile && below === sqlPath.slice(1))
    return ok({ kind: 'sql' });
  const [name, id] = cutAt(below, '/');
  const isOwn = name.startsWith('_') && id === undefined;
  if (isOwn || name === '' || id === '' || id?.includes('/') === true) return undefined;
  try {
    return ok({
      kind: 'resource',
      version,
      name: decoded(name),
      id: id === undefined ? undefined : decoded(id),
    });
  } catch {
    return fail(malformedPath);
  }
}

const malformedPath = apiError('MALFORMED_REQUEST', 'The path is not valid percent-encoded UTF-8');

function endpointsAt(
  path: string,
  endpoints: RouteTable<Endpoint>,
): Result<FoundEndpoints<Endpoint> | undefined> {
  try {
    return ok(endpoints.find(path.split('/').map(decoded)));
  } catch {
    return fail(malformedPath);
  }
}

const batchName = '/_batch';
/** Of requests in process alone. */
export const sqlPath = '/_sql';

/** The batch below the base path, whose paths mean the default version if they name none. */
function findBatch({ versions, defaultVersion }: Api): Result<Route> {
  const version = versions.get(defaultVersion);
  if (version === undefined) throw new TypeError('There is no default version');
  return ok({ kind: 'batch', version });
}

/** The route of a path that begins with `/_`, or of `/`. */
function findOwn(path: string): Route {
  const found = /^\/_audit(?:\/([\w-]+))?$/u.exec(path);
  return found === null ? { kind: 'system', path } : { kind: 'audit', id: found[1] };
}

/** Advice for an unknown path. It depends on the path alone, so it reveals no resource. */
function adviceOn(path: string, { basePath, defaultVersion, unversioned }: Api): string {
  if (path.includes('//')) return '; a double slash makes it another path';
  if (path.endsWith('/')) return '; paths end without a slash';
  if (path !== basePath && !path.startsWith(`${basePath}/`))
    return `; the paths of this API begin with ${basePath}/`;
  const below = path.slice(basePath.length);
  const [, own] = /^(?:\/v\d+)?(\/_[a-z.]+)$/u.exec(below) ?? [];
  if (own !== undefined) return `; what begins with _ is at the root: ${own}`;
  if (/^(?:\/v\d+)?$/u.test(below)) return `; what there is below it is in ${below}/_openapi.json`;
  if (!unversioned && !/^\/v\d/u.test(below))
    return `; it has to begin with ${basePath}/v${defaultVersion}/`;
  const [, record] = /^((?:\/v\d+)?\/[^/]+\/[^/]+)\/[^/]+/u.exec(below) ?? [];
  return record === undefined
    ? ''
    : `; no path is below a record: its fields are at ${basePath}${record}, and its relations come with \`expand\``;
}

/** The version number in a path (`v2`); undefined if malformed or too long. */
function versionNumber(text: string): number | undefined {
  return /^v[1-9]\d{0,8}$/u.test(text) ? Number(text.slice(1)) : undefined;
}

export function uriTooLong(limit: number): ApiError {
  return apiError('URI_TOO_LONG', `The URL is longer than ${limit} bytes (limits.urlLength)`);
}

/** Percent-decodes a part of a path; throws if malformed. */
function decoded(part: string): string {
  return part.includes('%') ? decodeURIComponent(part) : part;
}

/** The 404 of an unknown path, with advice. */
export function nothingAt(path: string, advice = ''): ApiError {
  return apiError('UNKNOWN_RESOURCE', `There is nothing at ${path}${advice}`);
}

/** `/v<N>/_openapi.json`, at the root and below the base path. */
function findDocument(path: string, api: Api): Result<Route> | undefined {
  const below = path.startsWith(`${api.basePath}/v`) ? path.slice(api.basePath.length) : path;
  const [, name = ''] = /^\/(v\d+)\/_openapi\.json$/u.exec(below) ?? [];
  const number = versionNumber(name);
  if (number === undefined) return undefined;
  const version = api.versions.get(number);
  return version === undefined ? unknownVersion(name, api) : ok({ kind: 'openapi', version });
}

function unknownVersion(name: string, api: Api): Result<Route> {
  const known = [...api.versions.keys()].map((version) => `v${version}`).join(', ');
  return fail(apiError('UNKNOWN_VERSION', `There is no version ${name}; there is ${known}`));
}

/** Whether a version has a resource, for any caller. */
export function isServed(name: string, { hiddenResources }: Version, { resources }: Api): boolean {
  const resource = resources.get(name);
  return resource !== undefined && !hiddenResources.has(resource);
}

/** The caller's view of a resource; the 404 suggests the nearest visible name. */
export function findResourceView(name: string, view: View): Result<ResourceView> {
  const resourceView = view.resource(name);
  if (resourceView !== undefined) return ok(resourceView);
  const known = view.resourceViews().map((other) => other.name);
  const message = unknownName('resource', name, known);
  return fail(apiError('UNKNOWN_RESOURCE', message.charAt(0).toUpperCase() + message.slice(1)));
}

/** The kind of request of a method at a path; the 405 lists the allowed methods. */
export function requestKindOf(method: string, id: string | undefined): Result<RequestKind> {
  const kind = methodsAt(id).get(method);
  return kind === undefined ? fail(methodNotAllowed(method, allowOf(id))) : ok(kind);
}

/** The operation that access rules name for a kind of request. */
export function operationOf(kind: RequestKind): Operation {
  switch (kind) {
    case 'list':
      return 'read';
    case 'replace':
    case 'updateMany':
      return 'update';
    case 'deleteMany':
      return 'delete';
    case 'read':
    case 'create':
    case 'update':
    case 'delete':
      return kind;
    default:
      return kind satisfies never;
  }
}

/** The methods of a resource's path, as the `Allow` header lists them. */
export function allowOf(id: string | undefined): string {
  return [...methodsAt(id).keys(), 'OPTIONS'].join(', ');
}

function methodsAt(id: string | undefined): ReadonlyMap<string, RequestKind> {
  return id === undefined ? collectionMethods : recordMethods;
}

/**
 * The response to OPTIONS, or the error for a method that is not allowed; undefined for an allowed method.
 */
export function answerMethod(
  { method, requestId }: { readonly method: string; readonly requestId: string },
  allow: string,
): Result<Response> | undefined {
  if (method === 'OPTIONS') return ok(emptyResponse(204, requestId, { allow }));
  return allow.split(', ').includes(method) ? undefined : fail(methodNotAllowed(method, allow));
}

function methodNotAllowed(method: string, allow: string): ApiError {
  return apiError('METHOD_NOT_ALLOWED', `${method} is not allowed here; allowed are ${allow}`, {
    headers: { allow },
  });
}

import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { unknownName } from '../../model/build/names.ts';
import type { Operation } from '../../model/access.ts';
import type { Api, Version } from '../../model/api.ts';
import type { ResourceView, View } from '../../model/view.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import { emptyResponse, type Response } from '../response/response.ts';

/** Where a request goes: one of the service's own paths, or a resource and perhaps one record. */
export type Route =
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'openapi'; readonly version: Version }
  | ResourceRoute;

/** A path of a resource, or of one of its records. */
export interface ResourceRoute {
  readonly kind: 'resource';
  readonly version: Version;
  readonly name: string;
  /** The text of the path's last part, decoded. */
  readonly id: string | undefined;
}

/**
 * Whether a path is one by which the process is watched. Compared, since a Set would have every path that comes interned
 * to look it up, which takes longer than all else that is decided before a request is answered.
 */
export function isProbe(path: string): boolean {
  return path === '/_health' || path === '/_ready';
}

/** The two parts of a request target, as they were sent; the second without `?`. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const [path, search = ''] = cutAt(url, '?');
  return { path, search };
}

/** What stands before the first `mark`, and what behind it. */
function cutAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const collectionMethods: ReadonlyMap<string, RequestKind> = new Map([
  ['GET', 'list'],
  ['HEAD', 'list'],
  ['POST', 'create'],
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
export function findRoute(path: string, api: Api): Result<Route> {
  if (path.startsWith('/_') || path === '/') return ok({ kind: 'system', path });
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
  const [name, id] = cutAt(isVersioned ? rest : below, '/');
  const isOwn = name.startsWith('_') && id === undefined;
  if (isOwn || name === '' || id === '' || id?.includes('/') === true) return unknown();
  try {
    return ok({
      kind: 'resource',
      version,
      name: decoded(name),
      id: id === undefined ? undefined : decoded(id),
    });
  } catch {
    return fail(apiError('MALFORMED_REQUEST', 'The path is not valid percent-encoded UTF-8'));
  }
}

/** What to ask for in place of a path that leads nowhere. It follows from the path alone, so it tells of no resource. */
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
  const [, version = '', record, related] =
    /^(\/v\d+)?(\/[^/]+\/[^/]+)\/([^/]+)$/u.exec(below) ?? [];
  return record === undefined || related === undefined
    ? ''
    : `; what is related to a record comes with it: ${basePath}${version}${record}?expand=${related}`;
}

/** The number of a version as paths name it; undefined for what is written otherwise, or is too long to be one. */
function versionNumber(text: string): number | undefined {
  return /^v[1-9]\d{0,8}$/u.test(text) ? Number(text.slice(1)) : undefined;
}

/** A part of a path; throws where it is no valid percent-encoding. */
function decoded(part: string): string {
  return part.includes('%') ? decodeURIComponent(part) : part;
}

/** The answer at a path that leads nowhere; `advice` says what may be meant. */
export function nothingAt(path: string, advice = ''): ApiError {
  return apiError('UNKNOWN_RESOURCE', `There is nothing at ${path}${advice}`);
}

/** `/v<N>/_openapi.json`, at the root as all of the service's own paths, and where the resources are. */
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

/** Whether a version has a resource, whoever asks and whatever it may do. */
export function isServed(name: string, { hiddenResources }: Version, { resources }: Api): boolean {
  const resource = resources.get(name);
  return resource !== undefined && !hiddenResources.has(resource);
}

/** What a caller sees at a resource's path; 404 names the nearest resource of those that it sees. */
export function findFace(name: string, view: View): Result<ResourceView> {
  const resourceView = view.resource(name);
  if (resourceView !== undefined) return ok(resourceView);
  const known = view.resourceViews().map((other) => other.name);
  const message = unknownName('resource', name, known);
  return fail(apiError('UNKNOWN_RESOURCE', message.charAt(0).toUpperCase() + message.slice(1)));
}

/** What a method does at a path; 405 says which methods there are. */
export function kindOf(method: string, id: string | undefined): Result<RequestKind> {
  const kind = methodsAt(id).get(method);
  return kind === undefined ? fail(methodNotAllowed(method, allowOf(id))) : ok(kind);
}

/** The operation that rules name for what a request does. */
export function operationOf(kind: RequestKind): Operation {
  if (kind === 'list') return 'read';
  return kind === 'replace' ? 'update' : kind;
}

/** The methods of a resource's path, as the `Allow` header lists them. */
export function allowOf(id: string | undefined): string {
  return [...methodsAt(id).keys(), 'OPTIONS'].join(', ');
}

function methodsAt(id: string | undefined): ReadonlyMap<string, RequestKind> {
  return id === undefined ? collectionMethods : recordMethods;
}

/**
 * What one of the service's own paths answers by the method alone: `OPTIONS` is told which are allowed, others are
 * refused. Undefined where it is one of those that are.
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

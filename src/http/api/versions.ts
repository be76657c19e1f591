import { apiError, type ApiError } from '../../errors.ts';
import type { Api, Version } from '../../model/api.ts';
import { hasEnded, midnight } from '../../model/sunset.ts';
import type { Response } from '../response/response.ts';
import { linkRoot, type Exchange } from './exchange.ts';
import { findRoute, type Route } from './router.ts';

/** The notice of a deprecated version. */
interface Notice {
  readonly headers: Readonly<Record<string, string>>;
  readonly links: readonly string[];
  readonly successor: Version | undefined;
}

type Notices = ReadonlyMap<Version, Notice>;

/** Notices by Api; undefined if no version is deprecated, as in nearly all. */
const known = new WeakMap<Api, Notices | undefined>();

function noticesOf(api: Api): Notices | undefined {
  if (known.has(api)) return known.get(api);
  const going = [...api.versions.values()].filter(isGoing);
  const notices = new Map(going.map((version) => [version, noticeOf(version, api)]));
  const found = notices.size === 0 ? undefined : notices;
  known.set(api, found);
  return found;
}

function isGoing({ deprecated, sunset }: Version): boolean {
  return deprecated !== undefined || sunset !== undefined;
}

function noticeOf(version: Version, api: Api): Notice {
  const { deprecated, sunset, link } = version;
  const headers: Record<string, string> = {};
  if (deprecated !== undefined) headers['deprecation'] = `@${midnight(deprecated) / 1000}`;
  if (sunset !== undefined) headers['sunset'] = new Date(midnight(sunset)).toUTCString();
  const relation = deprecated === undefined ? 'sunset' : 'deprecation';
  return {
    headers,
    links: link === undefined ? [] : [`<${link}>; rel="${relation}"`],
    successor: successorOf(version, api),
  };
}

/** The next version that is not deprecated, else the default one. */
function successorOf({ number }: Version, { versions, defaultVersion }: Api): Version | undefined {
  const [next] = [...versions.values()]
    .filter((other) => other.number > number && !isGoing(other))
    .sort((a, b) => a.number - b.number);
  return next ?? (defaultVersion === number ? undefined : versions.get(defaultVersion));
}

/** The versions whose sunset date has not passed. */
export function servedVersions({ versions }: Api, now: () => Date): readonly Version[] {
  return [...versions.values()].filter((version) => !hasEnded(version, now));
}

/**
 * Why a version is no longer served: from midnight UTC of its sunset date. See
 * docs/contract/1-specification-file.md#versions, rule 7.
 */
export function sunsetRefusal(version: Version, api: Api, now: () => Date): ApiError | undefined {
  const { number, sunset, link } = version;
  if (!hasEnded(version, now)) return undefined;
  const successor = noticesOf(api)?.get(version)?.successor;
  const next = successor === undefined ? '' : `; use v${successor.number}`;
  const more = link === undefined ? '' : `. See ${link}`;
  return apiError('VERSION_SUNSET', `Version v${number} ended on ${sunset}${next}${more}`);
}

/**
 * Adds the notice of a deprecated version to a response: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and links to a page
 * about it and to the same path in the next version.
 */
export function withNotice(
  response: Response,
  path: string,
  exchange: Pick<Exchange, 'servedApi' | 'mount'>,
): Response {
  const { servedApi: served } = exchange;
  const { api } = served;
  const notices = noticesOf(api);
  if (notices === undefined) return response;
  const route = findRoute(path, served);
  const version = route.ok ? versionOf(route.value, api) : undefined;
  const notice = version && notices.get(version);
  if (!route.ok || notice === undefined) return response;
  const link = [
    response.headers['link'] ?? [],
    notice.links,
    successorLinks(route.value, notice, api, linkRoot(exchange)),
  ]
    .flat()
    .join(', ');
  return {
    ...response,
    headers: { ...response.headers, ...notice.headers, ...(link === '' ? {} : { link }) },
  };
}

/** The version of a path, also of its OpenAPI document. */
function versionOf(route: Route, api: Api): Version | undefined {
  if (route.kind === 'audit' || route.kind === 'sql') return undefined;
  if (route.kind !== 'system') return route.version;
  return route.path === documentPath ? api.versions.get(api.defaultVersion) : undefined;
}

/** The same path in the next version, if that has it. */
function successorLinks(
  route: Route,
  { successor }: Notice,
  api: Api,
  root: string,
): readonly string[] {
  if (successor === undefined) return [];
  const version = `/v${successor.number}`;
  const to = (place: string): readonly string[] => [`<${root}${place}>; rel="successor-version"`];
  if (route.kind === 'endpoint') return to(`${api.basePath}${version}/${route.below}`);
  if (route.kind !== 'resource') return to(version + documentPath);
  const { name, id } = route;
  const resource = api.resources.get(name);
  if (resource === undefined || successor.hiddenResources.has(resource)) return [];
  const rest = id === undefined ? name : `${name}/${encodeURIComponent(id)}`;
  return to(`${api.basePath}${version}/${rest}`);
}

const documentPath = '/_openapi.json';

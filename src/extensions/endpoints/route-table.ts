import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Pattern } from './pattern.ts';

/** The endpoints at one path, and the values of its parameters for each. */
export interface FoundEndpoints<Endpoint> {
  /** By method; HEAD is that of GET. */
  readonly byMethod: ReadonlyMap<string, Matched<Endpoint>>;
}

export interface Matched<Endpoint> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds endpoints by path. Fixed segments go before parameters, from left to right: `/reports/latest` before
 * `/reports/:year`. A method that the first pattern lacks is looked for in the next.
 */
export class RouteTable<Endpoint extends Pattern> {
  /** By the number of their segments, the most fixed first. */
  private readonly byLength = new Map<number, Endpoint[]>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints)
      getOrInsert(this.byLength, endpoint.segments.length, (): Endpoint[] => []).push(endpoint);
    for (const list of this.byLength.values()) list.sort(byFixedness);
  }

  /** The endpoints at a path, given as its decoded segments; undefined if there are none. */
  find(segments: readonly string[]): FoundEndpoints<Endpoint> | undefined {
    const byMethod = new Map<string, Matched<Endpoint>>();
    for (const endpoint of this.byLength.get(segments.length) ?? []) {
      const params = paramsOf(endpoint, segments);
      if (params !== undefined && !byMethod.has(endpoint.method))
        byMethod.set(endpoint.method, { endpoint, params });
    }
    const get = byMethod.get('GET');
    if (get !== undefined) byMethod.set('HEAD', get);
    return byMethod.size === 0 ? undefined : { byMethod };
  }
}

/** The values of the parameters of a pattern; undefined if the path is another. */
function paramsOf(
  pattern: Pattern,
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const params: [string, string][] = [];
  for (const [index, segment] of pattern.segments.entries()) {
    const text = segments[index] ?? '';
    if (segment.kind === 'parameter' && text !== '') params.push([segment.name, text]);
    else if (segment.kind !== 'fixed' || segment.text !== text) return undefined;
  }
  return Object.fromEntries(params);
}

function byFixedness(one: Pattern, other: Pattern): number {
  for (const [index, segment] of one.segments.entries()) {
    const isFixed = segment.kind === 'fixed';
    if (isFixed !== (other.segments[index]?.kind === 'fixed')) return isFixed ? -1 : 1;
  }
  return 0;
}

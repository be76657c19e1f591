import { parameterNames, type ParameterName } from './parameters.ts';
import { parseQuery } from './query.ts';

/** Which debug output a request asks for. See docs/contract/7-data-debug-dashboard.md#debug-parameters. */
export interface DebugWish {
  readonly debug: boolean;
  /** `_debug` with the database's own plans. */
  readonly plan: boolean;
  readonly trace: boolean;
  readonly verbose: boolean;
  readonly inspectData: boolean;
  readonly inspectNetwork: boolean;
}

/** The debug output that a raw query string asks for, whatever else is wrong with it; undefined where it asks for none. */
export function wishedDebug(raw: string): DebugWish | undefined {
  if (!/(?:^|&)(?:_|%5f)/iu.test(raw)) return undefined;
  const query = parseQuery(raw, 'read');
  if (!query.debug) return undefined;
  const is = (name: ParameterName, ...values: readonly string[]): boolean =>
    values.includes(query.reserved.get(name) ?? '');
  return {
    debug: is('_debug', 'true', 'plan'),
    plan: is('_debug', 'plan'),
    trace: is('_trace', 'true'),
    verbose: is('_verbose', 'true'),
    inspectData: is('_inspect', 'data'),
    inspectNetwork: is('_inspectNetwork', 'true'),
  };
}

/** The parameters among these that add a member to every answer; `_verbose` alone changes only errors. */
export function addingToAll(wish: DebugWish): readonly ParameterName[] {
  return [
    ...(wish.debug ? (['_debug'] as const) : []),
    ...(wish.trace ? (['_trace'] as const) : []),
    ...(wish.inspectData ? (['_inspect'] as const) : []),
    ...(wish.inspectNetwork ? (['_inspectNetwork'] as const) : []),
  ];
}

/** Parameters as they were sent: a name → its value, an array where it was repeated. */
export type SentParameters = Readonly<Record<string, string | readonly string[]>>;

/** The parameters of a raw query string in their order; what cannot be decoded stays as it is. */
export function sentParameters(raw: string): SentParameters {
  const sent = Map.groupBy(new URLSearchParams(raw), ([name]) => name);
  // A null prototype: a parameter may be called __proto__.
  const result = Object.create(null) as Record<string, string | readonly string[]>;
  for (const [name, pairs] of sent) {
    const [value = '', ...others] = pairs.map(([, one]) => one);
    result[name] = others.length === 0 ? value : [value, ...others];
  }
  return result;
}

const reserved: ReadonlySet<string> = new Set(parameterNames.filter((name) => name !== '_or'));

/** What `_debug.query` says of a list's filters: all that is no reserved parameter, and `_or`. */
export function sentFilters(raw: string, expanded: readonly string[]): SentParameters {
  const filters = Object.entries(sentParameters(raw)).filter(
    ([name]) => !reserved.has(name) && !isPaging(name, expanded),
  );
  return Object.fromEntries(filters);
}

/** Whether a parameter is the paging or the order of a collection that the request expands. */
function isPaging(name: string, expanded: readonly string[]): boolean {
  const [, path] = /^(.+)\.(?:page|limit|offset|sort)$/u.exec(name) ?? [];
  return (
    path !== undefined &&
    expanded.some((relation) => relation === path || relation.startsWith(`${path}.`))
  );
}

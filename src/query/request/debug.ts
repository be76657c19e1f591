import { isGroupParameter, parameterNames, type ParameterName } from './parameters.ts';
import { parseQuery } from './query.ts';

/** The debug output that a request asks for. See docs/contract/7-data-debug-dashboard.md#debug-parameters. */
export interface DebugOptions {
  readonly debug: boolean;
  /** `_debug` with the database's own plans. */
  readonly plan: boolean;
  readonly trace: boolean;
  readonly verbose: boolean;
  readonly inspectData: boolean;
  readonly inspectNetwork: boolean;
}

/** The debug options in a raw query string, even if the rest of it is invalid; undefined if there are none. */
export function readDebugOptions(raw: string): DebugOptions | undefined {
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

/** The parameters that add a member to every response. `_verbose` is not among them: it changes only errors. */
export function memberParameters(options: DebugOptions): readonly ParameterName[] {
  return [
    ...(options.debug ? (['_debug'] as const) : []),
    ...(options.trace ? (['_trace'] as const) : []),
    ...(options.inspectData ? (['_inspect'] as const) : []),
    ...(options.inspectNetwork ? (['_inspectNetwork'] as const) : []),
  ];
}

/** Parameters as sent: each name with its value, or an array of values if it was repeated. */
export type SentParameters = Readonly<Record<string, string | readonly string[]>>;

/** The parameters of a raw query string, in their order. */
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

const reserved: ReadonlySet<string> = new Set(
  parameterNames.filter((name) => !isGroupParameter(name)),
);

/** The filters of a list for `_debug.query`: groups, and every parameter that is not reserved. */
export function sentFilters(raw: string, expanded: readonly string[]): SentParameters {
  const filters = Object.entries(sentParameters(raw)).filter(
    ([name]) => !reserved.has(name) && !isPaging(name, expanded),
  );
  return Object.fromEntries(filters);
}

/** Whether a parameter pages or sorts a collection that the request expands. */
function isPaging(name: string, expanded: readonly string[]): boolean {
  const [, path] = /^(.+)\.(?:page|limit|offset|sort)$/u.exec(name) ?? [];
  return (
    path !== undefined &&
    expanded.some((relation) => relation === path || relation.startsWith(`${path}.`))
  );
}

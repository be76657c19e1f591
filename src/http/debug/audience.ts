import type { Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import type { Audience } from '../../specification/specification.ts';
import type { Mode } from '../edge/edge.ts';

interface Served {
  readonly api: Pick<Api, 'settings'>;
}

/** Whether a caller belongs to an audience of the specification: `true`, or a list of roles. */
export function isInAudience(audience: Audience | undefined, { roles }: Caller): boolean {
  return typeof audience === 'object'
    ? audience.roles.some((role) => roles.has(role))
    : audience === true;
}

/** Whether any caller may use debug parameters; if not, nothing is recorded for them. */
export function isDebugOn({ api }: Served, mode: Mode): boolean {
  const { debug } = api.settings;
  return debug === undefined ? mode === 'dev' : debug !== false;
}

/**
 * Whether this caller may use debug parameters. See
 * docs/contract/7-data-debug-dashboard.md#who-may-debug.
 */
export function mayDebug(
  exchange: { readonly servedApi: Served; readonly mode: Mode },
  caller: Caller,
): boolean {
  if (!isDebugOn(exchange.servedApi, exchange.mode)) return false;
  return exchange.mode === 'dev' || isInAudience(exchange.servedApi.api.settings.debug, caller);
}

/** Whether debug output may show what is hidden from the caller: without `auth`, and to `debug.roles`. */
export function seesAll({ servedApi }: { readonly servedApi: Served }, caller: Caller): boolean {
  const { auth, debug } = servedApi.api.settings;
  return auth === undefined || (typeof debug === 'object' && isInAudience(debug, caller));
}

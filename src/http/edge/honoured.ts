import type { Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import type { Audience } from '../../specification/specification.ts';
import type { Mode } from './edge.ts';

interface Served {
  readonly api: Pick<Api, 'settings'>;
}

/** Whether a caller is one of those who may use something. */
export function isAmong(audience: Audience | undefined, { roles }: Caller): boolean {
  return typeof audience === 'object'
    ? audience.roles.some((role) => roles.has(role))
    : audience === true;
}

/** Whether debug parameters may be honoured for anybody: where not, nothing is recorded for them. */
export function mayDebug({ api }: Served, mode: Mode): boolean {
  const { debug } = api.settings;
  return debug === undefined ? mode === 'dev' : debug !== false;
}

/**
 * Whether the debug parameters of this caller are honoured. See
 * docs/contract/7-data-debug-dashboard.md#who-may-debug.
 */
export function isHonoured(
  exchange: { readonly servedApi: Served; readonly mode: Mode },
  caller: Caller,
): boolean {
  if (!mayDebug(exchange.servedApi, exchange.mode)) return false;
  return exchange.mode === 'dev' || isAmong(exchange.servedApi.api.settings.debug, caller);
}

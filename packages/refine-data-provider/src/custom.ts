import type { CustomParams } from '@refinedev/core';
import { addFilters } from '../../common/conditions.ts';
import { sendTo, type ProviderOptions } from '../../common/http.ts';
import { filtersOf } from './filters.ts';
import { signalOf, sortOf } from './parameters.ts';

/**
 * A request that no method makes. `url` is below the API (`/orders/1`), or a whole URL; credentials go to what is
 * below the API alone. Gives the body of the answer. Errors as everywhere.
 */
export async function custom(options: ProviderOptions, params: CustomParams): Promise<unknown> {
  const root = options.baseUrl.replace(/\/+$/u, '');
  const isWhole = /^[a-z][a-z0-9+.-]*:/iu.test(params.url);
  const [path = '', ...given] = params.url.split('?');
  const query = new URLSearchParams(given.join('?'));
  for (const [name, value] of Object.entries(params.query ?? {}))
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value as unknown])
      if (item !== undefined && item !== null) query.append(name, String(item));
  addFilters(query, filtersOf(params.filters));
  const sort = sortOf(params.sorters);
  if (sort.length > 0) query.set('sort', sort.join(','));
  const place = isWhole ? path : `${root}/${path.replace(/^\/+/u, '')}`;
  const isOurs = place === root || place.startsWith(`${root}/`);
  const { baseUrl, fetch } = options;
  const told = await sendTo(
    isOurs ? options : { baseUrl, ...(fetch === undefined ? {} : { fetch }) },
    query.size === 0 ? place : `${place}?${query.toString()}`,
    {
      method: params.method.toUpperCase(),
      body: params.payload,
      headers: { ...params.headers },
      signal: signalOf(params.meta),
    },
  );
  return told.body;
}

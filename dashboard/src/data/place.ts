import type { Model } from '../../../src/http/dashboard/wire-model.ts';
import { decoded } from '../words.ts';
import { queryFor } from './query.ts';

/** A list of the explorer: the name of a resource, behind its version where that is not the default one, and its query. */
export interface ListPlace {
  readonly part: string;
  readonly search: string;
}

/**
 * Where the explorer has what a URL of the API asks for, of this server or without one; a single record is a list of
 * one. Undefined: it leads to no resource.
 */
export function placeOf(
  url: string,
  origin: string,
  model: Model,
  latest: Model,
): ListPlace | undefined {
  const own = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/u.exec(own) ?? [];
  const base = latest.path.slice(0, -`v${latest.version}`.length);
  if (!path.startsWith(base)) return undefined;
  const parts = path.slice(base.length).split('/');
  const named = Number(/^v(\d+)$/u.exec(parts[0] ?? '')?.[1]);
  const version = latest.versions.includes(named) ? named : latest.version;
  const [name, id, ...rest] = version === named ? parts.slice(1) : parts;
  if (name === undefined || name === '' || id === '' || rest.length > 0) return undefined;
  const known = [model, latest].find((one) => one.version === version);
  if (known?.resources.every((one) => one.name !== name) === true) return undefined;
  const one = id === undefined ? '' : queryFor('id', decoded(id));
  return {
    part: version === latest.version ? name : `v${version}/${name}`,
    search: [one, search].filter((text) => text !== '').join('&'),
  };
}

import { typeNames } from '../document/names.ts';
import type { Naming } from '../document/records.ts';
import type { ResourceView, View } from '../../model/view.ts';

/** What the types of resources are called. */
export interface ClientNaming extends Naming {
  /** The member of a resource in `AllResources`: its name, or the same with `owner ` before it. */
  readonly keyOf: (resource: string) => string;
}

/** The names of the types of a view's resources, and of `more`. */
export function clientNaming(view: View, more: readonly ResourceView[]): ClientNaming {
  return { names: typeNames(view, more), keyOf: (resource) => resource };
}

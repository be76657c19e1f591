import type { Batches } from './batch.ts';
import type { Calls, EndpointName } from './calls.ts';
import type { OwnerResources } from './resources.ts';
import type { NameOf, ResourceClient, ResourceName } from './types.ts';

/** The API: a member for each resource, `batch` and, with endpoints, `call`, unless a resource has that name. */
export type Client = {
  readonly [R in ResourceName]: ResourceClient<R>;
} & ('batch' extends ResourceName ? unknown : Batches) &
  ([EndpointName] extends [never] ? unknown : 'call' extends ResourceName ? unknown : Calls);

type OwnerKey = keyof OwnerResources & string;

/** The API as the owner has it, for whom no access rule holds: `db.asOwner` of own code, and `db` of a server. */
export type OwnerClient = {
  readonly [K in OwnerKey as NameOf<K>]: ResourceClient<K>;
} & ('batch' extends NameOf<OwnerKey> ? unknown : Batches<'owner '>) &
  ([EndpointName] extends [never] ? unknown : 'call' extends NameOf<OwnerKey> ? unknown : Calls);

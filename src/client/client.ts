import type { Batches } from './batch.ts';
import type { Calls, EndpointName } from './calls.ts';
import type { ResourceClient, ResourceName } from './types.ts';

/** The API: a member for each resource, `batch` and, with endpoints, `call`, unless a resource has that name. */
export type Client = {
  readonly [R in ResourceName]: ResourceClient<R>;
} & ('batch' extends ResourceName ? unknown : Batches) &
  ([EndpointName] extends [never] ? unknown : 'call' extends ResourceName ? unknown : Calls);

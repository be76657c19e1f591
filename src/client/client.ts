import type { Batches } from './batch.ts';
import type { ResourceClient, ResourceName } from './types.ts';

/** The API: a member for each resource, and `batch` unless a resource has that name. */
export type Client = {
  readonly [R in ResourceName]: ResourceClient<R>;
} & ('batch' extends ResourceName ? unknown : Batches);

import type { LimitsSpecification } from '../spec/specification.ts';
import type { Limits } from './api.ts';

const defaults: Limits = {
  defaultLimit: 20,
  maxLimit: 1_000,
  defaultDepth: 3,
  maxDepth: 5,
  expandedItems: 100,
  responseItems: 20_000,
  exportItems: 1_000_000,
  inItems: 500,
  filters: 50,
  sorts: 8,
  pathDepth: 5,
  urlLength: 8 * 1024,
  batchItems: 1_000,
};

/** The limits of an API: what the file says over the defaults. Contract 2, Limits. */
export function buildLimits(limits: LimitsSpecification): Limits {
  const merged = { ...defaults, ...limits };
  return {
    ...merged,
    defaultLimit: limits.defaultLimit ?? Math.min(defaults.defaultLimit, merged.maxLimit),
    defaultDepth: limits.defaultDepth ?? Math.min(defaults.defaultDepth, merged.maxDepth),
  };
}

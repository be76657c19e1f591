import { limitDefaults } from '../specification/keys/limits.ts';
import type { LimitsSpecification } from '../specification/specification.ts';
import type { Limits } from './api.ts';

/** The limits of an API: what the file says over the defaults. See docs/contract/4-errors-and-limits.md#limits. */
export function buildLimits(limits: LimitsSpecification): Limits {
  const merged = { ...limitDefaults, ...limits };
  return {
    ...merged,
    defaultLimit: Math.min(merged.defaultLimit, merged.maxLimit),
    defaultDepth: Math.min(merged.defaultDepth, merged.maxDepth),
  };
}

import type { Codec } from '../api.ts';

/** The codec of values that are stored as they are on the wire. */
export const plain: Codec = {};

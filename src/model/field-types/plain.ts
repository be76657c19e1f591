import type { Codec } from '../api.ts';

/** The codec of values that are stored as they are on the wire. */
export const plain: Codec = {};

/** No value of most types takes more characters in a row. */
export const shortest = 100;

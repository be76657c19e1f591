import { ownMemory } from '../execute/reader-processes.ts';

const mebibyte = 1024 * 1024;
/** The most, however much memory there is, and what there is room for in any. */
const most = 128 * mebibyte;
const least = 4 * mebibyte;
/**
 * A body is there as bytes, as text, as the records that it is taken for, as the values that are written and as the answer, and
 * what was there of the last ones is collected late: so many times their length were taken by long arrays of records. Answers
 * that are not taken are there once, or twice.
 */
const bodyTakes = 16;
const answerTakes = 4;

/** How much a server holds of what clients send and do not take, in bytes. */
export interface MemoryBounds {
  /** Of all bodies together that are read or worked on; four of the largest always have room. */
  readonly bodyBytes: number;
  /** Of all answers together that clients have not taken. */
  readonly unsentBytes: number;
}

/** What there is room for where the server may take `memory` bytes, beside what it takes itself. */
export function boundsIn(memory: number, bodyLimit: number): MemoryBounds {
  const share = (takes: number): number =>
    Math.max(least, Math.min(most, Math.floor((memory - ownMemory) / takes)));
  return {
    bodyBytes: Math.max(share(bodyTakes), 4 * bodyLimit),
    unsentBytes: share(answerTakes),
  };
}

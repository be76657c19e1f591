import { ownMemory } from '../../databases/sqlite/slow-reads/processes.ts';

const mebibyte = 1024 * 1024;
/** The most, however much memory there is, and what there is room for in any. */
const most = 128 * mebibyte;
const mostExported = 256 * mebibyte;
const least = 4 * mebibyte;
/**
 * A body is there as bytes, as text, as the records that it is taken for, as the values that are written and as the answer, and
 * what was there of the last ones is collected late: so many times their length were taken by long arrays of records. Answers
 * that are not taken are there once, or twice, and so is what lists hold that are read slowly.
 */
const bodyTakes = 16;
const answerTakes = 4;

/** How much a server holds of what clients send and do not take, in bytes. */
export interface MemoryBounds {
  /** Of all bodies together that are read or worked on; four of the largest always have room. */
  readonly bodyBytes: number;
  /** Of all answers together that clients have not taken. */
  readonly unsentBytes: number;
  /** Of all CSV and NDJSON lists together that are being sent; one always has room. */
  readonly exportBytes: number;
}

/** What there is room for where the server may take `memory` bytes, beside what it takes itself. */
export function boundsIn(memory: number, bodyLimit: number): MemoryBounds {
  const share = (takes: number, atMost = most): number =>
    Math.max(least, Math.min(atMost, Math.floor((memory - ownMemory) / takes)));
  return {
    bodyBytes: Math.max(share(bodyTakes), 4 * bodyLimit),
    unsentBytes: share(answerTakes),
    exportBytes: share(answerTakes, mostExported),
  };
}

import type { Version } from './api.ts';

/** The first moment of a date in UTC, in ms. */
export function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Whether a version is served no more: it ends at midnight UTC of its sunset date. The clock is only read where it has one. */
export function hasEnded({ sunset }: Version, now: () => Date): boolean {
  return sunset !== undefined && now().getTime() >= midnight(sunset);
}

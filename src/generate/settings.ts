import type { Api } from '../model/api.ts';

/** The number of records of a resource by default. */
export const defaultCount = 25;
const defaultSeed = 1;
const defaultLocale = 'en';
/** Generated times end here by default, so they do not change with the clock. */
const defaultUntil = '2026-01-01T00:00:00.000Z';

/** Which moments are generated. */
export interface Times {
  /** What has happened lies before this moment, in ms. */
  readonly until: number;
  /** Whether more of it lies shortly before that than long before. */
  readonly isRecent: boolean;
}

/** What generated values follow from besides the model. */
export interface GenerationSettings {
  readonly seed: number;
  readonly locale: string;
  readonly count: number;
}

/** Options that override the file. */
interface Overrides {
  readonly seed?: number | undefined;
  readonly count?: number | undefined;
}

/** The settings of an Api: from the options, else the file, else the defaults. */
export function settingsOf(api: Api, { seed, count }: Overrides = {}): GenerationSettings {
  const { generate = {} } = api.settings;
  return {
    seed: seed ?? generate.seed ?? defaultSeed,
    locale: generate.locale ?? defaultLocale,
    count: count ?? generate.count ?? defaultCount,
  };
}

/** The times of an Api. `now` was replaced by a moment when the file was read; of a document it is the default. */
export function timesOf({ settings }: Api): Times {
  const { until = defaultUntil } = settings.generate ?? {};
  return {
    until: Date.parse(until === 'now' ? defaultUntil : until),
    isRecent: settings.generate?.until !== undefined,
  };
}

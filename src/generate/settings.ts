import type { Api } from '../model/api.ts';

/** The number of records of a resource by default. */
export const defaultCount = 25;
const defaultSeed = 1;
const defaultLocale = 'en';

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

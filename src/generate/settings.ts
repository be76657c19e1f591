import type { Api } from '../model/api.ts';

/** How many records a resource has where nothing else is said. */
export const defaultCount = 25;
const defaultSeed = 1;
const defaultLocale = 'en';

/** What all that is generated follows from, beside the model. */
export interface GenerationSettings {
  readonly seed: number;
  readonly locale: string;
  readonly count: number;
}

/** What is said in place of the file. */
interface SaidOtherwise {
  readonly seed?: number | undefined;
  readonly count?: number | undefined;
}

/** The settings of an Api: what the options say, else the file, else the defaults. */
export function settingsOf(api: Api, { seed, count }: SaidOtherwise = {}): GenerationSettings {
  const { generate = {} } = api.settings;
  return {
    seed: seed ?? generate.seed ?? defaultSeed,
    locale: generate.locale ?? defaultLocale,
    count: count ?? generate.count ?? defaultCount,
  };
}

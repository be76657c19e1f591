import type { Sex } from './people.ts';
import latinNames from './proper-names.json' with { type: 'json' };

/** Texts about what a row is about. A language without a folder has none: faker's `lorem` stands in for them. */
export interface Phrases {
  /** The subject that title, summary and body of a row share. */
  readonly topics: readonly string[];
  /** With `{topic}`. */
  readonly titles: readonly string[];
  /** With or without `{topic}`. */
  readonly sentences: readonly string[];
  /** With `{topic}`. */
  readonly questions: readonly string[];
  /** Comments of readers. */
  readonly remarks: readonly string[];
  /** Sorted from the least to the most content: a row takes the one at its rating. */
  readonly reviews: readonly string[];
  readonly bios: readonly string[];
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly skills: readonly string[];
  /** One part of each list makes a name. The parts are joined by a space in English, else by nothing. */
  readonly products: readonly (readonly string[])[];
  /** Sentences of a product description. */
  readonly praises: readonly string[];
  /** Parts of names, as in `products`. */
  readonly tasks: readonly (readonly string[])[];
  /** Parts of names, as in `products`. */
  readonly events: readonly (readonly string[])[];
  readonly captions: readonly string[];
}

/** Terms for fields that hold one of a few values. A language without a folder takes the English ones. */
export interface Terms {
  /** With `{name}`, a person's last name. */
  readonly places: readonly string[];
  readonly materials: readonly string[];
  readonly departments: readonly string[];
  /** Empty for a language without a folder: faker's job titles are in its language. */
  readonly jobs: readonly string[];
  readonly salutations: Readonly<Record<Sex, string>>;
  readonly ingredients: readonly string[];
  readonly amenities: readonly string[];
  readonly continents: readonly string[];
  readonly industries: readonly string[];
  readonly diagnoses: readonly string[];
  readonly allergens: readonly string[];
  /** What a payment is for. */
  readonly purposes: readonly string[];
}

/** Latin spellings by name, for e-mail addresses. */
type Readings = Readonly<Record<string, string>>;

/** Names of people and places, instead of those of the faker library, which has no readings. */
export interface Names {
  readonly lastNames: Readings;
  readonly firstNames: Readonly<Record<Sex, Readings>>;
  /** Regions by city. */
  readonly cities: Readonly<Record<string, string>>;
  readonly streets: readonly string[];
  readonly properNames: readonly string[];
}

type Import<Content> = () => Promise<{ readonly default: Content }>;

interface LanguageFiles {
  readonly vocabulary: Import<Phrases & Terms>;
  readonly names?: Import<Names>;
}

const english: Import<Phrases & Terms> = () =>
  import('./en/vocabulary.json', { with: { type: 'json' } });

/** Every language with a folder. The compiler checks each file against the interfaces above. */
const languages: Readonly<Record<string, LanguageFiles>> = {
  de: { vocabulary: () => import('./de/vocabulary.json', { with: { type: 'json' } }) },
  en: { vocabulary: english },
  es: { vocabulary: () => import('./es/vocabulary.json', { with: { type: 'json' } }) },
  fr: { vocabulary: () => import('./fr/vocabulary.json', { with: { type: 'json' } }) },
  ja: {
    vocabulary: () => import('./ja/vocabulary.json', { with: { type: 'json' } }),
    names: () => import('./ja/names.json', { with: { type: 'json' } }),
  },
  pt: { vocabulary: () => import('./pt/vocabulary.json', { with: { type: 'json' } }) },
};

export interface Language {
  readonly phrases: Phrases | undefined;
  readonly terms: Terms;
  readonly names: Names | undefined;
  /** Names that suit anything: a ship, a sensor, a project, a cat. */
  readonly properNames: readonly string[];
}

/** Reads the files of one language. If it has none, the terms are English. */
export async function loadLanguage(code: string): Promise<Language> {
  const files = languages[code];
  const vocabulary = (await files?.vocabulary())?.default;
  const names = (await files?.names?.())?.default;
  return {
    phrases: vocabulary,
    terms: vocabulary ?? { ...(await english()).default, jobs: [] },
    names,
    properNames: names?.properNames ?? latinNames,
  };
}

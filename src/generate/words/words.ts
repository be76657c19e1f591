import type { Faker, LocaleDefinition } from '@faker-js/faker';
import { loadOptional } from '../../lib/modules/optional-package.ts';
import type { Pool } from '../distinct/pool.ts';
import type { Random } from '../random.ts';
import type { Times } from '../settings.ts';
import { countries, type City } from './countries.ts';
import { loadLanguage, type Language, type Phrases, type Terms } from './languages.ts';
import { nameOrder, plainNames, sexesOf, surnamesOf, type NameOrder, type Sex } from './people.ts';
import { asciiOf, romanised } from './text.ts';

/** The names, places and texts of one locale. All draws come from `random`, which the caller has set. */
export interface Words {
  readonly random: Random;
  readonly times: Times;
  /** Draws from `random`, too. */
  readonly faker: Faker;
  readonly language: string;
  /** The separator of words and sentences. */
  readonly joint: string;
  readonly phrases: Phrases | undefined;
  readonly terms: Terms;
  /** Names that suit anything: a ship, a sensor, a project, a cat. */
  readonly properNames: readonly string[];
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  /** Last names by sex, if the locale distinguishes them. */
  readonly lastNamesOf: Readonly<Partial<Record<Sex, readonly string[]>>>;
  /** The sex of first names that only one sex has. */
  readonly sexes: ReadonlyMap<string, Sex>;
  readonly nameOrder: NameOrder;
  readonly cities: readonly string[];
  readonly countries: readonly string[];
  /** The code of the country that `cities`, `states` and `streets` are in. */
  readonly home: string;
  /** The name of a country by its code, in the language of the locale. */
  readonly countryName: (code: string) => string;
  readonly companies: Pool;
  readonly states: readonly string[];
  /** Cities of the locale's country with their regions, if the region of each is known. */
  readonly knownCities: readonly City[] | undefined;
  readonly streets: readonly string[];
  /** Joins a street and a house number in the order of the country. */
  readonly streetAddress: (street: string, number: number) => string;
  /** The ASCII words of a text, joined by `joint`. */
  readonly ascii: (text: string, joint: string) => string;
}

/**
 * Loads a locale of the faker library: the one with this name (`de_AT`, `de-AT`), else that of its language. Undefined
 * if the library has neither.
 */
export async function loadWords(
  locale: string,
  shared: Pick<Words, 'random' | 'times'>,
): Promise<Words | undefined> {
  const [language = '', ...rest] = locale.split(/[_-]/u);
  const parts = [language.toLowerCase(), ...rest];
  let original: Faker | undefined;
  for (let count = parts.length; count > 0 && original === undefined; count -= 1)
    original = await loadFaker(parts.slice(0, count).join('_'));
  if (original === undefined) return undefined;
  const english =
    original.rawDefinitions.metadata?.language === 'en' ? original : await loadFaker('en');
  const code = original.rawDefinitions.metadata?.language ?? 'en';
  const { default: anyAscii } = await import('any-ascii');
  const texts = await loadLanguage(code);
  return makeWords(original, english?.rawDefinitions ?? {}, code, texts, anyAscii, shared);
}

/** The locales of a language that has none under its own name: `pt_BR` and `pt_PT` for `pt`. */
export async function localesAlike(locale: string): Promise<readonly string[]> {
  const { allLocales } = await loadOptional(
    'Generated data',
    ['@faker-js/faker'],
    () => import('@faker-js/faker'),
  );
  const [language = ''] = locale.toLowerCase().split(/[_-]/u);
  return Object.keys(allLocales).filter((code) => code.startsWith(`${language}_`));
}

async function loadFaker(code: string): Promise<Faker | undefined> {
  try {
    const loaded = await loadOptional(
      'Generated data',
      ['@faker-js/faker'],
      () => import(`@faker-js/faker/locale/${code}`) as Promise<{ readonly faker: Faker }>,
    );
    return loaded.faker;
  } catch (error) {
    const { code: reason } = error as NodeJS.ErrnoException;
    if (reason === 'ERR_MODULE_NOT_FOUND' || reason === 'ERR_PACKAGE_PATH_NOT_EXPORTED')
      return undefined;
    throw error;
  }
}

/** Languages that write words and sentences without spaces. */
const unspaced: ReadonlySet<string> = new Set(['ja', 'zh', 'th']);

function makeWords(
  original: Faker,
  fallback: LocaleDefinition,
  language: string,
  { names: local, ...texts }: Language,
  otherLetters: (text: string) => string,
  { random, times }: Pick<Words, 'random' | 'times'>,
): Words {
  // With our own randomizer, draws follow from the row alone and seeding costs nothing.
  const Constructor = original.constructor as typeof Faker;
  const faker = new Constructor({
    locale: original.rawDefinitions,
    randomizer: { next: () => random.next(), seed: () => undefined },
  });
  faker.setDefaultRefDate(new Date(times.until));
  const { person, location, metadata, company } = original.rawDefinitions;
  const { street_address: address } = location ?? {};
  const isStreetFirst = !(address?.normal ?? '').startsWith('{{location.buildingNumber');
  const drawn = <Value>(draw: () => Value, count: number): readonly Value[] =>
    Array.from({ length: count }, (_, index) => {
      random.start({ high: 7, low: 11 }, index);
      return draw();
    });
  // For a list that a locale lacks, the library returns the English one, which would look like a mistake.
  const own = <Value>(
    list: readonly Value[] | null | undefined,
    english: readonly Value[] | null | undefined,
  ): readonly Value[] | undefined =>
    list === null || (list === english && language !== 'en') ? undefined : list;
  const { location: abroad } = fallback;
  const female = local && Object.keys(local.firstNames.female);
  const male = local && Object.keys(local.firstNames.male);
  const localCities = local && Object.entries(local.cities);
  const readings = new Map(
    Object.entries({ ...local?.lastNames, ...local?.firstNames.female, ...local?.firstNames.male }),
  );
  const lastNames =
    (local && Object.keys(local.lastNames)) ??
    plainNames(person?.last_name) ??
    drawn(() => faker.person.lastName(), 500);
  const names = new Intl.DisplayNames([language, 'en'], { type: 'region' });
  const home = metadata?.country ?? new Intl.Locale(language).maximize().region ?? 'US';
  const joint = unspaced.has(language) ? '' : ' ';
  return {
    random,
    times,
    faker,
    language,
    joint,
    ...texts,
    firstNames:
      (female && male && [...female, ...male]) ??
      plainNames(person?.first_name) ??
      drawn(() => faker.person.firstName(), 500),
    lastNames,
    lastNamesOf: surnamesOf(person?.last_name),
    sexes: sexesOf(local ? { female, male } : (person?.first_name ?? undefined)),
    nameOrder: nameOrder(person?.name ?? []),
    cities: distinct(
      localCities?.map(([city]) => city) ??
        own(location?.city_name, abroad?.city_name) ??
        drawn(() => faker.location.city(), 500),
    ),
    countries: distinct(
      own(location?.country, abroad?.country) ?? drawn(() => faker.location.country(), 100),
    ),
    home,
    knownCities: localCities ?? countries.find(({ code }) => code === home)?.cities,
    countryName: (code) => names.of(code) ?? code,
    companies: companyNames(lastNames, textList(company?.legal_entity_type) ?? ['Ltd'], joint),
    states: distinct(own(location?.state, abroad?.state) ?? drawn(() => faker.location.city(), 50)),
    streets: distinct(
      local?.streets ??
        own(location?.street_name, abroad?.street_name) ??
        drawn(() => faker.location.street(), 500),
    ),
    streetAddress: (street, number) =>
      isStreetFirst ? `${street}${joint}${number}` : `${number}${joint}${street}`,
    ascii: cached((text, between) =>
      asciiOf(
        readings.get(text) ?? romanised(text.toLowerCase(), otherLetters),
        between,
        language === 'de',
      ),
    ),
  };
}

/** A list that the library has for some locales, though its types do not know it. */
function textList(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined;
}

/** Company names without duplicates: half of them a name with a legal form, half of them two names. */
function companyNames(names: readonly string[], forms: readonly string[], joint: string): Pool {
  const half = names.length * forms.length;
  const name = (index: number): string => names[index % names.length] ?? '';
  // Lists of names are often sorted, so the names of a pair are taken far apart, at another distance for each form.
  const distance = Math.max(1, Math.floor((names.length - 1) / (forms.length + 1)));
  return {
    size: 2 * half,
    at: (place) => {
      const [first, form] = [place % names.length, Math.floor((place % half) / names.length)];
      if (place >= half)
        return [name(first), name(first + (form + 1) * distance)].join(joint === '' ? '・' : ' & ');
      const legal = forms[form] ?? '';
      // Thai has Latin legal forms (Inc, LLC), too. They need a space.
      return `${name(first)}${/^\p{Script=Latin}/u.test(legal) ? ' ' : joint}${legal}`;
    },
  };
}

function distinct(list: readonly string[]): readonly string[] {
  return [...new Set(list)].filter((item) => item !== '');
}

/** A locale has a few thousand names, and each occurs often. */
const cacheSize = 20_000;

function cached(ascii: Words['ascii']): Words['ascii'] {
  const known = new Map<string, string>();
  return (text, joint) => {
    const key = `${joint}${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = ascii(text, joint);
    if (known.size < cacheSize) known.set(key, result);
    return result;
  };
}

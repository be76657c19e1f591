import type { Faker, LocaleDefinition } from '@faker-js/faker';
import type { Pool } from '../distinct/pool.ts';
import { Random } from '../random.ts';
import { countries, type City } from './countries.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { japaneseNames } from './japanese-names.ts';
import { nameOrder, plainNames, sexesOf, surnamesOf, type NameOrder, type Sex } from './people.ts';
import type { Phrases } from './phrases.ts';
import { portuguese } from './portuguese.ts';
import { romanised } from './romanised.ts';
import { spanish } from './spanish.ts';
import { asciiOf } from './text.ts';
import { thingsOf, type Things } from './things.ts';

/** The moment that generated dates are relative to, so that they do not change with the clock. */
export const referenceDate = '2026-01-01T00:00:00.000Z';

/** The names, places and texts of one locale. Everything is drawn from `random`, which the caller has set. */
export interface Words {
  readonly random: Random;
  /** The faker library, which draws from `random` too. */
  readonly faker: Faker;
  readonly language: string;
  /** What stands between words and sentences. */
  readonly joint: string;
  readonly phrases: Phrases | undefined;
  readonly things: Things;
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  /** Those of women and of men, where they differ. */
  readonly lastNamesOf: Readonly<Partial<Record<Sex, readonly string[]>>>;
  /** Whose first name it is, where it is a woman's or a man's alone. */
  readonly sexes: ReadonlyMap<string, Sex>;
  readonly nameOrder: NameOrder;
  readonly cities: readonly string[];
  readonly countries: readonly string[];
  /** The code of the country that the places are of. */
  readonly home: string;
  /** A country's name by its code. */
  readonly countryName: (code: string) => string;
  readonly companies: Pool;
  readonly states: readonly string[];
  /** Cities of which it is known in which region they are. */
  readonly knownCities: readonly City[] | undefined;
  readonly streets: readonly string[];
  /** A street and the number of a house, in the order of the country. */
  readonly streetAddress: (street: string, number: number) => string;
  /** Turns a text into ASCII parts. */
  readonly ascii: (text: string, joint: string) => string;
}

const phrasesOf: Readonly<Record<string, Phrases>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
  pt: portuguese,
};

/**
 * Loads a locale of the faker library: the one of this name (`de_AT`, `de-AT`), else its language's. Undefined where
 * it has neither.
 */
export async function loadWords(locale: string): Promise<Words | undefined> {
  const [language = '', ...rest] = locale.split(/[_-]/u);
  const parts = [language.toLowerCase(), ...rest];
  let original: Faker | undefined;
  for (let count = parts.length; count > 0 && original === undefined; count -= 1)
    original = await loadFaker(parts.slice(0, count).join('_'));
  if (original === undefined) return undefined;
  const english =
    original.rawDefinitions.metadata?.language === 'en' ? original : await loadFaker('en');
  return makeWords(original, english?.rawDefinitions ?? {});
}

/** The locales of a language of which there is none by its name alone: `pt_BR` and `pt_PT` for `pt`. */
export async function localesAlike(locale: string): Promise<readonly string[]> {
  const { allLocales } = await import('@faker-js/faker');
  const [language = ''] = locale.toLowerCase().split(/[_-]/u);
  return Object.keys(allLocales).filter((code) => code.startsWith(`${language}_`));
}

async function loadFaker(code: string): Promise<Faker | undefined> {
  try {
    const loaded = (await import(`@faker-js/faker/locale/${code}`)) as { faker: Faker };
    return loaded.faker;
  } catch (error) {
    const { code: reason } = error as NodeJS.ErrnoException;
    if (reason === 'ERR_MODULE_NOT_FOUND' || reason === 'ERR_PACKAGE_PATH_NOT_EXPORTED')
      return undefined;
    throw error;
  }
}

/** Languages that write words and sentences without anything between them. */
const unspaced: ReadonlySet<string> = new Set(['ja', 'zh', 'th']);

function makeWords(original: Faker, fallback: LocaleDefinition): Words {
  const random = new Random();
  // A Faker of our own: what it draws follows from the row alone, and seeding costs nothing.
  const Constructor = original.constructor as typeof Faker;
  const faker = new Constructor({
    locale: original.rawDefinitions,
    randomizer: { next: () => random.next(), seed: () => undefined },
  });
  faker.setDefaultRefDate(referenceDate);
  const { person, location, metadata, company } = original.rawDefinitions;
  const language = metadata?.language ?? 'en';
  const { street_address: address } = location ?? {};
  const isStreetFirst = !(address?.normal ?? '').startsWith('{{location.buildingNumber');
  const drawn = <Value>(draw: () => Value, count: number): readonly Value[] =>
    Array.from({ length: count }, (_, index) => {
      random.start({ high: 7, low: 11 }, index);
      return draw();
    });
  // A list that a locale lacks is that of English in the library, which reads as a mistake elsewhere.
  const own = <Value>(
    list: readonly Value[] | null | undefined,
    english: readonly Value[] | null | undefined,
  ): readonly Value[] | undefined =>
    list === null || (list === english && language !== 'en') ? undefined : list;
  const { location: abroad } = fallback;
  const local = language === 'ja' ? japaneseNames : undefined;
  const lastNames =
    local?.lastNames ?? plainNames(person?.last_name) ?? drawn(() => faker.person.lastName(), 500);
  const names = new Intl.DisplayNames([language, 'en'], { type: 'region' });
  const home = metadata?.country ?? new Intl.Locale(language).maximize().region ?? 'US';
  const joint = unspaced.has(language) ? '' : ' ';
  return {
    random,
    faker,
    language,
    joint,
    phrases: phrasesOf[language],
    things: thingsOf(language),
    firstNames:
      (local && [...local.women, ...local.men]) ??
      plainNames(person?.first_name) ??
      drawn(() => faker.person.firstName(), 500),
    lastNames,
    lastNamesOf: surnamesOf(person?.last_name),
    sexes: sexesOf(
      local ? { female: local.women, male: local.men } : (person?.first_name ?? undefined),
    ),
    nameOrder: nameOrder(person?.name ?? []),
    cities: distinct(
      (local && local.cities.map(([city]) => city)) ??
        own(location?.city_name, abroad?.city_name) ??
        drawn(() => faker.location.city(), 500),
    ),
    countries: distinct(
      own(location?.country, abroad?.country) ?? drawn(() => faker.location.country(), 100),
    ),
    home,
    knownCities: local?.cities ?? countries.find(({ code }) => code === home)?.cities,
    countryName: (code) => names.of(code) ?? code,
    companies: companyNames(lastNames, texts(company?.legal_entity_type) ?? ['Ltd'], joint),
    states: distinct(own(location?.state, abroad?.state) ?? drawn(() => faker.location.city(), 50)),
    streets: distinct(
      local?.streets ??
        own(location?.street_name, abroad?.street_name) ??
        drawn(() => faker.location.street(), 500),
    ),
    streetAddress: (street, number) =>
      isStreetFirst ? `${street}${joint}${number}` : `${number}${joint}${street}`,
    ascii: remembered((text, between) =>
      asciiOf(
        local?.readings.get(text) ?? romanised(text.toLowerCase()),
        between,
        language === 'de',
      ),
    ),
  };
}

/** A list of the library, whose types know of no such list in some locales. */
function texts(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined;
}

/** Companies of one name with their legal form, and as many of two names; all of them different. */
function companyNames(names: readonly string[], forms: readonly string[], joint: string): Pool {
  const half = names.length * forms.length;
  const name = (index: number): string => names[index % names.length] ?? '';
  // Lists of names are often sorted: those of a pair are far from each other, at another distance for each form.
  const distance = Math.max(1, Math.floor((names.length - 1) / (forms.length + 1)));
  return {
    size: 2 * half,
    at: (place) => {
      const [first, form] = [place % names.length, Math.floor((place % half) / names.length)];
      if (place >= half)
        return [name(first), name(first + (form + 1) * distance)].join(joint === '' ? '・' : ' & ');
      const legal = forms[form] ?? '';
      // Thai companies are Inc and LLC as well, which nobody writes onto their names.
      return `${name(first)}${/^\p{Script=Latin}/u.test(legal) ? ' ' : joint}${legal}`;
    },
  };
}

function distinct(list: readonly string[]): readonly string[] {
  return [...new Set(list)].filter((item) => item !== '');
}

/** How many texts are remembered: there are a few thousand names, each of which comes again and again. */
const rememberedTexts = 20_000;

function remembered(ascii: Words['ascii']): Words['ascii'] {
  const known = new Map<string, string>();
  return (text, joint) => {
    const key = `${joint}${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = ascii(text, joint);
    if (known.size < rememberedTexts) known.set(key, result);
    return result;
  };
}

import type { Faker } from '@faker-js/faker';
import type { Pool } from '../pool.ts';
import { Random } from '../random.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { Phrases } from './phrases.ts';
import { asciiOf } from './text.ts';

/** The moment that generated dates are relative to, so that they do not change with the clock. */
export const referenceDate = '2026-01-01T00:00:00.000Z';

/** The names, places and texts of one locale. Everything is drawn from `random`, which the caller has set. */
export interface Words {
  readonly random: Random;
  /** The faker library, which draws from `random` too. */
  readonly faker: Faker;
  readonly language: string;
  readonly phrases: Phrases | undefined;
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  readonly cities: readonly string[];
  readonly countries: readonly string[];
  /** The code of the country that the places are of. */
  readonly home: string;
  /** A country's name by its code. */
  readonly countryName: (code: string) => string;
  readonly companies: Pool;
  readonly states: readonly string[];
  readonly streets: readonly string[];
  /** Whether a street's name comes before the number of the house. */
  readonly streetFirst: boolean;
  /** Turns a text into ASCII parts. */
  readonly ascii: (text: string, joint: string) => string;
}

const phrasesOf: Readonly<Record<string, Phrases>> = { en: english, de: german };

/**
 * Loads a locale of the faker library: the one of this name (`de_AT`, `de-AT`), else its language's. Undefined where
 * it has neither.
 */
export async function loadWords(locale: string): Promise<Words | undefined> {
  const [language = '', region] = locale.split(/[_-]/u);
  const code =
    region === undefined ? language.toLowerCase() : `${language.toLowerCase()}_${region}`;
  const original = (await loadFaker(code)) ?? (await loadFaker(language.toLowerCase()));
  return original === undefined ? undefined : makeWords(original);
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

function makeWords(original: Faker): Words {
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
  const pattern = address?.normal ?? '';
  const drawn = <Value>(draw: () => Value, count: number): readonly Value[] =>
    Array.from({ length: count }, (_, index) => {
      random.start({ high: 7, low: 11 }, index);
      return draw();
    });
  const lastNames = plainNames(person?.last_name) ?? drawn(() => faker.person.lastName(), 500);
  const names = new Intl.DisplayNames([language, 'en'], { type: 'region' });
  return {
    random,
    faker,
    language,
    phrases: phrasesOf[language],
    firstNames: plainNames(person?.first_name) ?? drawn(() => faker.person.firstName(), 500),
    lastNames,
    cities: distinct(location?.city_name ?? drawn(() => faker.location.city(), 500)),
    countries: distinct(location?.country ?? drawn(() => faker.location.country(), 100)),
    home: metadata?.country ?? new Intl.Locale(language).maximize().region ?? 'US',
    countryName: (code) => names.of(code) ?? code,
    companies: companyNames(lastNames, texts(company?.legal_entity_type) ?? ['Ltd']),
    states: distinct(location?.state ?? drawn(() => faker.location.city(), 50)),
    streets: distinct(location?.street_name ?? drawn(() => faker.location.street(), 500)),
    streetFirst: !pattern.startsWith('{{location.buildingNumber'),
    ascii: remembered((text, joint) => asciiOf(text, joint, language === 'de')),
  };
}

/** A list of the library, whose types know of no such list in some locales. */
function texts(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined;
}

/** Companies of one name with their legal form, and as many of two names; all of them different. */
function companyNames(names: readonly string[], forms: readonly string[]): Pool {
  const half = names.length * forms.length;
  const name = (index: number): string => names[index % names.length] ?? '';
  // Lists of names are often sorted: those of a pair are far from each other, at another distance for each form.
  const distance = Math.max(1, Math.floor((names.length - 1) / (forms.length + 1)));
  return {
    size: 2 * half,
    at: (place) => {
      const [first, form] = [place % names.length, Math.floor((place % half) / names.length)];
      if (place >= half) return `${name(first)} & ${name(first + (form + 1) * distance)}`;
      return `${name(first)} ${forms[form] ?? ''}`;
    },
  };
}

/** The names of every sex, each once; undefined where the locale makes them of patterns. */
function plainNames(lists: unknown): readonly string[] | undefined {
  const names = distinct(Object.values((lists ?? {}) as Record<string, readonly string[]>).flat());
  return names.length === 0 || names.some((name) => name.includes('{{')) ? undefined : names;
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

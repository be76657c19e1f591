import { listPool } from '../distinct/pool.ts';
import type { Random } from '../random.ts';
import type { SourceContext, Row, Source } from '../source.ts';
import { centerOf, countries, currencyOf, type Country } from '../words/countries.ts';
import type { Words } from '../words/words.ts';
import { digits, drawn, fromList, letters, oneOf, type Kind, type KindRow } from './kind.ts';

/** The share of addresses in the country of the locale. */
const homeShare = 0.7;

/** Which address of the row a field belongs to. Other prefixes, such as `contact`, mean the row's own address. */
function whoseAddress(prefix: string): string {
  return (
    /billing|shipping|delivery|home|work|origin|destination|departure|arrival|sender|recipient|birth|pickup|from|to$/u.exec(
      prefix,
    )?.[0] ?? ''
  );
}

/** The country that all parts of an address share; undefined for the country of the locale. */
function abroad({ words, subject, prefix }: SourceContext, row: Row): Country | undefined {
  // Records that are cities or countries have the names of the locale.
  if (subject === 'city' || subject === 'country') return undefined;
  return row.shared(`country ${whoseAddress(prefix)}`, (random) =>
    random.chance(homeShare)
      ? undefined
      : random.pick(countries.filter(({ code }) => code !== words.home)),
  );
}

/** The country code of an address of the row. */
export function countryCodeOf(context: SourceContext, row: Row): string {
  return abroad(context, row)?.code ?? context.words.home;
}

/** The city of an address of the row, with its region if that is known. Both fields share it. */
function cityOf(
  context: SourceContext,
  row: Row,
): { readonly city: string; readonly region?: string } {
  const { words, subject, prefix } = context;
  // Records that are cities use the whole list.
  if (subject === 'city') return { city: words.random.pick(words.cities) };
  const known = abroad(context, row)?.cities ?? words.knownCities;
  return row.shared(`city ${whoseAddress(prefix)}`, (random) => {
    if (known === undefined) return { city: random.pick(words.cities) };
    const [city, region] = random.pick(known);
    return { city, region };
  });
}

/** An item of the locale's list, or of the list of the country that the row's address is in. */
function ofCountry(
  name: string,
  home: (words: Words) => readonly string[],
  away: (country: Country) => readonly string[],
): Kind {
  return (context) => {
    const list = home(context.words);
    const draw: Source['draw'] = ({ random }, row) => {
      const country = abroad(context, row);
      return random.pick(country === undefined ? list : away(country));
    };
    return { name, pool: listPool(list), draw };
  };
}

function filled(pattern: string, random: Random): string {
  return pattern.replaceAll('#', () => digits(random, 1)).replaceAll('@', () => letters(random, 1));
}

const countryCodes =
  'AT AU BE BR CA CH CZ DE DK ES FI FR GB GR IE IN IT JP KR MX NL NO NZ PL PT SE US ZA'.split(' ');

const letter = (place: number): string => String.fromCharCode(65 + (place % 26));

/** Such as `AB-CD 123`. */
const plates = {
  size: 26 ** 4 * 900,
  at: (place: number): string => {
    const [first, second] = [Math.floor(place / 900), Math.floor(place / (900 * 676))];
    const pairs = [first, second].map((pair) => letter(pair) + letter(Math.floor(pair / 26)));
    return `${pairs.join('-')} ${(place % 900) + 100}`;
  },
};

/** A postal code of the locale. A country without postal codes gets zeros, which forms accept. */
function zipOf({ faker }: Words): string {
  return faker.rawDefinitions.location?.postcode === null ? '000000' : faker.location.zipCode();
}

const currencies = 'EUR USD GBP CHF JPY SEK NOK DKK PLN CZK CAD AUD'.split(' ');

function coordinate(context: SourceContext, random: Random, row: Row, axis: 0 | 1): string {
  const center = centerOf(countryCodeOf(context, row)) ?? [0, 0];
  return (center[axis] + (random.next() - 0.5) * 1.2).toFixed(4);
}

/** Addresses, and kinds that depend on a country. */
export const placeKinds: readonly KindRow[] = [
  [
    'phone,mobile,telephone,tel,fax,cell,phone number,mobile number,telephone number',
    drawn('phone.number', (context, random, row) => {
      const country = abroad(context, row);
      if (country === undefined)
        return context.words.faker.phone.number({ style: 'international' });
      return filled(country.phone, random);
    }),
  ],
  [
    'street,street name',
    ofCountry(
      'location.street',
      ({ streets }) => streets,
      ({ streets }) => streets,
    ),
  ],
  [
    'address,street address,address line1,address line 1,address1,address line,line1,street1',
    drawn('location.streetAddress', (context, random, row) => {
      const country = abroad(context, row);
      const { streets } = country ?? context.words;
      const [street, number] = [random.pick(streets), random.between(1, 199)];
      if (country === undefined) return context.words.streetAddress(street, number);
      return country.streetFirst ? `${street} ${number}` : `${number} ${street}`;
    }),
  ],
  [
    'address line2,address line 2,address2,line2,street2,apartment,suite',
    drawn('location.secondaryAddress', ({ words }) => words.faker.location.secondaryAddress()),
  ],
  [
    'house number,building number,street number',
    drawn('location.buildingNumber', (_, random) => String(random.between(1, 199))),
  ],
  [
    'city,town,municipality',
    (context) => ({
      name: 'location.city',
      pool: listPool(context.words.cities),
      draw: (_, row) => cityOf(context, row).city,
    }),
  ],
  [
    'birthplace,place of birth,hometown,origin,destination,location',
    fromList('location.city', ({ words }) => words.cities),
  ],
  [
    'state,province,region,county,federal state',
    (context) => ({
      name: 'location.state',
      pool: listPool(context.words.states),
      draw: ({ random, states }, row) => cityOf(context, row).region ?? random.pick(states),
    }),
  ],
  [
    'zip,zip code,zipcode,postal code,postcode,post code,plz',
    drawn('location.zipCode', (context, random, row) => {
      const country = abroad(context, row);
      return country === undefined ? zipOf(context.words) : filled(country.zip, random);
    }),
  ],
  [
    'country,country name,nation',
    (context) => ({
      name: 'location.country',
      pool: listPool(context.words.countries),
      draw: (words, row) => words.countryName(abroad(context, row)?.code ?? words.home),
    }),
  ],
  ['nationality', fromList('location.country', ({ words }) => words.countries)],
  [
    'country code,iso code,country iso',
    (context) => ({
      name: 'location.countryCode',
      pool: listPool(countryCodes),
      draw: (_, row) => countryCodeOf(context, row),
    }),
  ],
  ['continent', fromList('location.continent', ({ words }) => words.terms.continents)],
  [
    'time zone,timezone,tz',
    oneOf('location.timeZone', [
      'Europe/Berlin',
      'Europe/London',
      'Europe/Madrid',
      'Europe/Paris',
      'America/New_York',
      'America/Chicago',
      'America/Los_Angeles',
      'America/Sao_Paulo',
      'Asia/Tokyo',
      'Asia/Kolkata',
      'Australia/Sydney',
      'UTC',
    ]),
  ],
  [
    'lat,latitude',
    drawn('location.latitude', (context, random, row) => coordinate(context, random, row, 0)),
  ],
  [
    'lng,lon,long,longitude',
    drawn('location.longitude', (context, random, row) => coordinate(context, random, row, 1)),
  ],
  [
    'currency,currency code',
    (context) => ({
      name: 'finance.currencyCode',
      pool: listPool(currencies),
      draw: ({ random }, row) => currencyOf(countryCodeOf(context, row)) ?? random.pick(currencies),
    }),
  ],
  [
    'locale',
    oneOf('location.locale', [
      'en-US',
      'en-GB',
      'de-DE',
      'de-AT',
      'fr-FR',
      'es-ES',
      'it-IT',
      'nl-NL',
      'pl-PL',
      'pt-BR',
      'sv-SE',
      'ja-JP',
    ]),
  ],
  [
    'language,lang,language code',
    oneOf('location.language', [
      'en',
      'de',
      'fr',
      'es',
      'it',
      'nl',
      'pl',
      'pt',
      'sv',
      'da',
      'cs',
      'ja',
    ]),
  ],
  [
    'license plate,licence plate,plate',
    (): Source => ({
      name: 'vehicle.plate',
      pool: plates,
      draw: ({ random }) => plates.at(random.below(plates.size)),
    }),
  ],
  [
    'month,month name',
    fromList(
      'date.month',
      ({ words }) => words.faker.rawDefinitions.date?.month?.wide ?? ['January'],
    ),
  ],
  [
    'weekday,day,day of week',
    fromList(
      'date.weekday',
      ({ words }) => words.faker.rawDefinitions.date?.weekday?.wide ?? ['Monday'],
    ),
  ],
];

import { drawn, fromList, letters, oneOf, type KindRow } from './kind.ts';

/** Addresses, and what depends on a place. */
export const placeKinds: readonly KindRow[] = [
  [
    'phone,mobile,telephone,tel,fax,cell,phone number,mobile number,telephone number',
    drawn('phone.number', ({ words }) => words.faker.phone.number({ style: 'international' })),
  ],
  ['street,street name', fromList('location.street', ({ words }) => words.streets)],
  [
    'address,street address,address line1,address line 1,address1,address line,line1,street1',
    drawn('location.streetAddress', ({ words }, random) => {
      const [street, number] = [random.pick(words.streets), random.between(1, 199)];
      return words.streetFirst ? `${street} ${number}` : `${number} ${street}`;
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
    'city,town,birthplace,place of birth,hometown,municipality,origin,destination,location,venue',
    fromList('location.city', ({ words }) => words.cities),
  ],
  [
    'state,province,region,county,federal state',
    fromList('location.state', ({ words }) => words.states),
  ],
  [
    'zip,zip code,zipcode,postal code,postcode,post code,plz',
    drawn('location.zipCode', ({ words }) => words.faker.location.zipCode()),
  ],
  [
    'country,country name,nationality,nation',
    fromList('location.country', ({ words }) => words.countries),
  ],
  [
    'country code,iso code,country iso',
    oneOf('location.countryCode', [
      'AT',
      'AU',
      'BE',
      'BR',
      'CA',
      'CH',
      'CZ',
      'DE',
      'DK',
      'ES',
      'FI',
      'FR',
      'GB',
      'GR',
      'IE',
      'IN',
      'IT',
      'JP',
      'KR',
      'MX',
      'NL',
      'NO',
      'NZ',
      'PL',
      'PT',
      'SE',
      'US',
      'ZA',
    ]),
  ],
  [
    'continent',
    oneOf('location.continent', [
      'Africa',
      'Asia',
      'Europe',
      'North America',
      'Oceania',
      'South America',
    ]),
  ],
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
    drawn('location.latitude', (_, random) => (random.below(1_400_000) / 10_000 - 60).toFixed(4)),
  ],
  [
    'lng,lon,long,longitude',
    drawn('location.longitude', (_, random) => (random.below(3_600_000) / 10_000 - 180).toFixed(4)),
  ],
  [
    'currency,currency code',
    oneOf('finance.currencyCode', [
      'EUR',
      'USD',
      'GBP',
      'CHF',
      'JPY',
      'SEK',
      'NOK',
      'DKK',
      'PLN',
      'CZK',
      'CAD',
      'AUD',
    ]),
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
    drawn(
      'vehicle.plate',
      (_, random) => `${letters(random, 2)}-${letters(random, 2)} ${random.between(100, 999)}`,
    ),
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

import { formatOf } from '../../model/field-types/texts/string.ts';
import type { Random } from '../random.ts';
import { digits, drawn, letters, oneOf, type KindRow } from './kind.ts';
import { spelled } from '../distinct/spelling.ts';
import { accountWords, persona } from './people.ts';

const airports = 'AMS ATL BCN BER CDG CPH DXB FCO FRA GRU HEL HND JFK LAX LHR LIS MAD ORD SIN VIE';
const seats = ['A', 'B', 'C', 'D', 'E', 'F'];
const carriers = ['AF', 'BA', 'DL', 'EK', 'IB', 'KL', 'LH', 'OS', 'SK', 'UA'];

/** A whole number that is rarely near the bounds. */
function usually(random: Random, least: number, most: number): number {
  return Math.round(least + ((random.next() + random.next()) / 2) * (most - least));
}

/** Kinds of single trades: travel, health, schools, software. */
export const tradeKinds: readonly KindRow[] = [
  ['airport,airport code,iata,iata code', oneOf('airline.airportCode', airports.split(' '))],
  [
    'airline,airline name',
    drawn('airline.airline', ({ words }) => words.faker.airline.airline().name),
  ],
  [
    'aircraft,aircraft type,airplane,plane',
    drawn('airline.airplane', ({ words }) => words.faker.airline.airplane().name),
  ],
  [
    'flight number,flight no,flight',
    drawn(
      'airline.flightNumber',
      (_, random) => `${random.pick(carriers)}${random.between(100, 2_999)}`,
    ),
  ],
  [
    'gate',
    drawn(
      'airline.gate',
      (_, random) => `${random.pick(['A', 'B', 'C', 'D'])}${random.between(1, 40)}`,
    ),
  ],
  ['terminal', oneOf('airline.terminal', ['1', '2', '3', '4'])],
  [
    'seat,seat number,seat no',
    drawn('airline.seat', (_, random) => `${random.between(1, 32)}${random.pick(seats)}`),
  ],
  [
    'room,room number,room no',
    drawn(
      'text.room',
      (_, random) => `${random.between(1, 5)}${String(random.between(1, 24)).padStart(2, '0')}`,
    ),
  ],
  // No social security number begins with 9.
  [
    'ssn,social security number',
    drawn(
      'person.ssn',
      (_, random) => `9${digits(random, 2)}-${digits(random, 2)}-${digits(random, 4)}`,
    ),
  ],
  [
    'passport,passport number,passport no,national id,id number,id card number',
    drawn('person.passport', (_, random) => `${letters(random, 1)}${digits(random, 8)}`),
  ],
  [
    'blood pressure',
    drawn('health.bloodPressure', (_, random) => {
      const upper = usually(random, 100, 150);
      return `${upper}/${upper - usually(random, 35, 50)}`;
    }),
  ],
  ['marital status', oneOf('person.maritalStatus', ['single', 'married', 'divorced', 'widowed'])],
  [
    'employment type,contract type,job type',
    oneOf('company.employmentType', ['full-time', 'part-time', 'contract', 'internship']),
  ],
  ['difficulty,difficulty level,skill level', oneOf('text.difficulty', ['easy', 'medium', 'hard'])],
  [
    'frequency,interval,recurrence',
    oneOf('text.frequency', ['daily', 'weekly', 'monthly', 'yearly']),
  ],
  [
    'source,channel,utm source,referrer',
    oneOf('text.source', ['web', 'app', 'email', 'phone', 'referral']),
  ],
  ['degree', oneOf('text.degree', ['BA', 'BSc', 'MA', 'MSc', 'PhD'])],
  ['visibility', oneOf('text.visibility', ['public', 'private', 'unlisted'])],
  ['environment,env', oneOf('text.environment', ['development', 'staging', 'production'])],
  [
    'plan,subscription plan,pricing plan',
    oneOf('text.plan', ['free', 'starter', 'pro', 'enterprise']),
  ],
  ['browser', oneOf('text.browser', ['Chrome', 'Firefox', 'Safari', 'Edge'])],
  ['operating system,os', oneOf('text.os', ['Windows', 'macOS', 'Linux', 'iOS', 'Android'])],
  ['device,device type', oneOf('text.device', ['phone', 'tablet', 'desktop'])],
  ['method,http method', oneOf('internet.httpMethod', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])],
  ['protocol', oneOf('internet.protocol', ['https', 'http'])],
  [
    'twitter,instagram,facebook,linkedin,github,tiktok,youtube,mastodon,bluesky',
    drawn('internet.handle', ({ field, tokens, words, prefix }, _, row) => {
      const name = accountWords(words, persona(words, row, prefix));
      const site = `https://example.com/${tokens.at(-1) ?? ''}/`;
      const heads = formatOf(field) === 'url' ? ([site] as const) : (['@', ''] as const);
      return spelled(name, { joints: ['.', '_', '-', ''], heads }, field);
    }),
  ],
];

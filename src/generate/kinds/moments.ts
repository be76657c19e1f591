import { momentText } from '../../model/field-types/moments/datetime.ts';
import { listPool, type Pool } from '../distinct/pool.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { SourceContext, Row, Source, Subject } from '../source.ts';
import { hasReached, markOf, stepWord } from './course.ts';
import { tokensOf } from './names.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const year = 365 * day;

/** When a row was created and how long it takes to be settled, in ms. All fields of the row share it. */
interface Life {
  readonly begin: number;
  readonly settling: number;
}

/**
 * A moment in ms. `part` is drawn for this field, from 0 to below 1, and says where in its range the moment lies.
 * `prefix` names what begins or ends (`trial` in `trialStart`).
 */
type TimeOf = (part: number, row: Row, prefix: string, subject: Subject) => number;

/** A kind of moment. `names` matches field names without `At`, `On` or `Date`. */
interface MomentKind {
  readonly name: string;
  readonly names: RegExp;
  readonly time: TimeOf;
  /** It is never before a field of this kind in its row, even if that value is not generated. */
  readonly after?: 'date.created' | 'date.start' | 'date.hired';
  /** No moment of its row comes before it. */
  readonly isFirst?: true;
  /** A `date` is the day of the moment, as for first moments. Other dates round up, so they are not before it. */
  readonly isOfDay?: true;
  /** It lies in the future. */
  readonly isAhead?: true;
  /** It is a step of the row's course. A nullable field is null until the row has reached the step. */
  readonly isStep?: true;
}

const within = (from: number, to: number): TimeOf => {
  return (part, { times }) => times.until + from + part * (to - from);
};

/** When a row was created: not before what it belongs to. */
export function createdAt({ whole: row, times }: Row): number {
  const { until, isRecent } = times;
  return row.shared('created', (random) => {
    const drawn = random.next();
    const [span, last] = isRecent ? [730 * day, until] : [728 * day, until - 2 * day];
    const time = last - (isRecent ? drawn ** 3 : drawn) * span;
    const first = row.ownersCreated();
    // As far into the time that is left as it would be into the whole.
    const owned = time < first ? first + (1 - drawn) * Math.max(0, last - first) : time;
    return Math.floor(owned / second) * second;
  });
}

function lifeOf(row: Row): Life {
  const begin = createdAt(row);
  return { begin, settling: Math.min(30 * day, (row.times.until - begin) / 2) };
}

/** Whether the records of a resource have the moment of their creation. */
export function hasCreation({ fields }: Resource): boolean {
  return [...fields.values()].some(
    (field) =>
      isMoment(field) &&
      momentKindOf(meant(tokensOf(field.name), field)).kind.name === 'date.created',
  );
}

/** A quarter of the time until a row is settled. Steps keep their order whichever of them the row has. */
const step =
  (place: number): TimeOf =>
  (part, row) => {
    const { begin, settling } = lifeOf(row);
    return begin + ((place + part) / 4) * settling;
  };

/** When the person of a row was born, in ms. */
export function bornAt(row: Row): number {
  return row.shared('birth', (random) => row.times.until - (22 + random.next() * 53) * year);
}

function startOf(row: Row, prefix: string): number {
  return row.shared(`start ${prefix}`, (random) =>
    planned(row.times.until + (random.next() * 90 - 30) * day),
  );
}

/** The same day between 08:00 and 20:00, at a quarter of an hour, as people plan. */
function planned(time: number): number {
  const midnight = Math.floor(time / day) * day;
  const quarters = Math.round(((time - midnight) / day) * 48);
  return midnight + 8 * hour + (quarters * hour) / 4;
}

const created =
  /^(?:created|inserted|added|registered|registration|joined|opened|signup|sign up|submitted|ordered|order|placed|purchased|purchase|booked|booking|invoice|invoiced|issue|issued|admitted|admission|enrolled|enrollment|enrolment|subscribed|installed|borrowed|loaned|lent|rented|uploaded|recorded|reported|requested|applied|application|reserved|reservation|listed)$/u;

const kinds: readonly MomentKind[] = [
  {
    name: 'date.birthdate',
    names: /^(?:date of birth|birth|birthday|birth day|dob|born|date born)$/u,
    time: (_, row) => bornAt(row),
    isFirst: true,
  },
  { name: 'date.birthdate', names: /birth|dob|born/u, time: within(-75 * year, -22 * year) },
  { name: 'date.created', names: created, time: (_, row) => lifeOf(row).begin, isFirst: true },
  {
    name: 'date.updated',
    names: /^(?:updated|modified|changed|edited|last (?:updated|modified|changed|edit))/u,
    time: (part, row) => {
      const { begin, settling } = lifeOf(row);
      const from = begin + settling;
      return from + part * (Math.min(begin + year, row.times.until) - from);
    },
    after: 'date.created',
  },
  {
    name: 'date.settled',
    names: /^(?:value|valuta|settled|settlement|cleared|processed)$/u,
    time: (part, row) => lifeOf(row).begin + Math.floor(part * 3) * day,
    after: 'date.created',
  },
  {
    name: 'date.confirmed',
    names: /^(?:approved|accepted|confirmed|paid|verified|activated|started|began)/u,
    time: step(0),
    isStep: true,
    after: 'date.created',
  },
  {
    name: 'date.published',
    names: /^(?:published|posted|released|shipped|dispatched|sent|checked in)/u,
    time: step(1),
    isStep: true,
    after: 'date.created',
  },
  {
    name: 'date.completed',
    names:
      /^(?:delivered|completed|finished|ended|closed|resolved|solved|fulfilled|discharged|checked out|sold|graduated|graduation)/u,
    time: step(2),
    isStep: true,
    after: 'date.created',
  },
  {
    name: 'date.removed',
    names: /^(?:deleted|archived|cancelled|canceled|returned|refunded)/u,
    time: step(3),
    isStep: true,
    after: 'date.created',
  },
  {
    name: 'date.read',
    names: /^(?:read|viewed|acknowledged)$/u,
    time: step(3),
    after: 'date.created',
  },
  {
    name: 'date.left',
    names: /^(?:left|terminated|termination|resigned|resignation|retired|dismissed)/u,
    time: within(-28 * day, -day),
    after: 'date.hired',
  },
  {
    name: 'date.start',
    names: /^(?:start|starts|begin|begins|from|valid from|check ?in|departure|departs)$/u,
    time: (_, row, prefix) => startOf(row, prefix),
    isFirst: true,
    isAhead: true,
  },
  {
    name: 'date.end',
    names: /^(?:arrival|arrives)$/u,
    time: (part, row, prefix) => startOf(row, prefix) + ((4 + Math.floor(part * 40)) * hour) / 4,
    after: 'date.start',
    isAhead: true,
  },
  {
    name: 'date.end',
    names: /^(?:end|ends|finish|finishes|until|to|valid to|valid until|check ?out)$/u,
    time: (part, row, prefix, subject) => {
      const start = startOf(row, prefix);
      return subject === 'event'
        ? start + (1 + Math.floor(part * 8)) * hour
        : start + (1 + Math.floor(part * 14)) * day;
    },
    after: 'date.start',
    isAhead: true,
  },
  {
    name: 'date.due',
    names: /^(?:due|payable)$/u,
    time: (part, row, _, subject) =>
      subject === 'invoice'
        ? lifeOf(row).begin + (part < 0.5 ? 14 : 30) * day
        : planned(row.times.until + (1 + part * 119) * day),
    after: 'date.created',
    isAhead: true,
    isOfDay: true,
  },
  {
    name: 'date.soon',
    names:
      /^(?:due|deadline|expires|expiry|expiration|scheduled|planned|next|remind|renews|event$|appointment$|ships)/u,
    time: (part, { times }) => planned(times.until + (1 + part * 119) * day),
    isAhead: true,
  },
  {
    name: 'date.hired',
    names: /^(?:hired|hire|employed)/u,
    time: (part, row) => {
      const { until } = row.times;
      const from = Math.max(until - 12 * year, bornAt(row) + 18 * year);
      return from + part * (until - 30 * day - from);
    },
  },
  {
    name: 'date.founded',
    names: /^(?:founded|established|built)/u,
    time: within(-40 * year, -30 * day),
  },
  {
    name: 'date.recent',
    names: /^(?:last|seen|visited|logged|login|synced|checked)/u,
    time: (part, row) => {
      const { until } = row.times;
      const from = Math.max(lifeOf(row).begin, until - 30 * day);
      return from + part * (until - from);
    },
    after: 'date.created',
  },
];
const anyPast: MomentKind = { name: 'date.past', names: /^/u, time: within(-year, -day) };

/** Steps are named by a participle or by one of these nouns. */
const steps: ReadonlyMap<string, string> = new Map([
  ['approval', 'approved'],
  ['payment', 'paid'],
  ['ship', 'shipped'],
  ['shipment', 'shipped'],
  ['shipping', 'shipped'],
  ['dispatch', 'dispatched'],
  ['delivery', 'delivered'],
  ['completion', 'completed'],
  ['cancellation', 'cancelled'],
  ['refund', 'refunded'],
]);

/**
 * The parts of a name without the suffix of a moment: `publishedAt`, `publishedDate` → `published`. If only the noun
 * of a step is left, its participle: `deliveryDate` → `delivered`.
 */
function stemOf(tokens: readonly string[]): readonly string[] {
  const last = tokens.at(-1) ?? '';
  const isSuffix = tokens.length > 1 && /^(?:at|on|date|time|datetime|timestamp|day)$/u.test(last);
  const stem = isSuffix ? tokens.slice(0, -1) : tokens;
  const done = stem.length === 1 ? steps.get(stem[0] ?? '') : undefined;
  return done === undefined ? stem : [done];
}

/** The dates of a stay, which begins with an arrival. A journey ends with one. */
const ofStay: ReadonlyMap<string, string> = new Map([
  ['arrival', 'checkin'],
  ['arrives', 'checkin'],
  ['departure', 'checkout'],
  ['departs', 'checkout'],
]);

/** Whether a field holds days or moments. */
export function isMoment({ type: { generated } }: Field): boolean {
  return generated === 'day' || generated === 'moment';
}

/** The parts of a moment's name, translated to the meaning they have in its resource. */
function meant(tokens: readonly string[], { type, resource }: Field): readonly string[] {
  const isStay =
    type.generated === 'day' && /(?:booking|reservation|stay)s?$/iu.test(resource.name);
  return tokens.map(
    (token) => (isStay ? ofStay.get(token) : undefined) ?? stepWord(token, resource.name),
  );
}

/** The kind of a moment by the longest known ending of its name, and the prefix before that. */
function momentKindOf(tokens: readonly string[]): {
  readonly kind: MomentKind;
  readonly prefix: string;
} {
  const stem = stemOf(tokens);
  for (const from of stem.keys()) {
    const kind = kinds.find(({ names }) => names.test(stem.slice(from).join(' ')));
    if (kind !== undefined) return { kind, prefix: stem.slice(0, from).join(' ') };
  }
  return { kind: anyPast, prefix: '' };
}

/**
 * Whether a row has reached the step that a field dates; undefined if the field is not a step. `deletedAt`
 * is not a step, because any record may be deleted.
 */
export function stepOf(field: Field): ((row: Row) => boolean) | undefined {
  if (!isMoment(field)) return undefined;
  const tokens = meant(tokensOf(field.name), field);
  if (momentKindOf(tokens).kind.isStep === undefined) return undefined;
  const mark = markOf(stemOf(tokens).at(-1) ?? '');
  return mark === undefined || mark === 0 ? undefined : (row) => hasReached(row, mark);
}

/** The dates or moments of a field by its name. Later steps of a row come after earlier ones. */
export function momentSource(
  { field, fields, isPart, tokens, subject, siblingOf, words }: SourceContext,
  isUnique: boolean,
): Source {
  const { kind, prefix } = momentKindOf(meant(tokens, field));
  const { name, isFirst = false, isOfDay = isFirst, isAhead = false, after } = kind;
  const unit = field.type.generated === 'day' ? day : second;
  if (isUnique) {
    const size = unit === day ? 36_500 : 315_360_000;
    const { until } = words.times;
    // Count back from the last moment, or forward if these moments lie in the future.
    const direction = isAhead ? unit : -unit;
    const at = (index: number): string =>
      shown(until + (index + 1) * direction, unit, field.precision);
    const pool: Pool = { size, at };
    return { name, pool, draw: ({ random }) => at(random.below(size)) };
  }
  const isEarlier = (other: Field): boolean => {
    if (other === field || !isMoment(other)) return false;
    const found = momentKindOf(meant(tokensOf(other.name), other));
    return found.kind.name === after && (after !== 'date.start' || found.prefix === prefix);
  };
  const earlier = after === undefined ? [] : [...fields.values()].filter(isEarlier);
  // A row is created at one moment; the parts in it follow at several.
  const isMadeLater = name === 'date.created' && isPart;
  return {
    name,
    draw: ({ random }, row) => {
      const part = random.next();
      const time = kind.time(part, row, prefix, subject);
      const moment = isMadeLater ? time + (part * lifeOf(row).settling) / 8 : time;
      const own = isOfDay && unit === day ? Math.floor(moment / day) * day : moment;
      const values = earlier.map((one) =>
        siblingOf([one.name]) === undefined ? null : row.sibling(one.name),
      );
      const from = values.map((value) => (typeof value === 'string' ? Date.parse(value) : own));
      return shown(Math.max(own, ...from), unit, field.precision);
    },
  };
}

function shown(time: number, unit: number, precision: number): string {
  const text = new Date(Math.ceil(time / unit) * unit).toISOString();
  return unit === day ? text.slice(0, 10) : momentText(text, precision);
}

/** The age of the row's person at the last moment. */
export function ageOf(row: Row): number {
  const { until } = row.times;
  const [born, now] = [new Date(bornAt(row)), new Date(until)];
  const years = now.getUTCFullYear() - born.getUTCFullYear();
  return born.setUTCFullYear(now.getUTCFullYear()) < until + day ? years : years - 1;
}

/** Usual hours by field name. Other times lie between 7 and 21. */
const hours: readonly (readonly [names: RegExp, from: number, to: number])[] = [
  [/^(?:opens|opening|open|opens at)$/u, 7, 10],
  [/^(?:closes|closing|close|closes at)$/u, 17, 22],
  [/^check ?in$/u, 14, 17],
  [/^check ?out$/u, 9, 12],
  [/(?:^| )(?:start|starts|begin|begins|from|departure)$/u, 7, 12],
  [/(?:^| )(?:end|ends|finish|finishes|until|to|arrival)$/u, 13, 21],
];

/** Times of day in steps of five minutes, or of a second if the field is unique. */
export function timeSource(tokens: readonly string[], isUnique: boolean): Source {
  const step = isUnique ? 1 : 300;
  const times = (index: number): string =>
    new Date(index * step * second).toISOString().slice(11, 19);
  const pool: Pool = { size: 86_400 / step, at: times };
  const stem = stemOf(tokens).join(' ');
  const [, from = 7, to = 21] = hours.find(([names]) => names.test(stem)) ?? [];
  const [first, last] = [(from * hour) / second / step, (to * hour) / second / step];
  return { name: 'date.time', pool, draw: ({ random }) => times(random.between(first, last)) };
}

/** Booleans; `share` (0 to 1) of them are true. */
export function booleanSource(share: number): Source {
  return {
    name: 'datatype.boolean',
    args: { probability: share },
    pool: listPool([true, false]),
    draw: ({ random }) => random.chance(share),
  };
}

import { listPool, type Pool } from '../pool.ts';
import type { Place, Source } from '../source.ts';
import { referenceDate } from '../words/words.ts';

const second = 1_000;
const day = 86_400 * second;
const reference = Date.parse(referenceDate);

/** What a moment is: between how many days before or after the reference date it lies. */
interface MomentKind {
  readonly name: string;
  readonly names: RegExp;
  readonly from: number;
  readonly to: number;
  /** It lies so many days at most after one of these fields of its row, and never before it. */
  readonly after?: { readonly fields: RegExp; readonly days: number };
}

const created =
  /^(?:created|inserted|added|registered|joined|opened|signup|sign up|submitted|ordered|placed)/u;
const kinds: readonly MomentKind[] = [
  { name: 'date.birthdate', names: /birth|dob|born/u, from: -365 * 80, to: -365 * 18 },
  {
    name: 'date.updated',
    names: /^(?:updated|modified|changed|edited|last (?:updated|modified|changed|edit))/u,
    from: -365,
    to: -1,
    after: { fields: created, days: 365 },
  },
  {
    name: 'date.published',
    names:
      /^(?:published|posted|released|approved|confirmed|paid|shipped|sent|verified|activated|completed|finished|closed|resolved|delivered|deleted|archived|cancelled|canceled|returned|refunded)/u,
    from: -365,
    to: -1,
    after: { fields: created, days: 30 },
  },
  {
    name: 'date.end',
    names: /^(?:end|ends|finish|finishes|until|to|valid to|valid until|check ?out|arrival)/u,
    from: 30,
    to: 90,
    after: {
      fields: /^(?:start|starts|begin|begins|from|valid from|check ?in|departure)/u,
      days: 14,
    },
  },
  {
    name: 'date.start',
    names: /^(?:start|starts|begin|begins|from|valid from|check ?in|departure)/u,
    from: -30,
    to: 60,
  },
  {
    name: 'date.soon',
    names:
      /^(?:due|deadline|expires|expiry|expiration|scheduled|planned|next|remind|renews|event|appointment|ships)/u,
    from: 1,
    to: 120,
  },
  {
    name: 'date.hired',
    names: /^(?:hired|hire|employed|founded|established|built)/u,
    from: -365 * 12,
    to: -30,
  },
  { name: 'date.created', names: created, from: -730, to: -2 },
  {
    name: 'date.recent',
    names: /^(?:last|seen|visited|logged|login|synced|checked)/u,
    from: -30,
    to: -1,
  },
];
const anyPast: MomentKind = { name: 'date.past', names: /^/u, from: -365, to: -1 };

/** `publishedAt`, `publishedOn` and `publishedDate` → `published`. */
function stemOf(tokens: readonly string[]): string {
  const last = tokens.at(-1) ?? '';
  const isSuffix = tokens.length > 1 && /^(?:at|on|date|time|datetime|timestamp|day)$/u.test(last);
  return (isSuffix ? tokens.slice(0, -1) : tokens).join(' ');
}

/** The dates or moments of a field by its name; later ones of a row come after earlier ones. */
export function momentSource(
  place: Place,
  tokensOf: (name: string) => readonly string[],
  isUnique: boolean,
): Source {
  const { field } = place;
  const stem = stemOf(place.tokens);
  const kind = kinds.find(({ names }) => names.test(stem)) ?? anyPast;
  const unit = field.type.name === 'date' ? day : second;
  if (isUnique) {
    const size = unit === day ? 36_500 : 315_360_000;
    // Back from the reference date, or on from it where these moments are to come.
    const direction = kind.to > 0 ? unit : -unit;
    const at = (index: number): string => shown(reference + (index + 1) * direction, unit);
    const pool: Pool = { size, at };
    return { name: kind.name, pool, draw: ({ random }) => at(random.below(size)) };
  }
  const { after } = kind;
  const earlier =
    after &&
    place.siblingOf(
      [...field.resource.fields.values()]
        .filter(
          (other) =>
            other !== field &&
            /^date(?:time)?$/u.test(other.type.name) &&
            after.fields.test(stemOf(tokensOf(other.name))),
        )
        .map(({ name }) => name),
    );
  return {
    name: kind.name,
    draw: ({ random }, row) => {
      const part = random.next();
      const from = earlier === undefined ? undefined : row.sibling(earlier);
      const start = typeof from === 'string' ? Date.parse(from) : Number.NaN;
      if (after === undefined || Number.isNaN(start))
        return shown(reference + (kind.from + part * (kind.to - kind.from)) * day, unit);
      const last = start + after.days * day;
      // What has happened has not happened after the reference date.
      const end = kind.to < 0 ? Math.max(start, Math.min(last, reference)) : last;
      return shown(Math.max(start + part * (end - start), start), unit);
    },
  };
}

function shown(time: number, unit: number): string {
  const text = new Date(Math.ceil(time / unit) * unit).toISOString();
  return unit === day ? text.slice(0, 10) : text;
}

/** Times of the day in steps of five minutes; to the second where they have to be distinct. */
export function timeSource(isUnique: boolean): Source {
  const step = isUnique ? 1 : 300;
  const times = (index: number): string =>
    new Date(index * step * second).toISOString().slice(11, 19);
  const pool: Pool = { size: 86_400 / step, at: times };
  return { name: 'date.time', pool, draw: ({ random }) => times(random.below(pool.size)) };
}

export function booleanSource(share: number): Source {
  return {
    name: 'datatype.boolean',
    args: { probability: share },
    pool: listPool([true, false]),
    draw: ({ random }) => random.chance(share),
  };
}

import { singular } from '../../lib/text/singular.ts';
import type { Subject } from '../source.ts';

/** The parts of a name in lower case, the same for `billingZipCode`, `billing_zip_code` and `billing-zip-code`. */
export function tokensOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, '$1 $2')
    .split(/[\s_-]+/u)
    .map((part) => part.toLowerCase())
    .filter((part) => part !== '');
}

/** Endings of resource names, by the subject of the records. */
const subjects: Readonly<Partial<Record<Subject, string>>> = {
  person:
    'user person people author customer client employee member contact student teacher patient owner guest player actor driver admin account profile subscriber speaker reviewer doctor nurse visitor passenger friend follower staff worker agent manager lead candidate applicant attendee participant tenant editor writer director organizer organiser host guide coach trainer instructor tutor mentor parent child buyer sender recipient creator approver landlord pilot captain lawyer dentist recruiter mother father spouse wife husband brother sister guardian address assignee reporter composer lyricist translator supervisor requester moderator contributor collaborator',
  product: 'product item good article-item sku variant merchandise gift',
  company:
    'company organization organisation business brand supplier vendor manufacturer publisher partner employer agency sponsor carrier merchant seller airline bank insurer provider',
  place:
    'place location venue hotel restaurant store shop warehouse office branch building room station airport museum school hospital park site clinic pharmacy gym cinema theater theatre bar cafe library',
  home: 'house apartment flat villa cottage condo property',
  remark: 'comment reply message answer note email mail letter',
  review: 'review feedback testimonial rating',
  skill: 'skill',
  category:
    'category department section collection subject area type class topic catalog catalogue',
  tag: 'tag keyword label interest badge',
  album: 'album record disc',
  song: 'song track',
  artist: 'artist band musician',
  book: 'book novel',
  event: 'event conference meetup concert workshop session course class lesson webinar',
  task: 'task todo issue ticket job request bug feature step milestone project story goal',
  team: 'team club',
  country: 'country nation',
  city: 'city town',
  genre: 'genre style',
  media: 'image photo picture media medium file attachment video asset upload document thumbnail',
  dish: 'dish recipe meal menu food drink',
  role: 'role permission group',
  invoice: 'invoice bill receipt payment loan',
  vehicle: 'vehicle car truck van motorcycle',
};

const bySingular = new Map<string, Subject>();
for (const [subject, words] of Object.entries(subjects))
  for (const word of words.split(' '))
    if (!bySingular.has(word)) bySingular.set(word, subject as Subject);

/** The subject that the last part of a name stands for; undefined if it is unknown. */
export function subjectNamed(name: string): Subject | undefined {
  const last = tokensOf(name).at(-1) ?? '';
  return bySingular.get(singular(last)) ?? bySingular.get(last);
}

/** The subject of a resource's records, by its name; `article` if it is unknown. */
export function subjectOf(resource: string): Subject {
  return subjectNamed(resource) ?? 'article';
}

const written = new Set(
  'article post page blog entry story news chapter paper essay note report newsletter document thread discussion poll survey question faq tutorial announcement notice headline'.split(
    ' ',
  ),
);

/** Whether the records of a resource have headlines. Other records of an unknown subject have proper names. */
export function isWritten(resource: string): boolean {
  const last = tokensOf(resource).at(-1) ?? '';
  return written.has(last) || written.has(singular(last));
}

/** The endings in a row of a table, in the form that `findEnding` looks up. */
export function endingsOf(list: string): readonly string[] {
  return list.split(',').map((ending) => ending.replaceAll(' ', ''));
}

/** The kind of the longest ending of a name that is in the table, and the prefix before it. */
export function findEnding<Kind>(
  tokens: readonly string[],
  table: ReadonlyMap<string, Kind>,
): { readonly kind: Kind; readonly prefix: string } | undefined {
  for (let from = Math.max(0, tokens.length - 4); from < tokens.length; from += 1) {
    const kind = table.get(tokens.slice(from).join(''));
    if (kind !== undefined) return { kind, prefix: tokens.slice(0, from).join(' ') };
  }
  return undefined;
}

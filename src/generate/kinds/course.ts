import type { Row } from '../source.ts';
import { subjectOf } from './names.ts';

/** How a row may have come to an end other than the usual one. */
type Ending = 'returned' | 'cancelled';

/** How far a row has come: from 0 (just begun) to 3 (done). */
interface Course {
  readonly stage: number;
  readonly ending: Ending | undefined;
}

/**
 * The course of a row, the same for its status and for the moments and flags of its steps, so that what is a draft was
 * not published and what was cancelled was not delivered.
 */
function courseOf(row: Row): Course {
  return row.aside('course', (random) => {
    const stage = random.below(4);
    const chance = random.next();
    if (chance < 0.12) return { stage: 0, ending: 'cancelled' };
    return chance < 0.24 ? { stage: 3, ending: 'returned' } : { stage, ending: undefined };
  });
}

/** What a word says of the course: the stage that is reached with it, or how it has ended. */
type Mark = number | Ending;

const words: readonly (readonly [mark: Mark, words: string])[] = [
  [
    0,
    'draft new open opened pending todo backlog created ordered placed submitted queued unpaid waiting received requested proposed registered scheduled planned upcoming booked reserved reported admitted',
  ],
  [
    1,
    'confirmed approved accepted paid verified active processing started assigned inprogress review inreview reviewing packed',
  ],
  [
    2,
    'published shipped sent posted released dispatched live intransit ready outfordelivery checkedin',
  ],
  [
    3,
    'delivered completed complete done finished closed resolved fulfilled settled solved discharged checkedout succeeded success sold graduated',
  ],
  ['returned', 'returned refunded archived'],
  [
    'cancelled',
    'cancelled canceled rejected declined failed void noshow expired withdrawn aborted',
  ],
];
const marks: ReadonlyMap<string, Mark> = new Map(
  words.flatMap(([mark, list]) => list.split(' ').map((word) => [word, mark] as const)),
);

/** The mark of a word, whatever its case and joints; undefined for one that tells nothing. */
export function markOf(word: string): Mark | undefined {
  return marks.get(word.toLowerCase().replaceAll(/[^a-z]/gu, ''));
}

/** What an invoice has come to: it is sent before it is paid, an order the other way round. */
const ofInvoice: ReadonlyMap<string, string> = new Map([
  ['sent', 'approved'],
  ['paid', 'completed'],
  ['payment', 'completed'],
]);

/** A word of a resource as the one for the same step elsewhere. */
export function stepWord(word: string, resource: string): string {
  const isInvoice = subjectOf(resource) === 'invoice';
  return (isInvoice ? ofInvoice.get(word.toLowerCase()) : undefined) ?? word;
}

const flags =
  /^(?:approved|accepted|confirmed|paid|published|shipped|sent|delivered|completed|complete|done|finished|closed|resolved|fulfilled|returned|refunded|archived|cancelled|canceled|rejected)$/u;

/** The mark of a flag such as `isPaid`, by the parts of its name; undefined for one that tells of no step. */
export function flagOf(tokens: readonly string[], resource: string): Mark | undefined {
  const last = stepWord(tokens.at(-1) ?? '', resource);
  return flags.test(last) ? markOf(last) : undefined;
}

/** Whether the row has come so far, or to that end. */
export function hasReached(row: Row, mark: Mark): boolean {
  const { stage, ending } = courseOf(row);
  return typeof mark === 'number' ? stage >= mark : ending === mark;
}

/**
 * Those of some statuses that fit how far a row has come; undefined where less than two thirds of them tell of a course.
 * With what another one says (overdue, on hold), none of its steps was done.
 */
export function statusesOf<Value>(
  values: readonly Value[],
  resource: string,
): ((row: Row) => readonly Value[]) | undefined {
  const marked = values.map((value) => [value, markOf(stepWord(String(value), resource))] as const);
  const told = marked.filter(([, mark]) => mark !== undefined);
  if (values.length < 2 || told.length * 3 < values.length * 2) return undefined;
  const withMark = (wanted: Mark): readonly Value[] =>
    marked.filter(([, mark = 0]) => mark === wanted).map(([value]) => value);
  // The nearest one that is reached; else the first to come.
  const nearest = [0, 1, 2, 3].map((stage) => {
    const lists = [stage, stage - 1, stage - 2, stage - 3, 1, 2, 3].map(withMark);
    return lists.find((list) => list.length > 0) ?? values;
  });
  const ended = { returned: withMark('returned'), cancelled: withMark('cancelled') };
  return (row) => {
    const { stage, ending } = courseOf(row);
    const list = ending === undefined ? [] : ended[ending];
    return list.length > 0 ? list : (nearest[stage] ?? values);
  };
}

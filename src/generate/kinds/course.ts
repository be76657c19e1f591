import type { Row } from '../source.ts';
import { subjectOf } from './names.ts';

/** An end other than the usual one. */
type Ending = 'returned' | 'cancelled';

/** The progress of a row: `stage` goes from 0 (just begun) to 3 (done). */
interface Course {
  readonly stage: number;
  readonly ending: Ending | undefined;
}

/**
 * The course of a row. Its status, moments and flags share it, so a draft has no publication date and a cancelled order
 * no delivery date.
 */
function courseOf(row: Row): Course {
  return row.shared('course', (random) => {
    const stage = random.below(4);
    const chance = random.next();
    if (chance < 0.12) return { stage: 0, ending: 'cancelled' };
    return chance < 0.24 ? { stage: 3, ending: 'returned' } : { stage, ending: undefined };
  });
}

/** The stage or the ending that a word stands for. */
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

/** The mark of a word, whatever its case and separators; undefined for an unknown word. */
export function markOf(word: string): Mark | undefined {
  return marks.get(word.toLowerCase().replaceAll(/[^a-z]/gu, ''));
}

/** Steps of an invoice, which is sent before it is paid. An order is paid before it is sent. */
const ofInvoice: ReadonlyMap<string, string> = new Map([
  ['sent', 'approved'],
  ['paid', 'completed'],
  ['payment', 'completed'],
]);

/** The word that other resources use for the same step. */
export function stepWord(word: string, resource: string): string {
  const isInvoice = subjectOf(resource) === 'invoice';
  return (isInvoice ? ofInvoice.get(word.toLowerCase()) : undefined) ?? word;
}

const flags =
  /^(?:approved|accepted|confirmed|paid|published|shipped|sent|delivered|completed|complete|done|finished|closed|resolved|fulfilled|returned|refunded|archived|cancelled|canceled|rejected)$/u;

/** The mark of a flag such as `isPaid`, by the parts of its name; undefined if it is not a step. */
export function flagOf(tokens: readonly string[], resource: string): Mark | undefined {
  const last = stepWord(tokens.at(-1) ?? '', resource);
  return flags.test(last) ? markOf(last) : undefined;
}

/** Whether the row has reached a stage or an ending. */
export function hasReached(row: Row, mark: Mark): boolean {
  const { stage, ending } = courseOf(row);
  return typeof mark === 'number' ? stage >= mark : ending === mark;
}

/**
 * The statuses that fit the course of a row; undefined if fewer than two thirds of them are known. An unknown status
 * (overdue, on hold) counts as stage 0.
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
  // The latest stage reached that has a status; else the next one.
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

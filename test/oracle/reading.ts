import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { Both } from '../support/both.ts';
import type { World } from '../support/oracle-model.ts';
import type { Query } from '../support/oracle-query.ts';
import { answerOf, type Expected } from '../support/oracle.ts';
import { drawOf, type Draw } from './draw.ts';
import { randomQuery, withOtherValues } from './requests.ts';
import { nextOf, placeAfter, seenOf } from './seen.ts';
import { shorter } from './shorter.ts';
import { read } from './world.ts';
import { writeQuery } from './writing.ts';

/** Reads that are held against the oracle. */

/**
 * How many requests differ in values alone. To plan and compile a request takes several times as long as to answer it again
 * with other values.
 */
export const variants = 4;

/** Who is asked, and what is known of the records. */
export interface Subject {
  readonly both: Pick<Both, 'get'>;
  readonly world: World;
  /** The path of the version. */
  readonly base: string;
}

interface Read {
  readonly query: Query;
  /** How it is written follows from this number. */
  readonly form: number;
  /** Whether the page after it is read too. */
  readonly goesOn: boolean;
}

/** Draws a request, and the same with other values. */
function drawReads(draw: Draw, { world }: Subject): readonly Read[] {
  const first = randomQuery(draw, world);
  const form = draw.below(2 ** 32);
  return Array.from({ length: variants }, (_, index) => ({
    query: index === 0 ? first : withOtherValues(draw, world, first),
    form,
    goesOn: draw.chance(30),
  }));
}

/** What is wrong with an answer, and of what kind that is: a shorter request has to fail in the same way. */
class Wrong extends Error {
  readonly kind: 'status' | 'databases' | 'oracle';

  constructor(kind: Wrong['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Asks both databases, which have to agree and to answer with 200. */
async function asked(
  { both }: Subject,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await read(both, path, headers).catch((cause: unknown) => {
    throw new Wrong('databases', String(cause), cause);
  });
  if (answer.status !== 200) throw new Wrong('status', `${path}\n${answer.status} ${answer.text}`);
  return answer;
}

function compare(seen: Expected, expected: Expected, what: string): void {
  // A tenth of the time of a comparison that can say what differs.
  if (isDeepStrictEqual(seen, expected)) return;
  try {
    expect(seen).toEqual(expected);
  } catch (cause) {
    const [given, wanted] = [seen, expected].map((one) => JSON.stringify(one).slice(0, 4_000));
    throw new Wrong('oracle', `${what}\n${given}\ninstead of\n${wanted}`, cause);
  }
}

/** One read, and sometimes the page after it, as the oracle says. */
async function checkRead(subject: Subject, { query, form, goesOn }: Read): Promise<void> {
  const { world, base } = subject;
  const { target, headers } = writeQuery(drawOf(form), world, query, base);
  const answer = await asked(subject, target, headers);
  compare(seenOf(answer, query, target), answerOf(world, query), target);
  if (!answer.headers.has('x-next-cursor') || !goesOn) return;
  const next = nextOf(world, answer, target, query);
  const onwards: Query = { ...query, paging: { ...query.paging, mode: 'cursor', start: 0 } };
  const following = await asked(subject, next, headers);
  const expected = answerOf(world, onwards, placeAfter(world, query));
  compare(seenOf(following, onwards, next), expected, `${target}\n${next}`);
}

/** What fails of a read; undefined if nothing does. */
function wrongOf(subject: Subject, one: Read): Promise<Wrong | undefined> {
  return checkRead(subject, one).then(
    () => undefined,
    (error: unknown) =>
      error instanceof Wrong ? error : new Wrong('oracle', String(error), error),
  );
}

/** The shortest request that fails as a longer one does. */
async function shortest(subject: Subject, long: Read, wrong: Wrong): Promise<Wrong> {
  for (const query of shorter(long.query)) {
    const short = { ...long, query };
    const same = await wrongOf(subject, short);
    if (same?.kind === wrong.kind) return shortest(subject, short, same);
  }
  return wrong;
}

/** Draws a few reads and checks them. What fails is told as it was found and as short as it can be. */
export async function checkReads(draw: Draw, subject: Subject): Promise<void> {
  for (const one of drawReads(draw, subject)) {
    const wrong = await wrongOf(subject, one);
    if (wrong === undefined) continue;
    const least = await shortest(subject, one, wrong);
    const message = least === wrong ? '' : `\nAs short as it can be: ${least.message}`;
    throw new Error(`${wrong.message}${message}`, { cause: least });
  }
}

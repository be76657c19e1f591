import { fail, ok, type Result } from '../errors.ts';
import { readOperand } from './filter/operand.ts';
import type { Slot } from './filter/predicate.ts';
import type { Claims } from '../model/access.ts';
import type { Limits } from '../model/api.ts';
import type { QueryProblem } from './request/problem.ts';
import type { Query } from './request/query.ts';
import type { JsonValue } from '../specification/specification.ts';
import { fieldOf, isText, noPrefix, readCursorValue } from './read/cursor-values.ts';
import type { CursorText } from './read/cursor.ts';
import type { CollectionPaging, GroupsPlan, ReadPlan } from './plan.ts';

/** The values of one request for a plan: one for each slot, and the page numbers. */
export interface Bound {
  readonly values: readonly JsonValue[];
  /** The caller's claims and the time of the request, which access rules compare with. */
  readonly claims: Claims;
  readonly now: () => Date;
  /** For a list after a cursor: the sort key values of the previous page's last record. */
  readonly after: readonly JsonValue[];
  /** The page of a list; unused for a single record. */
  readonly page: PageNumbers;
  /** The pages of the paged collections, by their index. */
  readonly collections: readonly PageNumbers[];
}

/** The records of a page: `limit` records, after skipping `offset`. */
export interface PageNumbers {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** The number of pages that so many records make; none with a limit of 0. */
export function pagesOf(total: number, limit: number): number {
  return limit === 0 ? 0 : Math.ceil(total / limit);
}

/** The numbers of a page in page mode. */
export function pageAt(page: number, limit: number): PageNumbers {
  // No list has 2⁵³ records. The offset only has to be a number that a database accepts.
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** The numbers of a page in offset mode. */
export function offsetAt(offset: number, limit: number): PageNumbers {
  return { page: limit === 0 ? 1 : Math.floor(offset / limit) + 1, limit, offset };
}

const onePage = pageAt(1, 1);

const none: readonly never[] = [];

/** The bound values of a read without any value from the request. */
export function boundFor(claims: Claims, now: () => Date): Bound {
  return { values: none, claims, now, after: none, page: onePage, collections: none };
}

/**
 * Parses the bound texts of a request by the types of the plan's slots, and reports every problem. The caller's `claims`
 * and the time of the request are for access rules.
 */
export function bindQuery(
  plan: ReadPlan,
  query: Query,
  limits: Limits,
  claims: Claims,
  now: () => Date,
  cursor?: CursorText,
): Result<Bound, readonly QueryProblem[]> {
  if (plan.kind === 'one' && plan.slots.length === 0 && plan.collections.length === 0)
    return ok(boundFor(claims, now));
  const problems: QueryProblem[] = [];
  const values = bindSlots(plan.slots, query.texts, limits, problems, now);
  const page =
    plan.kind === 'list' ? bindPage(plan.paging, '', query.texts, limits, problems) : onePage;
  const collections = plan.collections.map((paging) =>
    bindPage(paging, `${paging.path}.`, query.texts, limits, problems),
  );
  for (const paging of plan.collections)
    refuseTooMany(paging, page.limit, collections, limits, problems);
  const after = bindCursor(plan, cursor, problems);
  return problems.length === 0
    ? ok({ values, claims, now, after, page, collections })
    : fail(problems);
}

function mayBeNow(text: string): boolean {
  return text.includes('now');
}

/**
 * The values of slots. A text compared through a morphTo is parsed once for each target. A target whose type does not
 * accept the text gets null, which matches no record; it is a problem only if no target accepts the text.
 */
export function bindSlots(
  slots: readonly Slot[],
  texts: readonly string[],
  limits: Limits,
  problems: QueryProblem[],
  now?: () => Date,
): readonly JsonValue[] {
  const moment = now !== undefined && texts.some(mayBeNow) ? now() : undefined;
  const operands = slots.map((slot) =>
    readOperand(
      slot.sources.map((source) => texts[source] ?? ''),
      slot,
      limits,
      moment,
      slots.filter((other) => other !== slot && other.sources === slot.sources),
    ),
  );
  const refused = new Set<Slot['sources']>();
  return slots.map(({ sources, parameter }, index) => {
    const operand = operands[index];
    if (operand === undefined || operand.ok) return operand?.value ?? null;
    const isTaken = operands.some((other, at) => other.ok && slots[at]?.sources === sources);
    if (!isTaken && !refused.has(sources)) problems.push({ parameter, ...operand.error });
    refused.add(sources);
    return null;
  });
}

/** As `bindQuery`, for a list in groups. */
export function bindGroups(
  { slots, paging }: GroupsPlan,
  { texts }: Query,
  limits: Limits,
  claims: Claims,
  now: () => Date,
): Result<Bound, readonly QueryProblem[]> {
  const problems: QueryProblem[] = [];
  const values = bindSlots(slots, texts, limits, problems, now);
  const page = bindPage(paging, '', texts, limits, problems);
  return problems.length === 0 ? ok({ ...boundFor(claims, now), values, page }) : fail(problems);
}

/** A cursor's values, validated like those of a body, because anyone can write a cursor. */
function bindCursor(
  plan: ReadPlan,
  cursor: CursorText | undefined,
  problems: QueryProblem[],
): readonly JsonValue[] {
  if (cursor === undefined || typeof cursor === 'string' || plan.kind !== 'list') return [];
  const { order, resource } = plan;
  const { long } = cursor;
  const values = order.map((key, index): JsonValue | undefined => {
    const value = cursor.values[index];
    const field = fieldOf(key);
    if (value === undefined) return undefined;
    if (long?.cut.includes(index) === true && !isText(field))
      return value === noPrefix ? value : undefined;
    if (value === null) return key.nulls === undefined ? undefined : null;
    return readCursorValue(value, field);
  });
  const read = values.filter((value) => value !== undefined);
  const isWhole = read.length === values.length && cursor.values.length === order.length;
  const isNamed = (id: JsonValue): boolean => readCursorValue(id, resource.id) !== undefined;
  if (isWhole && long?.ends.every(({ id }) => isNamed(id)) !== false) return read;
  problems.push({
    parameter: 'cursor',
    code: 'INVALID_CURSOR',
    message: 'holds values that do not fit its sort',
  });
  return [];
}

/**
 * Rejects explicit limits that together ask for more records than a response may have. See
 * docs/contract/2-reading.md#expanded-collections, rule 6.
 */
function refuseTooMany(
  { path, index, limit, within }: CollectionPaging,
  parents: number,
  collections: readonly PageNumbers[],
  { responseItems }: Limits,
  problems: QueryProblem[],
): void {
  // A limit that cannot be parsed has been reported already.
  if (limit === undefined || problems.some(({ parameter }) => parameter === `${path}.limit`))
    return;
  const factors = [parents, ...[...within, index].map((at) => collections[at]?.limit ?? 1)];
  const product = factors.reduce((sum, factor) => sum * factor, 1);
  if (product > responseItems)
    problems.push({
      parameter: `${path}.limit`,
      code: 'LIMIT_EXCEEDED',
      message: `asks for ${factors.filter((factor) => factor > 1).join(' × ')} records; a response has at most ${responseItems} (limits.responseItems)`,
      max: responseItems,
    });
}

/** The indexes of the page numbers among the bound texts. */
interface PageSources {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

function bindPage(
  sources: PageSources,
  prefix: string,
  texts: readonly string[],
  limits: Limits,
  problems: QueryProblem[],
): PageNumbers {
  const read = (name: 'page' | 'limit' | 'offset', fallback: number): number => {
    const source = sources[name];
    if (source === undefined) return fallback;
    const text = texts[source] ?? '';
    const least = name === 'page' ? 1 : 0;
    const number = /^\d+$/u.test(text) ? Number(text) : -1;
    // A limit above the safe integers gets the LIMIT_EXCEEDED problem below.
    if (number >= least && (name === 'limit' || Number.isSafeInteger(number))) return number;
    const most = name === 'limit' ? limits.maxLimit : Number.MAX_SAFE_INTEGER;
    problems.push({
      parameter: `${prefix}${name}`,
      code: 'INVALID_PARAMETER',
      message: `must be a whole number from ${least} to ${most}`,
    });
    return fallback;
  };
  const limit = read('limit', limits.defaultLimit);
  if (limit > limits.maxLimit)
    problems.push({
      parameter: `${prefix}limit`,
      code: 'LIMIT_EXCEEDED',
      message: `must be at most ${limits.maxLimit}`,
      max: limits.maxLimit,
    });
  return sources.offset === undefined
    ? pageAt(read('page', 1), limit)
    : offsetAt(read('offset', 0), limit);
}

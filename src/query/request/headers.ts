import { breaks } from '../../problem-rules.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { apiError, fail, ok, type Result } from '../../errors.ts';

/** The known preferences of a `Prefer` header (RFC 7240). */
export interface Preferences {
  readonly count: 'exact' | 'none' | 'estimated';
  readonly minimal: boolean;
  /** A change of many answers with the records. */
  readonly representation: boolean;
  /** A create with `onConflict` leaves records that exist as they are. */
  readonly ignoresDuplicates: boolean;
  /** The most records that a change of many may affect, as it is sent; undefined if the request does not say. */
  readonly maxAffected: string | undefined;
}

const noPreferences: Preferences = {
  count: 'exact',
  minimal: false,
  representation: false,
  ignoresDuplicates: false,
  maxAffected: undefined,
};

/** Parses `Prefer`. Unknown and malformed preferences are ignored; of a repeated one the first counts (RFC 7240, 2). */
export function parsePrefer({ prefer }: IncomingHttpHeaders): Preferences {
  if (prefer === undefined) return noPreferences;
  const wanted = new Map<string, string>();
  for (const part of String(prefer).toLowerCase().split(',')) {
    // A semicolon begins the parameters of a preference, of which none is known.
    const [preference = ''] = part.split(';', 1);
    const [name = '', value = ''] = preference.split('=', 2).map((piece) => piece.trim());
    if (!wanted.has(name)) wanted.set(name, value.replace(/^"(.*)"$/u, '$1'));
  }
  const count = wanted.get('count');
  return {
    count: count === 'none' || count === 'estimated' ? count : 'exact',
    minimal: wanted.get('return') === 'minimal',
    representation: wanted.get('return') === 'representation',
    ignoresDuplicates: wanted.get('resolution') === 'ignore-duplicates',
    maxAffected: wanted.get('max-affected'),
  };
}

/** Reads the bound of a change of many. Without the one that is asked for, more could change than the client allows. */
export function readMaxAffected({ maxAffected }: Preferences): Result<number | undefined> {
  if (maxAffected === undefined) return ok(undefined);
  if (/^\d+$/u.test(maxAffected)) return ok(Number(maxAffected));
  const message = 'max-affected must be a whole number, such as max-affected=100';
  const problem = { field: 'Prefer', message, ...breaks('type', { expected: 'integer' }) };
  return fail(apiError('INVALID_PARAMETER', `Prefer: ${message}`, { problems: [problem] }));
}

/** The format of a response body. See docs/contract/2-reading.md#content, rule 1. */
export type Representation = 'json' | 'csv' | 'ndjson';

const mediaTypes: Readonly<Record<Representation, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** The media ranges that select JSON, the most precise first. Other formats must be named exactly. */
const jsonRanges = ['application/json', 'application/*', '*/*'];

/**
 * Chooses a format by `Accept` (RFC 9110, 12.5.1): the highest weight; at equal weights an exact name before a range, and
 * JSON first. Undefined if none of the offered formats is acceptable.
 */
export function negotiate(
  header: string | undefined,
  offered: readonly Representation[],
): Representation | undefined {
  if (header === undefined || header === '*/*') return 'json';
  const weights = readWeights(header);
  if (weights.size === 0) return 'json';
  let best: { representation: Representation; weight: number; isNamed: boolean } | undefined;
  for (const representation of offered) {
    const type = mediaTypes[representation];
    const ranges = representation === 'json' ? jsonRanges : [type];
    const range = ranges.find((name) => weights.has(name)) ?? '';
    const weight = weights.get(range) ?? 0;
    const isNamed = range === type;
    const isBetter =
      best === undefined
        ? weight > 0
        : weight > best.weight || (weight === best.weight && isNamed && !best.isNamed);
    if (isBetter) best = { representation, weight, isNamed };
  }
  return best?.representation;
}

/** Whether `Accept` prefers HTML to JSON, as a browser's does for an address that the user enters. */
export function prefersHtml(header: string | undefined): boolean {
  const weights = readWeights(header ?? '');
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0);
}

/** Whether `Accept` names server-sent events, and lines of JSON no more than these. */
export function acceptsEvents(header: string | undefined): boolean {
  const weights = readWeights(header ?? '');
  const weight = weights.get('text/event-stream') ?? 0;
  return weight > 0 && weight >= (weights.get(mediaTypes.ndjson) ?? 0);
}

/** The supported content codings, in the order of preference. */
const codings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof codings)[number];

/**
 * Chooses a coding by `Accept-Encoding` (RFC 9110, 12.5.3). Undefined if none is acceptable or `identity` is preferred.
 * `isForced`: `identity` is not acceptable, so even a short body has to be encoded.
 */
export function negotiateCoding(
  header: string,
): { readonly coding: ContentCoding; readonly isForced: boolean } | undefined {
  const weights = readWeights(header);
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const [first, second] = codings;
  const coding = weightOf(second) > weightOf(first) ? second : first;
  const plain = weights.get('identity');
  const weight = weightOf(coding);
  if (weight === 0 || (plain ?? 0) > weight) return undefined;
  return { coding, isForced: (plain ?? weights.get('*')) === 0 };
}

/**
 * Parses a list with weights (`a;q=0.5, b`); names in lower case, an invalid weight as 0. Items that differ only in other
 * parameters count as one, with the highest weight.
 */
function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const number = weight === undefined ? 1 : Number(weight.slice(2));
    if (name !== '') weights.set(name, Math.max(weights.get(name) ?? 0, Math.min(number || 0, 1)));
  }
  return weights;
}

/**
 * The key of an `Idempotency-Key` header: 1 to 255 visible characters, bare or quoted as a string of RFC 9651; both are
 * the same key. Undefined without the header.
 */
export function readIdempotencyKey(
  header: string | readonly string[] | undefined,
): Result<string | undefined> {
  if (header === undefined) return ok(undefined);
  const text = String(header);
  const [, quoted] = /^"(.*)"$/u.exec(text) ?? [];
  const key = quoted?.replaceAll(/\\(["\\])/gu, '$1') ?? text;
  if (/^[!-~]{1,255}$/u.test(key)) return ok(key);
  const message = 'must be one key of 1 to 255 visible ASCII characters';
  return fail(
    apiError('INVALID_PARAMETER', `Idempotency-Key: ${message}`, {
      problems: [
        {
          field: 'Idempotency-Key',
          message,
          ...breaks('format', { format: 'idempotency-key' }),
        },
      ],
    }),
  );
}

/** Whether `If-None-Match` names this entity tag, compared weakly (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//u, '') === tag);
}

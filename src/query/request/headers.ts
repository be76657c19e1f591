import type { IncomingHttpHeaders } from 'node:http';
import { apiError, fail, ok, type Result } from '../../errors.ts';

/** What a `Prefer` header asks for, as far as it is known here (RFC 7240). */
export interface Preferences {
  readonly count: 'exact' | 'none' | 'estimated';
  readonly minimal: boolean;
}

const noPreferences: Preferences = { count: 'exact', minimal: false };

/** Reads `Prefer`; what is unknown or malformed is ignored, and the first of a kind counts (RFC 7240, section 2). */
export function parsePrefer({ prefer }: IncomingHttpHeaders): Preferences {
  if (prefer === undefined) return noPreferences;
  const wanted = new Map<string, string>();
  for (const part of String(prefer).toLowerCase().split(',')) {
    // Parameters of a preference follow after a semicolon; none is known here.
    const [preference = ''] = part.split(';', 1);
    const [name = '', value = ''] = preference.split('=', 2).map((piece) => piece.trim());
    if (!wanted.has(name)) wanted.set(name, value.replace(/^"(.*)"$/u, '$1'));
  }
  const count = wanted.get('count');
  return {
    count: count === 'none' || count === 'estimated' ? count : 'exact',
    minimal: wanted.get('return') === 'minimal',
  };
}

/** What an answer can be written as. See docs/contract/2-reading.md#content, rule 1. */
export type Representation = 'json' | 'csv' | 'ndjson';

const mediaTypes: Readonly<Record<Representation, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** Ranges that stand for JSON, the more precise first: what else there is has to be asked for by its name. */
const jsonRanges = ['application/json', 'application/*', '*/*'];

/**
 * What `Accept` wants of those that are offered: the one of the highest weight, at equal weights the one that is named
 * most precisely, JSON before others. Undefined when it takes none of them (RFC 9110, 12.5.1).
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

/** Whether `Accept` wants a page rather than JSON, as that of a browser does when somebody enters an address. */
export function prefersHtml(header: string | undefined): boolean {
  const weights = readWeights(header ?? '');
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0);
}

/** A way to write a body shorter, in the order of preference. */
const codings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof codings)[number];

/**
 * The coding that `Accept-Encoding` wants most. Undefined when it asks for none of them, or wants a body as it is more.
 * `isForced`: the body may not stay as it is, however short (RFC 9110, 12.5.3).
 */
export function wantedCoding(
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
 * The names of a list with weights (`a;q=0.5, b`), in lower case; a weight that is none counts as 0. What has a name twice
 * differs in parameters, which mean nothing here, so that the higher weight counts.
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
 * The key of an `Idempotency-Key` header: 1 to 255 visible characters, as it is or in quotes as a string of RFC 9651;
 * both are the same key. Undefined where there is none.
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
      problems: [{ field: 'Idempotency-Key', message }],
    }),
  );
}

/** Whether `If-None-Match` names this entity tag, compared weakly (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//u, '') === tag);
}

import type { BooleanForm, FieldSpecification, StoredAs } from '../../spec/specification.ts';
import type { Bounds } from './expressions.ts';

/** The words for true and false that are looked for in columns of text. */
export const wordForms = [
  'Y/N',
  'y/n',
  'T/F',
  't/f',
  'yes/no',
  'true/false',
] as const satisfies readonly BooleanForm[];

/** In what a column may hold moments: a range of numbers that hardly anything else is in. */
export const momentRanges = {
  /** 1973 to 2100. */
  unixSeconds: [100_000_000, 4_102_444_800],
  unixMilliseconds: [100_000_000_000, 4_102_444_800_000],
} as const satisfies Partial<Record<StoredAs, readonly [number, number]>>;

/** What a name, and the CHECKs, let one think of a column. */
export interface ColumnHints {
  readonly isFlag: boolean;
  readonly isMoment: boolean;
}

/** What the name of a column and its CHECKs let one expect; a key is never anything but a key. */
export function hintsOf(name: string, bounds: Bounds, isKey: boolean): ColumnHints {
  const values = bounds.enum?.toSorted().join('/');
  const isPair = wordForms.some((form) => form.split('/').toSorted().join('/') === values);
  return {
    isFlag: !isKey && (isPair || /^(?:is|has|can)(?:_|[A-Z])|(?:_flag|_yn|Flag)$/u.test(name)),
    isMoment:
      !isKey &&
      /^(?:.*_)?(?:at|on|time|timestamp|date)$|[a-z\d](?:At|On|Time|Timestamp|Date)$/u.test(name),
  };
}

/** A datetime in this form. */
export function momentIn(storedAs: StoredAs): FieldSpecification {
  return { type: 'datetime', storedAs };
}

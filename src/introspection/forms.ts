import { datetimeType } from '../model/field-types/moments/datetime.ts';
import type { FieldSpecification, StoredAs } from '../specification/specification.ts';
import { wordForms } from '../specification/stored-forms.ts';
import type { Bounds } from '../databases/existing/expressions.ts';

/** What the name and the CHECKs of a column suggest. */
export interface ColumnHints {
  readonly isFlag: boolean;
  readonly isMoment: boolean;
  readonly isJson: boolean;
}

/** What the name and the CHECKs of a column suggest; nothing for a key. */
export function hintsOf(name: string, bounds: Bounds, isKey: boolean): ColumnHints {
  const values = bounds.enum?.toSorted().join('/');
  const isPair = wordForms.some((form) => form.split('/').toSorted().join('/') === values);
  return {
    isFlag: !isKey && (isPair || /^(?:is|has|can)(?:_|[A-Z])|(?:_flag|_yn|Flag)$/u.test(name)),
    isMoment:
      !isKey &&
      /^(?:.*_)?(?:at|on|time|timestamp|date)$|[a-z\d](?:At|On|Time|Timestamp|Date)$/u.test(name),
    isJson: !isKey && bounds.isJson === true,
  };
}

/** A datetime in this form. */
export function momentIn(storedAs: StoredAs): FieldSpecification {
  return { type: datetimeType.name, storedAs };
}

/** In which form a text may hold a datetime; where one takes all that another does, it stands behind it. */
export const momentTexts = [
  'isoText',
  'isoSeconds',
  'isoOffset',
  'sqlText',
  'sqlMicroseconds',
  'sqlMixed',
  'sqlUtc',
  'sqlOffset',
] as const;

/**
 * The forms in which a column may hold a datetime, beside the usual one. See
 * docs/contract/1-specification-file.md#stored-forms.
 */
export const momentForms = [...momentTexts, 'unixSeconds', 'unixMilliseconds'] as const;

/** In which form a column may hold a decimal. */
export const decimalForms = ['scaled', 'real', 'text'] as const;

/** The words for true and false; false comes first in their order, as it does among booleans. */
export const wordForms = ['Y/N', 'y/n', 'T/F', 't/f', 'yes/no', 'true/false'] as const;

/** In which form a column may hold a boolean. */
export const booleanForms = ['1/0', ...wordForms] as const;

export type WordForm = (typeof wordForms)[number];

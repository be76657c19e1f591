/** The text forms of a datetime. A form that accepts everything another one does comes after it. */
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
 * The stored forms of a datetime, besides the default. See
 * docs/contract/1-specification-file.md#stored-forms.
 */
export const momentForms = [...momentTexts, 'unixSeconds', 'unixMilliseconds'] as const;

/** The stored forms of a decimal. */
export const decimalForms = ['scaled', 'real', 'text'] as const;

/** Words for true and false. The word for false sorts first, as false does among booleans. */
export const wordForms = ['Y/N', 'y/n', 'T/F', 't/f', 'yes/no', 'true/false'] as const;

/** The stored forms of a boolean. */
export const booleanForms = ['1/0', ...wordForms] as const;

export type WordForm = (typeof wordForms)[number];

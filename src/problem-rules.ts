/**
 * The table of all rules that a value or parameter can break, with the params that say what the rule asks for. The OpenAPI
 * document, the typed client and `docs/errors.md` are generated from it. A `?` marks a param that may be missing. See
 * docs/contract/4-errors-and-limits.md#problem-lists, rule 8.
 */
export const ruleTable = {
  required: { params: {}, about: 'The value is missing.' },
  notNull: { params: {}, about: 'The value is null.' },
  type: { params: { expected: 'string' }, about: 'The value has another type.' },
  unknown: {
    params: { nearest: 'string?', known: 'strings?' },
    about: 'There is no such field or member.',
  },
  readOnly: { params: {}, about: 'The field cannot be written here.' },
  immutable: { params: {}, about: 'The field is set on create only.' },
  forbidden: {
    params: {},
    about: 'The change needs the stored value, which the caller may not read.',
  },
  format: { params: { format: 'string' }, about: 'The text does not have the format.' },
  characters: { params: {}, about: 'The text has a character that no database can store.' },
  minLength: { params: { min: 'integer' }, about: 'The text has too few characters.' },
  maxLength: { params: { max: 'integer' }, about: 'The text has too many characters.' },
  maxBytes: { params: { max: 'integer' }, about: 'The value is too long for its index.' },
  pattern: { params: { pattern: 'string' }, about: 'The text does not match the pattern.' },
  minimum: { params: { min: 'number' }, about: 'The number is too small.' },
  maximum: { params: { max: 'number' }, about: 'The number is too large.' },
  exclusiveMinimum: { params: { min: 'number' }, about: 'The number is not greater than `min`.' },
  exclusiveMaximum: { params: { max: 'number' }, about: 'The number is not less than `max`.' },
  range: {
    params: { min: 'number', max: 'number' },
    about: 'The number is beyond what the type of the field holds.',
  },
  multipleOf: { params: { of: 'number' }, about: 'The number is not a multiple.' },
  decimalPlaces: { params: { max: 'integer' }, about: 'The number has too many decimal places.' },
  digits: { params: { max: 'integer' }, about: 'The number has too many digits.' },
  enum: { params: { values: 'values' }, about: 'The value is not one of those allowed.' },
  minItems: { params: { min: 'integer' }, about: 'The array has too few items.' },
  maxItems: { params: { max: 'integer' }, about: 'The array has too many items.' },
  uniqueItems: { params: {}, about: 'The array has the same item twice.' },
  unique: {
    params: { fields: 'strings?' },
    about: 'The value is taken; with `fields`, the values of these fields together.',
  },
  reference: {
    params: { resource: 'string?' },
    about: 'There is no such record.',
  },
  referenced: { params: {}, about: 'Other records point to the value, so it cannot change.' },
  conflict: { params: {}, about: 'The value contradicts another part of the request or record.' },
  record: { params: {}, about: 'A record of a sandbox cannot be stored.' },
  database: { params: {}, about: 'A rule of the database does not allow the value.' },
  custom: { params: { name: 'string?' }, about: 'A rule of the own code of the service.' },
  parameter: { params: {}, about: 'The parameter is unknown or makes no sense here.' },
  filter: { params: {}, about: 'The filter has a value or operator that does not fit its field.' },
  sort: { params: {}, about: 'The sort key is unknown, repeated or cannot be sorted by.' },
  cursor: { params: {}, about: 'The cursor is damaged or belongs to another request.' },
  limit: { params: { max: 'integer?' }, about: 'The request asks for more than a limit allows.' },
  depth: { params: { max: 'integer?' }, about: 'The request is nested or expanded too deeply.' },
} as const satisfies Record<
  string,
  { readonly params: Readonly<Record<string, ParamType | `${ParamType}?`>>; readonly about: string }
>;

interface ParamTypes {
  readonly string: string;
  readonly integer: number;
  /** A decimal is a string, as in records. */
  readonly number: number | string;
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
}

export type ParamType = keyof ParamTypes;

export type Rule = keyof typeof ruleTable;

type Declared<R extends Rule> = (typeof ruleTable)[R]['params'];

type ParamsOf<R extends Rule> = {
  readonly [Name in keyof Declared<R>]: Declared<R>[Name] extends `${infer Type extends ParamType}?`
    ? ParamTypes[Type] | undefined
    : Declared<R>[Name] extends ParamType
      ? ParamTypes[Declared<R>[Name]]
      : never;
};

/** A rule that is broken, and what it asks for. Programs read it; `message` says the same for people. */
export interface BrokenRule {
  readonly rule: Rule;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Names a broken rule, with the params that the table lists. */
export function breaks<R extends Rule>(
  rule: R,
  ...[params]: keyof Declared<R> extends never ? [] : [ParamsOf<R>]
): BrokenRule {
  return { rule, params: params ?? {} };
}

/** Whether the table has a rule of this name. */
export function isRule(name: string): name is Rule {
  return Object.hasOwn(ruleTable, name);
}

/** The rule that a member breaks which stands where only these can. */
export function onlyOf(known: readonly string[]): BrokenRule {
  return breaks('unknown', { nearest: undefined, known });
}

import {
  either,
  invalid,
  refined,
  refuse,
  type Checked,
  type Define,
  type Definition,
  type JsonSchema,
} from './definition.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { variablePattern } from '../yaml/environment.ts';
import type { Replacement } from '../problems.ts';
import { quote, type ScalarNode, type SourceNode } from '../yaml/node.ts';
import { readVariable } from '../yaml/scalar.ts';
import type { JsonValue } from '../specification.ts';

/** What every scalar may have beside its own options; both go into the JSON Schema. */
interface Notes {
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
}

type Refusal = (advice?: string, instead?: Replacement) => typeof invalid;

/** A definition that takes a scalar and refuses lists and maps. */
function scalar<T>(
  expects: string,
  read: (node: ScalarNode, refusal: Refusal) => Checked<T>,
  schema: (define: Define) => JsonSchema,
  notes: Notes,
): Definition<T> {
  return {
    expects,
    check: (node, path, collector, wanted = expects) => {
      const refusal: Refusal = (...more) => refuse(wanted, node, path, collector, ...more);
      return node.kind === 'scalar' ? read(node, refusal) : refusal();
    },
    schema: (define) => ({ ...schema(define), ...onlyGiven(notes) }),
  };
}

function onlyGiven({ description, default: value, examples }: Notes): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(examples === undefined ? {} : { examples }),
  };
}

/** A text with a variable in it; the JSON Schema cannot know what will stand there. */
function withVariable(define: Define): JsonSchema {
  return define('withVariable', () => ({
    type: 'string',
    pattern: variablePattern,
    description: 'Text in which `${NAME}` is replaced from the environment.',
  }));
}

/** A value that comes from the environment alone; the JSON Schema cannot know its type. */
function variable(define: Define): JsonSchema {
  return define('variable', () => ({
    type: 'string',
    pattern: `^(${variablePattern})+$`,
    description: 'Replaced from the environment.',
  }));
}

interface TextOptions extends Notes {
  readonly expects?: string;
  readonly pattern?: RegExp;
  readonly format?: string;
  readonly allowEmpty?: boolean;
}

/** Text, not empty unless it may be; numbers and booleans have to be quoted. */
export function text(options: TextOptions = {}): Definition<string> {
  const { pattern, format, allowEmpty = false, expects = 'text' } = options;
  const plain = { type: 'string', ...(allowEmpty ? {} : { minLength: 1 }) };
  return scalar(
    expects,
    ({ value, source }, refusal) => {
      if (typeof value === 'number' || typeof value === 'boolean') {
        const isText = pattern?.test(source) ?? true;
        return isText
          ? refusal(`; put it in quotes: "${source}"`, { by: `"${source}"` })
          : refusal();
      }
      if (typeof value !== 'string' || (value === '' && !allowEmpty)) return refusal();
      if (value.includes('\0') || !value.isWellFormed())
        return refusal('; no database takes NUL characters and halves of others');
      return (pattern?.test(value) ?? true) ? value : refusal();
    },
    (define) =>
      pattern === undefined
        ? plain
        : {
            anyOf: [
              { ...plain, pattern: pattern.source, ...(format === undefined ? {} : { format }) },
              withVariable(define),
            ],
          },
    options,
  );
}

/** One of some words. `otherNames`: what people call them elsewhere, in small letters and nothing else. */
export function choice<const T extends string>(
  values: readonly T[],
  notes: Notes = {},
  otherNames: ReadonlyMap<string, T> = new Map(),
): Definition<T> {
  return scalar(
    either(values),
    ({ value, origin }, refusal) => {
      const found = values.find((known) => known === value);
      if (found !== undefined) return found;
      const near =
        typeof value === 'string' && origin === 'written'
          ? (otherNames.get(value.replaceAll(/[-_ ]/gu, '').toLowerCase()) ??
            nearest(value, values))
          : undefined;
      return near === undefined ? refusal() : refusal(`; did you mean \`${near}\`?`, { by: near });
    },
    (define) => ({ anyOf: [{ enum: values }, withVariable(define)] }),
    notes,
  );
}

/** What a scalar says where a number or boolean is wanted. */
function typedValue(node: ScalarNode): ScalarNode['value'] {
  const { value, origin } = node;
  return typeof value === 'string' && origin === 'variable' ? readVariable(value) : value;
}

/** Booleans of YAML 1.1, which are texts in YAML 1.2. */
const booleanWords: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
]);

/** `true` or `false`. */
export function boolean(notes: Notes = {}): Definition<boolean> {
  return scalar(
    'true or false',
    (node, refusal) => {
      const value = typedValue(node);
      if (typeof value === 'boolean') return value;
      const quoted = node.value === 'true' || node.value === 'false';
      if (quoted && node.origin === 'written') return refusal(' in quotes', { by: node.source });
      const meant = booleanWords.get(node.source.toLowerCase());
      return refusal('', meant === undefined ? undefined : { by: meant });
    },
    (define) => ({ anyOf: [{ type: 'boolean' }, variable(define)] }),
    notes,
  );
}

/** `false` and nothing else. */
export function no(notes: Notes = {}): Definition<false> {
  return scalar(
    'false',
    (node, refusal) => (typedValue(node) === false ? false : refusal()),
    (define) => ({ anyOf: [{ const: false }, variable(define)] }),
    notes,
  );
}

/** `true` and nothing else. */
export function yes(notes: Notes = {}): Definition<true> {
  return scalar(
    'true',
    (node, refusal) => (typedValue(node) === true ? true : refusal()),
    (define) => ({ anyOf: [{ const: true }, variable(define)] }),
    notes,
  );
}

interface NumberOptions extends Notes {
  readonly minimum?: number;
  readonly maximum?: number;
  /** The value has to be greater than this. */
  readonly over?: number;
}

function bounds({ minimum, maximum, over }: NumberOptions): string {
  if (over !== undefined) return ` over ${over}`;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

/** A number within bounds. */
export function number(options: NumberOptions = {}): Definition<number> {
  return numeric('a number', { type: 'number' }, Number.isFinite, options);
}

/** A whole number within bounds, at most ±(2⁵³−1). */
export function integer(options: NumberOptions = {}): Definition<number> {
  const limits = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  return numeric('a whole number', { type: 'integer', ...limits }, Number.isSafeInteger, options);
}

function numeric(
  noun: string,
  schema: JsonSchema,
  fits: (value: number) => boolean,
  options: NumberOptions,
): Definition<number> {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = options;
  const { over = Number.NEGATIVE_INFINITY } = options;
  return scalar(
    `${noun}${bounds(options)}`,
    (node, refusal) => {
      const value = typedValue(node);
      if (typeof value === 'number') {
        return fits(value) && value >= minimum && value <= maximum && value > over
          ? value
          : refusal();
      }
      const quoted = typeof node.value === 'string' && node.origin === 'written';
      if (!quoted) return refusal();
      const read = readVariable(node.value);
      if (typeof read !== 'number') return refusal();
      const isFit = fits(read) && read >= minimum && read <= maximum && read > over;
      return refusal(' in quotes', isFit ? { by: node.value } : undefined);
    },
    (define) => ({
      anyOf: [
        {
          ...schema,
          ...(options.minimum === undefined ? {} : { minimum }),
          ...(options.maximum === undefined ? {} : { maximum }),
          ...(options.over === undefined ? {} : { exclusiveMinimum: over }),
        },
        variable(define),
      ],
    }),
    options,
  );
}

/** A decimal number, as a number or, to be exact, as text. */
export function decimal(options: Notes & { readonly over?: 0 } = {}): Definition<number | string> {
  const pattern = options.over === undefined ? /^-?\d+(\.\d+)?$/ : /^(?=[^1-9]*[1-9])\d+(\.\d+)?$/;
  return scalar(
    `a decimal number${bounds(options)} such as 19.90 or "19.90"`,
    (node, refusal) => {
      const value = typedValue(node);
      if (typeof value === 'number') return value > (options.over ?? -Infinity) ? value : refusal();
      return typeof value === 'string' && pattern.test(value) ? value : refusal();
    },
    (define) => ({
      anyOf: [
        { type: 'number', ...(options.over === undefined ? {} : { exclusiveMinimum: 0 }) },
        { type: 'string', pattern: pattern.source },
        variable(define),
      ],
    }),
    options,
  );
}

interface UnitOptions extends Omit<Notes, 'default'> {
  readonly minimum?: number;
  /** In the smallest unit, as it comes out. */
  readonly default?: number;
}

/** The longest time that a timer of Node can wait: 2³¹−1 ms. */
const longestDuration = 2_147_483_647;
const milliseconds: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const durationPattern = /^(\d+)(ms|s|m|h)?$/;

/** The ms of a duration as code writes it, such as `20s`; undefined if it is none. */
export function readDuration(value: unknown): number | undefined {
  const amount = amountOf(value, durationPattern, milliseconds);
  return amount === undefined || amount > longestDuration ? undefined : amount;
}

/** A time in whole units, `500ms`, `10s`, `5m` or `24h`; a bare number is ms. Gives ms. */
export function duration({ minimum = 0, ...notes }: UnitOptions = {}): Definition<number> {
  const least = minimum === 0 ? '' : `, at least ${minimum} ms`;
  const expects = `a duration such as 500ms, 10s, 5m or 24h${least}`;
  const examples = ['500ms', '10s', '5m'];
  return unit(expects, durationPattern, milliseconds, minimum, longestDuration, {
    examples,
    ...written(notes, milliseconds),
  });
}

/** The longest age, in ms: a hundred years, so that every date before it exists. */
const longestAge = 36_500 * 86_400_000;
const ages: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The shortest age, in ms: a forgotten unit must not delete everything. */
const shortestAge = 60_000;

/** The age of stored data in whole units, such as `90d` or `24h`; a bare number is ms. Gives ms. */
export function age(notes: Omit<UnitOptions, 'minimum'> = {}): Definition<number> {
  const expects = 'an age such as 90d, 24h or 30m, at least 1m';
  return unit(expects, /^(\d+)(s|m|h|d)$/, ages, shortestAge, longestAge, {
    examples: ['90d', '24h'],
    ...written(notes, ages),
  });
}

const bytes: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['k', 1024],
  ['m', 1024 ** 2],
  ['g', 1024 ** 3],
]);
const binary: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

const sizePattern = /^(\d+)([bB]|[kKmMgG][iI]?[bB])?$/;

/** The bytes of a size as code writes it, such as `64kb`; undefined if it is none. */
export function readSize(value: unknown): number | undefined {
  return amountOf(value, sizePattern, bytes);
}

/** A size in whole units of 1,024: `64kb` and `64KiB` are the same; a bare number is bytes. Gives bytes. */
export function size({ minimum = 0, ...notes }: UnitOptions = {}): Definition<number> {
  const least = minimum === 0 ? '' : `, at least ${minimum} B`;
  const expects = `a size such as 64kb or 1MiB${least}`;
  const examples = ['64kb', '1MiB'];
  return unit(expects, sizePattern, bytes, minimum, Number.MAX_SAFE_INTEGER, {
    examples,
    ...written(notes, binary),
  });
}

/** Notes with the default as people write it, in the largest unit of which it is a multiple. */
function written(notes: Omit<UnitOptions, 'minimum'>, units: ReadonlyMap<string, number>): Notes {
  const { default: amount, ...others } = notes;
  if (amount === undefined) return others;
  const [name, factor] = [...units].findLast(
    ([, size]) => amount % size === 0 && amount >= size,
  ) ?? ['', 1];
  return { ...others, default: `${amount / factor}${name}` };
}

/** A whole number of units, as a number or a text; undefined for anything else. */
function amountOf(
  value: unknown,
  pattern: RegExp,
  units: ReadonlyMap<string, number>,
): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  const [, digits, name = ''] = (typeof value === 'string' && pattern.exec(value)) || [];
  const factor = units.get(name) ?? units.get(name.slice(0, 1).toLowerCase());
  const amount = digits === undefined || factor === undefined ? NaN : Number(digits) * factor;
  return Number.isSafeInteger(amount) ? amount : undefined;
}

function unit(
  expects: string,
  pattern: RegExp,
  units: ReadonlyMap<string, number>,
  minimum: number,
  maximum: number,
  notes: Notes,
): Definition<number> {
  return scalar(
    expects,
    ({ value }, refusal) => {
      const amount = amountOf(value, pattern, units);
      if (amount === undefined) return refusal();
      if (amount > maximum) return refusal(`; the most is ${maximum}`);
      return amount >= minimum ? amount : refusal();
    },
    (define) => ({
      anyOf: [
        { type: 'integer', minimum, maximum },
        { type: 'string', pattern: pattern.source },
        withVariable(define),
      ],
    }),
    notes,
  );
}

/** A day of the calendar, `2026-03-01`. */
export function date(notes: Notes = {}): Definition<string> {
  const pattern = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
  const expects = 'a date such as 2026-03-01';
  return refined(text({ ...notes, expects, pattern, format: 'date' }), (day, report) => {
    const exists = new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
    if (!exists) report([], `${quote(day)} is not a day of the calendar`);
  });
}

/** Anything that JSON can hold. */
export function anyJson(notes: Notes = {}): Definition<JsonValue> {
  return {
    expects: 'a value',
    check: jsonValue,
    schema: () => onlyGiven(notes),
  };
}

function jsonValue(node: SourceNode): Checked<JsonValue> {
  if (node.kind === 'scalar') {
    if (node.origin === 'unusable') return invalid;
    return node.plain ? typedValue(node) : node.value;
  }
  if (node.kind === 'list') {
    const items = node.items.map(jsonValue);
    return items.includes(invalid) ? invalid : (items as JsonValue[]);
  }
  const members = Object.create(null) as Record<string, JsonValue>;
  for (const [name, { value }] of node.entries) {
    const member = jsonValue(value);
    if (member === invalid) return invalid;
    members[name] = member;
  }
  return members;
}

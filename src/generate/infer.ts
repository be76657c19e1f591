import type { Field } from '../model/api.ts';
import { formatOf } from '../model/field-types/texts/string.ts';
import { readValue } from '../model/validation/read-value.ts';
import type { JsonValue } from '../specification/specification.ts';
import { anyNumber, numberKinds, rangeOf, shareOfTrue } from './kinds/numbers.ts';
import { flagOf, hasReached, statusesOf } from './kinds/course.ts';
import { booleanSource, momentSource, timeSource } from './kinds/moments.ts';
import { isRare, persona } from './kinds/people.ts';
import { relatedNumber } from './kinds/related.ts';
import { findEnding, tokensOf } from './kinds/names.ts';
import { uuidOf } from './kinds/kind.ts';
import { anyJson, anyText, emailKind, subjectKind, textKinds } from './kinds/texts.ts';
import { ownTokens, type Surroundings } from './surroundings.ts';
import { patternTexts, plainText } from './pattern.ts';
import { listPool, numberPool } from './distinct/pool.ts';
import type { SourceContext, Row, Source } from './source.ts';
import type { Words } from './words/words.ts';

/**
 * The sources for a field by its name, type and constraints, the best first. The last ones satisfy the constraints whatever
 * the name; the list is empty if they allow nothing, and for objects and arrays, which are composed of their parts.
 */
export function inferredSources(
  field: Field,
  isItem: boolean,
  isUnique: boolean,
  words: Words,
  around: Surroundings,
  siblingOf: SourceContext['siblingOf'],
): readonly Source[] {
  const named = ownTokens(field, isItem);
  const tokens = [...around.tokens, ...named];
  const { subject, fields, whole } = around;
  const isPart = field !== whole;
  const context: SourceContext = {
    field,
    tokens,
    prefix: '',
    words,
    subject,
    isPart,
    fields,
    siblingOf,
  };
  if (field.values !== undefined) return [allowedValues(context)].filter(isFilled);
  const { generated } = field.type;
  if (typeof generated === 'function')
    return [{ name: field.type.name, draw: ({ random }) => generated(random, field) }];
  switch (generated) {
    case 'text':
      // Some words have another meaning in the plural: a `label` is a title, `labels` are tags.
      return textSources(
        context,
        isUnique,
        isItem ? [...around.tokens, ...tokensOf(field.name)] : tokens,
      );
    case 'number': {
      const found = findEnding(tokens, numberKinds) ?? findEnding(unbound(tokens), numberKinds);
      const kind = found?.kind ?? anyNumber;
      const { name } = kind;
      const pool = numberPool(field, rangeOf(kind, subject), isUnique);
      if (pool === undefined) return [];
      const related = relatedNumber(name, { ...context, prefix: found?.prefix ?? '' });
      return [
        {
          name,
          pool,
          draw: ({ random }, row) => {
            const value = related?.(row, random, pool);
            return value !== undefined && readValue(jsonOf(value, field), field).ok
              ? value
              : pool.at(random.below(pool.size));
          },
        },
      ];
    }
    case 'boolean': {
      const { default: fallback } = field.attributes;
      const mark = flagOf(tokens, field.resource.name);
      if (mark !== undefined && !isUnique)
        return [{ name: 'datatype.boolean', draw: (_, row) => hasReached(row, mark) }];
      const share = fallback === true ? 0.75 : fallback === false ? 0.25 : shareOfTrue(tokens);
      return [booleanSource(share)];
    }
    case 'day':
    case 'moment':
      return [momentSource(context, isUnique)];
    case 'time':
      return [timeSource(named, isUnique)];
    case 'uuid':
      return [{ name: 'string.uuid', draw: ({ random }) => uuidOf(random) }];
    case 'json': {
      const tags = words.phrases?.tags ?? ['one', 'two', 'three'];
      return [{ name: 'json', draw: ({ random }) => anyJson(random, tags) }];
    }
    case 'id':
    case 'parts':
      return [];
    default:
      return generated satisfies never;
  }
}

/** The words without the end of a range (`salaryMin`, `price: { from, to }`) and without `per …` (`pricePerNight`). */
function unbound(tokens: readonly string[]): readonly string[] {
  const per = tokens.indexOf('per');
  if (per > 0) return tokens.slice(0, per);
  const isEnd = /^(?:min|max|minimum|maximum|from|to|low|high|lowest|highest|lower|upper)$/u;
  return tokens.length > 1 && isEnd.test(tokens.at(-1) ?? '') ? tokens.slice(0, -1) : tokens;
}

/** A number as the field has it in JSON. */
function jsonOf(value: JsonValue, { type, scale }: Field): JsonValue {
  return type.number === 'exact' && typeof value === 'number' ? value.toFixed(scale) : value;
}

function isFilled({ pool }: Source): boolean {
  return pool === undefined || pool.size > 0;
}

/** The allowed values that satisfy the field's other rules; its default half of the time. */
function allowedValues(context: SourceContext): Source {
  const { field } = context;
  const values = (field.values ?? []).filter((value) => readValue(value, field).ok);
  const { default: fallback } = field.attributes;
  const isUsual = fallback !== undefined && values.includes(fallback);
  const fitting = fittingValues(context, values);
  return {
    name: 'helpers.arrayElement',
    args: values,
    pool: listPool(values),
    draw: ({ random }, row) => {
      if (fitting !== undefined) return random.pick(fitting(row));
      return isUsual && random.chance(0.5) ? fallback : random.pick(values);
    },
  };
}

const female = /^(?:f|w|female|woman|weiblich|frau|femme|mme|ms|mrs|miss)$/iu;
const male = /^(?:m|male|man|männlich|maennlich|herr|homme|mr)$/iu;

/** The values that fit the row: of a status its progress, of a gender or salutation its person. Undefined for others. */
function fittingValues(
  context: SourceContext,
  values: readonly JsonValue[],
): ((row: Row) => readonly JsonValue[]) | undefined {
  const { field, tokens, words } = context;
  const last = tokens.at(-1) ?? '';
  if (/^(?:status|state|stage|phase)$/u.test(last)) return statusesOf(values, field.resource.name);
  if (!/^(?:gender|sex|salutation|honorific)$/u.test(last)) return undefined;
  const women = values.filter((value) => female.test(String(value)));
  const men = values.filter((value) => male.test(String(value)));
  const others = values.filter((value) => !women.includes(value) && !men.includes(value));
  if (women.length === 0 || men.length === 0) return undefined;
  return (row) => {
    const { sex, chance } = persona(words, row, tokens.slice(0, -1).join(' '));
    if (others.length > 0 && isRare(chance)) return others;
    return sex === 'female' ? women : men;
  };
}

/** The name endings that formats stand for. */
const formatEndings: Readonly<Record<string, string>> = {
  url: 'url',
  slug: 'slug',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

/** If a pattern allows fewer texts, text around the match is added. */
const fewTexts = { unique: 1_000, other: 2 };

function textSources(
  context: SourceContext,
  isUnique: boolean,
  ofMany: readonly string[],
): readonly Source[] {
  const { field, tokens } = context;
  const { pattern, minLength = 0 } = field.attributes;
  const { text } = field.type;
  const format = formatOf(field);
  const found = findEnding(ofMany, textKinds) ?? findEnding(tokens, textKinds);
  const sources: Source[] = [];
  if (found !== undefined && format !== 'email')
    sources.push(found.kind({ ...context, prefix: found.prefix }));
  if (format === 'email') {
    const prefix = /^(?:(.*) )?(?:e ?mail|mail|email address|mail address)$/u.exec(
      tokens.join(' '),
    )?.[1];
    sources.push(emailKind({ ...context, prefix: prefix ?? '' }));
  } else if (format !== undefined) {
    const kind = textKinds.get(formatEndings[format] ?? '');
    if (kind !== undefined) sources.push(kind(context));
  }
  if (pattern !== undefined) {
    const made = patternsOf(pattern).flatMap(([source, spread]) => {
      const texts = patternTexts(source, spread);
      if (texts === undefined) return [];
      const draw: Source['draw'] = ({ random }) => texts.draw(random);
      const pool = {
        size: texts.size,
        at: (index: number) => texts.at(index, context.words.random),
      };
      return [{ name: 'helpers.fromRegExp', args: pattern, pool, draw }];
    });
    const few = isUnique ? fewTexts.unique : fewTexts.other;
    sources.push(...made.filter(({ pool }) => pool.size >= few));
    sources.push(...made.filter(({ pool }) => pool.size < few));
  }
  const isLong = text === 'long' || minLength > 40;
  if (pattern === undefined && format === undefined) {
    const called = found === undefined && text === 'short' ? subjectKind(context) : undefined;
    sources.push(...(called === undefined ? [] : [called]), anyText(context, isLong));
  }
  sources.push(plainText(field, format, context.words));
  return sources;
}

/** Variants of a pattern: with more or fewer repetitions, and with text around the match. */
function patternsOf(pattern: string): readonly (readonly [source: string, spread: number])[] {
  const before = pattern.startsWith('^') ? '' : '[a-z]{4}';
  const after = pattern.endsWith('$') ? '' : '[a-z]{4}';
  const around = before === '' && after === '' ? [] : [`${before}(?:${pattern})${after}`];
  return [
    ...[8, 3, 0, 20, 60].map((spread) => [pattern, spread] as const),
    ...around.map((source) => [source, 3] as const),
  ];
}

import { breaks } from '../problem-rules.ts';
import type { Field } from '../model/api.ts';
import { readValue } from '../model/validation/read-value.ts';
import { deepestRecord, isTooDeep, wrongValue, type ParsedValue } from '../model/values.ts';
import type { JsonValue } from '../specification/specification.ts';
import { messageOf } from '../lib/message-of.ts';
import { changesOf, customOrProblem, type Transform, type CustomSource } from './custom/custom.ts';
import { distinctText, fitText } from './distinct/fit.ts';
import { inferredSources } from './infer.ts';
import { stepOf } from './kinds/moments.ts';
import { DistinctPlaces } from './distinct/distinct-places.ts';
import type { UserFunctions } from './custom/modules.ts';
import {
  aroundField,
  aroundMembers,
  itemOfRow,
  MembersOfRow,
  rowIn,
  type Surroundings,
} from './surroundings.ts';
import type { Pool } from './distinct/pool.ts';
import { GenerationProblem } from './problem.ts';
import { keyOf, permuted, type Key } from './random.ts';
import { comesTwice, sampleRow, type SourceContext, type Row, type Source } from './source.ts';
import type { Words } from './words/words.ts';

/** What all field generators share. */
export interface FieldContext {
  /** The words of the file's locale. */
  readonly words: Words;
  /** The words of a locale that a resource or field names. */
  readonly wordsIn: (locale: string) => Words;
  readonly functions: UserFunctions;
  readonly seed: number;
  readonly siblingOf: (around: Surroundings) => SourceContext['siblingOf'];
}

/** How many draws are tried for a valid value, for an item of a list, and to judge a source. */
const attempts = 40;
const fewAttempts = 5;
const samples = 12;
/** The share of nulls in fields with `nullable: true`. */
const nullShare = 0.1;
/** Fields that are mostly null. */
const emptyNames =
  /^(?:deleted|archived|cancelled|canceled|banned|blocked)(?:At|On|Date|_at|_on)?$/u;
/** Whether any text is a value, but for what the field's rules say. */
function takesTexts({ type }: Field): boolean {
  return (type.kind === 'string' && type.generated === 'text') || type.json === 'any';
}

/** Generates the values of one field, or of a part of one. */
export class FieldGenerator {
  readonly field: Field;
  readonly custom: CustomSource | undefined;
  private readonly path: readonly (string | number)[];
  private readonly place: string;
  private readonly around: Surroundings;
  private readonly key: Key;
  private readonly context: FieldContext;
  private readonly words: Words;
  private readonly isItem: boolean;
  private readonly changes: readonly Transform[];
  private readonly members: ReadonlyMap<string, FieldGenerator>;
  private readonly items: FieldGenerator | undefined;
  private readonly emptyShare: number;
  /** For the moment of a step: whether the row has reached it. Otherwise it is null if allowed. */
  private readonly isReached: ((row: Row) => boolean) | undefined;
  private isDistinct: boolean;
  private turns: DistinctPlaces | undefined;
  private candidates: readonly Source[] | undefined;
  private chosen: Source | undefined;

  constructor(
    field: Field,
    path: readonly (string | number)[],
    place: string,
    context: FieldContext,
    outerWords: Words,
    around = aroundField(field),
    isItem = false,
  ) {
    const { functions, seed } = context;
    const { locale } = field.attributes;
    const words = locale === undefined ? outerWords : context.wordsIn(locale);
    this.words = words;
    this.field = field;
    this.path = path;
    this.place = place;
    this.around = around;
    this.context = context;
    this.isItem = isItem;
    this.key = keyOf(seed, field.resource.name, place);
    this.custom = customOrProblem(field, path, words, functions);
    this.changes = changesOf(field, words, functions);
    this.isDistinct = field.unique;
    const mayBeEmpty =
      field.nullable && (field.attributes.nullable === true || emptyNames.test(field.name));
    this.emptyShare = !mayBeEmpty ? 0 : emptyNames.test(field.name) ? 0.9 : nullShare;
    this.isReached = this.custom === undefined && !isItem ? stepOf(field) : undefined;
    const part = (inner: Field, name: string, ...below: readonly string[]): FieldGenerator =>
      new FieldGenerator(
        inner,
        [...path, ...below],
        `${place}.${name}`,
        context,
        words,
        below.length === 1 ? around : aroundMembers(field, around, isItem),
        below.length === 1,
      );
    const isWhole = this.custom === undefined && field.type.json === 'object';
    this.members = new Map(
      isWhole
        ? [...(field.properties ?? [])].map(([name, property]) => [
            name,
            part(property, name, 'properties', name),
          ])
        : [],
    );
    this.items =
      this.custom === undefined && field.items !== undefined
        ? part(field.items, '[]', 'items')
        : undefined;
  }

  /** From now on values are distinct. */
  makeDistinct(): void {
    if (this.isDistinct) return;
    this.isDistinct = true;
    this.candidates = undefined;
    this.chosen = undefined;
  }

  /** Whether values are distinct. */
  get isDistinctValue(): boolean {
    return this.isDistinct;
  }

  /** All values of the field; undefined if they cannot be listed. */
  get pool(): Pool | undefined {
    if (this.isOpen(this.source) || this.changes.length > 0) return undefined;
    return this.source.pool;
  }

  /** Whether any number of rows can have distinct values. */
  get isEndless(): boolean {
    return this.isOpen(this.source);
  }

  /** Whether the source that the file names soon repeats values. */
  get repeats(): boolean {
    const { custom } = this;
    const isTold = custom === undefined || custom.isDistinct || custom.pool !== undefined;
    if (isTold || this.isEndless) return false;
    return comesTwice(this.words, (row) => this.attempt(custom, row, 0));
  }

  /** The order of distinct values, if rows are added beside stored ones (`others`) and the values can be listed. */
  distinctPlacesFor(others: boolean): DistinctPlaces | undefined {
    const pool = others && this.isDistinct ? this.source.pool : undefined;
    const values = pool && { fields: [this.field], size: pool.size, valueAt: pool.at };
    this.turns = values && new DistinctPlaces(values, this.key);
    return this.turns;
  }

  /** Whether texts of a source can be made distinct by a number. */
  private isOpen({ pool }: Source): boolean {
    const { values, pattern, attributes } = this.field;
    if (!takesTexts(this.field) || values !== undefined) return false;
    if (pool === undefined) return true;
    // A name that is cut keeps its meaning longer than a composed text.
    const room = this.custom === undefined ? 4 : 12;
    return (
      pattern === undefined && this.custom?.kind !== 'values' && (attributes.maxLength ?? 40) > room
    );
  }

  /** The greatest number of rows. */
  get capacity(): number {
    return this.field.nullable ? Infinity : this.distinctValues;
  }

  /** The number of distinct values, if they must be distinct. Further rows of a nullable field are null. */
  get distinctValues(): number {
    if (!this.isDistinct || this.isOpen(this.source)) return Infinity;
    return this.source.pool?.size ?? Infinity;
  }

  /** Warnings about the sources that the file names for the field and its parts, with their paths. */
  warnings(): readonly (readonly [place: readonly (string | number)[], message: string])[] {
    const { custom, path } = this;
    const parts = [...this.members.values(), ...(this.items === undefined ? [] : [this.items])];
    return [
      ...(custom?.warnings?.() ?? []).map(
        (message) => [[...path, custom?.attribute ?? ''], `${custom?.name}: ${message}`] as const,
      ),
      ...parts.flatMap((part) => part.warnings()),
    ];
  }

  /** The source of the values: of several inferred ones, the first whose values are valid. */
  get source(): Source {
    this.chosen ??= this.choose();
    return this.chosen;
  }

  /** The value of a row; another `draw` gives another one. Throws a `GenerationProblem` if the field cannot have one. */
  make(whole: Row, draw = 0): JsonValue {
    const { random } = this.words;
    const { locale } = this.field.attributes;
    const row = locale === undefined ? whole : rowIn(locale, whole);
    if (this.emptyShare > 0) {
      if (this.isReached !== undefined) return this.isReached(row) ? this.part(row, draw) : null;
      random.start(this.key, row.number, -1);
      if (random.chance(this.emptyShare)) return null;
    }
    return this.part(row, draw);
  }

  /** One of the values of a row: an item of a list, or the value itself. */
  private part(row: Row, index: number): JsonValue {
    if (this.items !== undefined) return this.checked(this.list(row, this.items, index));
    if (this.members.size > 0) {
      const { random } = this.words;
      const part = new MembersOfRow(row, (name) =>
        random.keeping(() => this.members.get(name)?.makePart(part, index)),
      );
      return this.checked(
        Object.fromEntries(
          [...this.members.keys()].map((name) => [name, part.member(name) ?? null]),
        ),
      );
    }
    const first = this.source;
    let failed: ParsedValue | undefined;
    for (const source of [first, ...this.sources.filter((other) => other !== first)]) {
      const tries = this.isDistinct && source.pool !== undefined ? 1 : attempts;
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const parsed = this.attempt(source, row, index * attempts + attempt);
        if (parsed.ok) return parsed.value;
        failed ??= parsed;
      }
    }
    throw this.refused(first, failed);
  }

  private makePart(row: Row, index: number): JsonValue {
    const { random } = this.words;
    if (this.emptyShare > 0) {
      random.start(this.key, row.number, -1 - index);
      if (random.chance(this.emptyShare)) return null;
    }
    return this.part(row, index);
  }

  private list(row: Row, items: FieldGenerator, index: number): readonly JsonValue[] {
    const { minItems, maxItems = Infinity, uniqueItems = false } = this.field.attributes;
    const { random } = this.words;
    random.start(this.key, row.number, index);
    const least = Math.min(minItems ?? 1, maxItems);
    const count = random.between(least, Math.min(maxItems, Math.max(least, 4)));
    const list: JsonValue[] = [];
    const seen = new Set<string>();
    // Words are not repeated while there are others.
    const isOnce = uniqueItems || takesTexts(items.field);
    const most = count * (uniqueItems ? attempts : fewAttempts);
    for (let tried = 0; list.length < count && tried < most; tried += 1) {
      const number = index * 997 + tried;
      const item = items.makePart(itemOfRow(row, `${this.place} ${number}`), number);
      const text = JSON.stringify(item);
      const isLeft = uniqueItems || count - list.length < most - tried;
      if (isOnce && isLeft && seen.has(text)) continue;
      seen.add(text);
      list.push(item);
    }
    if (!uniqueItems || list.length >= least) return list;
    const isPlain = items.items === undefined && items.members.size === 0;
    const pool = isPlain ? items.distinctPool : undefined;
    // With few values, random draws may miss some: take them in order.
    for (let place = 0; list.length < least && place < (pool?.size ?? 0); place += 1) {
      const item = pool?.at(place) ?? null;
      if (!seen.has(JSON.stringify(item))) list.push(item);
    }
    // Texts that are all cut to the same one get a number.
    const first = list.find((item) => typeof item === 'string');
    if (first !== undefined && takesTexts(items.field))
      for (let number = 1; list.length < least && number <= least * 2; number += 1) {
        const item = distinctText(first, number, items.field);
        if (!list.includes(item) && readValue(item, items.field).ok) list.push(item);
      }
    return list;
  }

  /** Validates a value that was composed of valid parts. */
  private checked(value: JsonValue): JsonValue {
    const parsed = readValue(value, this.field);
    if (parsed.ok) return parsed.value;
    throw this.refused(undefined, parsed);
  }

  private attempt(source: Source, row: Row, attempt: number): ParsedValue {
    const { words } = this;
    const { pool } = source;
    words.random.start(this.key, row.number, attempt);
    let value: unknown;
    let isNumbered = !this.isDistinct || this.custom?.isDistinct === true;
    if (this.isDistinct && pool !== undefined) {
      const place = this.turns?.indexOf(row.number) ?? row.number - 1;
      // All values once, then again with numbers.
      if (place >= pool.size && !this.isOpen(source)) value = null;
      else value = pool.at(permuted(place, pool.size, this.key));
      isNumbered = place < pool.size;
    } else {
      const from = this.custom === undefined ? row : row.whole;
      value = this.called(source.name, this.custom?.attribute, () => source.draw(words, from));
    }
    for (const change of this.changes)
      value = this.called('a transform', 'transform', () => change(value, row.whole));
    if (isTooDeep(value))
      return wrongValue(
        `must not be nested deeper than ${deepestRecord - 1} levels`,
        breaks('depth', { max: deepestRecord - 1 }),
      );
    return readValue(this.fitted(this.converted(value), row, isNumbered), this.field);
  }

  /** Calls a function that the file names; an exception is a problem of the file. */
  private called(name: string, attribute: string | undefined, call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      if (error instanceof GenerationProblem || attribute === undefined) throw error;
      throw new GenerationProblem([...this.path, attribute], `${name} failed: ${messageOf(error)}`);
    }
  }

  private fitted(value: unknown, row: Row, isNumbered: boolean): unknown {
    const { attributes, values, pattern } = this.field;
    if (typeof value !== 'string' || !takesTexts(this.field) || values !== undefined) return value;
    const isBound = attributes.maxLength !== undefined || attributes.minLength !== undefined;
    const text = isBound && pattern === undefined ? fitText(value, this.field) : value;
    const isCut = this.isDistinct && text !== value;
    const isChanged = this.isDistinct && this.changes.length > 0 && !this.custom?.isDistinct;
    if (isNumbered && !isCut && !isChanged) return text;
    // A text with a pattern cannot get a number.
    if (pattern !== undefined && isNumbered) return text;
    return this.isDistinct && this.custom?.kind !== 'module'
      ? distinctText(text, row.number, this.field)
      : text;
  }

  /** A drawn value in the JSON form of the field's type. */
  private converted(value: unknown): unknown {
    const { type, scale } = this.field;
    if (value === undefined) return null;
    if (value instanceof Date) {
      if (Number.isNaN(value.getTime())) return null;
      const text = value.toISOString();
      return type.drawn?.word === 'now' ? type.drawn.of(text, this.field) : text;
    }
    if (typeof value === 'bigint') return this.converted(Number(value));
    if (typeof value !== 'number') return value;
    if (type.number === 'exact' && Math.abs(value) < 1e15) return value.toFixed(scale);
    return takesTexts(this.field) && type.json !== 'any' ? String(value) : value;
  }

  private get sources(): readonly Source[] {
    this.candidates ??= this.custom === undefined ? this.inferred(this.isDistinct) : [this.custom];
    return this.candidates;
  }

  private inferred(isDistinct: boolean): readonly Source[] {
    const { field, isItem, around } = this;
    const { words } = this;
    const { siblingOf } = this.context;
    return inferredSources(field, isItem, isDistinct, words, around, siblingOf(around));
  }

  /** Distinct values, from the source or from one inferred for a unique field. */
  private get distinctPool(): Pool | undefined {
    if (this.source.pool !== undefined || this.custom !== undefined) return this.source.pool;
    return this.inferred(true).find(({ pool }) => pool !== undefined)?.pool;
  }

  private choose(): Source {
    // Objects and arrays are composed of their parts.
    if (this.items !== undefined || this.members.size > 0)
      return { name: this.field.type.name, draw: () => null };
    const { sources } = this;
    const [first] = sources;
    if (first === undefined)
      throw new GenerationProblem(this.path, 'its constraints leave no value', 'warning');
    // A single source is judged by the values that it gives.
    if (sources.length === 1) return first;
    const { random } = this.words;
    const judged = sources.map((source) => {
      let good = 0;
      random.keeping(() => {
        for (let number = 1; number <= samples; number += 1)
          if (this.attempt(source, sampleRow(number, this.words), 0).ok) good += 1;
      });
      return { source, good };
    });
    const best = judged.find(({ good }) => good === samples) ?? judged.find(({ good }) => good > 0);
    return best?.source ?? first;
  }

  private refused(source: Source | undefined, parsed: ParsedValue | undefined): GenerationProblem {
    const issues = parsed === undefined || parsed.ok ? [] : parsed.issues;
    const who = (path: string): string => (path === '' ? 'it' : `its ${path.replace(/^\./, '')}`);
    const reasons = new Set(issues.map(({ path, message }) => `${who(path)} ${message}`));
    const reason = [...reasons].join(' and ');
    const { custom, path } = this;
    if (custom === undefined)
      return new GenerationProblem(
        path,
        `no value was found that satisfies it: ${reason === '' ? 'it allows none' : reason}; give it values, a template or a generator`,
        'warning',
      );
    return new GenerationProblem(
      [...path, custom.attribute],
      `${source?.name ?? custom.name} gives values that the field does not take: ${reason}`,
    );
  }
}

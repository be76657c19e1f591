import {
  check,
  either,
  invalid,
  refuse,
  subject,
  type Checked,
  type Definition,
  type JsonSchema,
  type TypeOf,
} from './definition.ts';
import type { Collector } from './collector.ts';
import { lostBy } from './left-out.ts';
import type { NameRule } from './names.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { formatPath, quote, type MapNode, type Path, type SourceNode } from '../yaml/node.ts';

interface ListOptions {
  readonly description?: string;
  readonly default?: readonly string[];
  readonly expects?: string;
  /** The fewest items; default 0. */
  readonly minimum?: 0 | 1;
  /** No duplicate items (only for text and numbers). */
  readonly distinct?: boolean;
}

/** A list with one definition for its items. */
export function list<T>(item: Definition<T>, options: ListOptions = {}): Definition<readonly T[]> {
  const { description, minimum = 0, distinct = false } = options;
  const expects = options.expects ?? `a list, each item ${item.expects}`;
  return {
    expects,
    members: new Map([['*', item]]),
    check: (node, path, collector) => {
      if (node.kind !== 'list') return refuse(expects, node, path, collector);
      if (node.items.length < minimum) {
        return refuse(expects, node, path, collector, '; it needs at least one item');
      }
      const items = node.items.map((value, index) =>
        check(item, value, [...path, index], collector),
      );
      if (distinct) reportRepeated(items, path, collector);
      return items.includes(invalid) ? invalid : (items as readonly T[]);
    },
    schema: (define) => ({
      type: 'array',
      ...(description === undefined ? {} : { description }),
      ...(options.default === undefined ? {} : { default: options.default }),
      ...(minimum === 0 ? {} : { minItems: minimum }),
      ...(distinct ? { uniqueItems: true } : {}),
      items: item.schema(define),
    }),
  };
}

function reportRepeated(items: readonly unknown[], path: Path, collector: Collector): void {
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    if (item !== invalid && seen.has(item)) {
      const message = `${quote(String(item))} stands in ${subject(path)} twice`;
      collector.report([...path, index], message, 'error', { rule: 'duplicate-item' });
    }
    seen.add(item);
  }
}

/**
 * Keys that are the user's own anywhere in the file, such as places for anchors of YAML. See
 * docs/contract/1-specification-file.md#file, rule 8.
 */
const ownKey = /^x-/u;
const ownKeys: JsonSchema = { patternProperties: { [ownKey.source]: {} } };

function withoutOwnKeys(node: MapNode): MapNode {
  const entries = [...node.entries];
  const known = entries.filter(([name]) => !ownKey.test(name));
  return known.length === entries.length ? node : { ...node, entries: new Map(known) };
}

interface MapOptions<S> {
  readonly description?: string;
  readonly expects?: string;
  /** The fewest entries; default 0. */
  readonly minimum?: 0 | 1;
  /** Other definitions for entries with certain names. */
  readonly special?: Readonly<Record<string, Definition<S>>>;
  /** Omit invalid entries, so that other problems are reported in the same run. */
  readonly partial?: boolean;
}

/** A map with names that the user chooses by a rule. The result has no prototype, so any name is safe in it. */
export function map<T, S extends T = T>(
  names: NameRule,
  value: Definition<T>,
  options: MapOptions<S> = {},
): Definition<Readonly<Record<string, T>>> {
  const { description, minimum = 0, special = {}, partial = false } = options;
  const expects = options.expects ?? `a map, each value ${value.expects}`;
  return {
    expects,
    members: new Map([['*', value]]),
    check: (given, path, collector) => {
      if (given.kind !== 'map') return refuse(expects, given, path, collector);
      const node = names.hasAnyKeys === true ? given : withoutOwnKeys(given);
      if (node.entries.size < minimum) {
        return refuse(expects, node, path, collector, '; it needs at least one entry');
      }
      const result = Object.create(null) as Record<string, T>;
      const refused = checkNames(names, node, path, collector);
      let complete = refused.size === 0;
      for (const [name, entry] of node.entries) {
        const definition = Object.hasOwn(special, name) ? (special[name] ?? value) : value;
        const at = [...path, name];
        const place = partial ? keyBeside(at, entry.value, collector) : undefined;
        const checked =
          place === undefined
            ? check(definition, entry.value, at, collector)
            : refuse(value.expects, entry.value, at, collector, `; did you mean ${quote(place)}?`);
        if (checked === invalid) complete = false;
        if (checked !== invalid && !refused.has(name)) result[name] = checked;
        else if (partial) collector.leaveOut(lostBy(path, name, entry.value));
      }
      return complete || partial ? result : invalid;
    },
    schema: (define) => ({
      type: 'object',
      ...(description === undefined ? {} : { description }),
      ...(minimum === 0 ? {} : { minProperties: minimum }),
      propertyNames: {
        pattern:
          names.hasAnyKeys === true
            ? names.pattern.source
            : `${ownKey.source}|${names.pattern.source}`,
      },
      ...(names.hasAnyKeys === true ? {} : ownKeys),
      ...(Object.keys(special).length === 0
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(special).map(([name, definition]) => [
                name,
                definition.schema(define),
              ]),
            ),
          }),
      additionalProperties: value.schema(define),
    }),
  };
}

/** The right position of an entry that belongs beside its map. An entry that is not a map is never a definition. */
function keyBeside(at: Path, { kind }: SourceNode, collector: Collector): string | undefined {
  const place = kind === 'map' ? undefined : collector.placeOf(at);
  return place === formatPath([...at.slice(0, -2), ...at.slice(-1)]) ? place : undefined;
}

/** Reports names that the rule rejects or advises against; returns the rejected ones. */
function checkNames(
  names: NameRule,
  node: MapNode,
  path: Path,
  collector: Collector,
): ReadonlySet<string> {
  const refused = new Set<string>();
  const twins = new Map<string, string>();
  for (const name of node.entries.keys()) {
    const twin = twins.get(name.toLowerCase());
    if (twin === undefined) twins.set(name.toLowerCase(), name);
    const refusal = names.pattern.test(name)
      ? twin !== undefined && names.caseless
        ? `${quote(name)} differs from ${quote(twin)} in case only; rename one`
        : undefined
      : names.refusal(name);
    const advice =
      refusal === undefined
        ? names.advice?.(name, node.entries, collector.operatorSuffixes)
        : undefined;
    if (refusal !== undefined) {
      refused.add(name);
      collector.reportKey([...path, name], refusal, 'error', { rule: 'name' });
    }
    if (advice !== undefined)
      collector.reportKey([...path, name], advice, 'warning', { rule: 'name-advice' });
  }
  return refused;
}

/** A required member. */
export type Required<D> = D & { readonly required: true };

/** Marks a member of an object as required. */
export function required<T>(definition: Definition<T>): Required<Definition<T>> {
  return { ...definition, required: true };
}

export type Members = Readonly<Record<string, Definition<unknown>>>;

type RequiredKeys<M> = {
  [K in keyof M]: M[K] extends { readonly required: true } ? K : never;
}[keyof M];

/** The type of an object with these members. */
export type ObjectOf<M> = Flat<
  { readonly [K in RequiredKeys<M>]: TypeOf<M[K]> } & {
    readonly [K in Exclude<keyof M, RequiredKeys<M>>]?: TypeOf<M[K]>;
  }
>;
export type Flat<T> = { [K in keyof T]: T[K] };

interface ObjectOptions {
  readonly description?: string;
  readonly expects?: string;
  /** Members that are allowed and ignored. */
  readonly ignored?: Members;
  /** The message for an unknown key of a map; undefined for the usual one. */
  readonly unknown?: (name: string, node: MapNode, path: Path) => string | undefined;
  /** What a missing member has to be, for the map that lacks it; undefined for what the member expects. */
  readonly missing?: (name: string, node: MapNode, path: Path) => string | undefined;
  /** Suggestions for an unknown key; by default the members. */
  readonly candidates?: Iterable<string>;
  /** Other names of members in use elsewhere → the names here. */
  readonly otherNames?: ReadonlyMap<string, readonly string[]>;
  /** A member that is a map, and how to recognize an entry of it that is beside it by mistake. */
  readonly astray?: { readonly from: string; readonly is: (value: SourceNode) => boolean };
}

/**
 * A map with known members. Unknown ones are reported. An invalid optional member is omitted from
 * the result, a required one makes the whole invalid.
 */
export function object<M extends Members>(
  members: M,
  options: ObjectOptions = {},
): Definition<ObjectOf<M>> {
  const {
    description,
    ignored = {},
    unknown,
    missing,
    otherNames = new Map<string, readonly string[]>(),
    astray,
  } = options;
  const table = new Map(Object.entries(members));
  const candidates = [...(options.candidates ?? table.keys())];
  const needed = [...table].filter(([, member]) => isRequired(member));
  const expects = options.expects ?? `a map with ${mainMembers(table, needed)}`;
  const checkMembers = (node: MapNode, path: Path, collector: Collector): Checked<ObjectOf<M>> => {
    const result: Record<string, unknown> = {};
    let complete = true;
    // A member under a wrong name is not reported as missing as well.
    const meant = new Set<string>();
    const strays: string[] = [];
    for (const [name, { value }] of node.entries) {
      const member = table.get(name);
      const at = [...path, name];
      if (member !== undefined) {
        const checked = check(member, value, at, collector);
        if (checked !== invalid) result[name] = checked;
        else if (isRequired(member)) complete = false;
      } else if (astray?.is(value) === true) {
        strays.push(name);
        collector.leaveOut(lostBy([...path, astray.from], name, value));
      } else if (!Object.hasOwn(ignored, name)) {
        const glued = /^(\w+):/u.exec(name)?.[1];
        const called = otherNames.get(name)?.find((one) => table.has(one));
        const near = called ?? meantBy(name, candidates, collector.placeOf(at));
        const isGlued = glued !== undefined && candidates.includes(glued);
        const own = isGlued ? undefined : unknown?.(name, node, path);
        const words = isGlued
          ? `a blank is missing behind the \`:\` of ${quote(name)}`
          : (own ?? unknownKey(name, candidates, near));
        const isKeyHere = own === undefined && near !== undefined && near !== name;
        const instead = isGlued
          ? { of: `${glued}:`, by: `${glued}: ` }
          : isKeyHere && (table.has(near) || Object.hasOwn(ignored, near))
            ? { of: name, by: near }
            : undefined;
        collector.reportKey(at, words, 'error', { rule: 'unknown-key', instead });
        meant.add(glued ?? near ?? name);
      }
    }
    const [first] = strays;
    if (first !== undefined && astray !== undefined) {
      meant.add(astray.from);
      collector.reportKey([...path, first], strayed(strays, astray.from, path), 'error', {
        rule: 'indentation',
      });
    }
    for (const [name, { expects }] of needed) {
      if (node.entries.has(name)) continue;
      complete = false;
      if (meant.has(name)) continue;
      const wanted = missing?.(name, node, path) ?? expects;
      const message = `${subject(path)} needs ${quote(name)}: ${wanted}`;
      collector.reportKey(path, message, 'error', { rule: 'missing-key' });
    }
    return complete ? (result as ObjectOf<M>) : invalid;
  };
  return {
    expects,
    members: table,
    check: (node, path, collector) =>
      node.kind === 'map'
        ? checkMembers(withoutOwnKeys(node), path, collector)
        : refuse(expects, node, path, collector),
    schema: (define) => ({
      type: 'object',
      ...(description === undefined ? {} : { description }),
      ...(needed.length === 0 ? {} : { required: needed.map(([name]) => name) }),
      properties: Object.fromEntries(
        [...Object.entries(ignored), ...table].map(([name, member]) => [
          name,
          member.schema(define),
        ]),
      ),
      ...ownKeys,
      additionalProperties: false,
    }),
  };
}

/** The members that a message names: the required ones, or else all. */
function mainMembers(
  table: ReadonlyMap<string, unknown>,
  needed: readonly (readonly [string, unknown])[],
): string {
  return needed.length > 0
    ? needed.map(([name]) => quote(name)).join(' and ')
    : either([...table.keys()].map(quote));
}

/** The message for entries that are beside their map, or whose map is beside its owner. */
function strayed(names: readonly string[], map: string, path: Path): string {
  const shown = names.slice(0, 3).map(quote);
  const more = names.length - shown.length;
  const all = more === 0 ? either(shown, 'and') : `${shown.join(', ')} and ${more} more`;
  const verb = names.length === 1 ? 'belongs' : 'belong';
  return path.at(-1) === map
    ? `${quote(map)}, with ${all}, belongs to the entry above it; indent it further`
    : `${all} ${verb} below ${quote(map)}; indent ${names.length === 1 ? 'it' : 'them'} further`;
}

function isRequired(member: Definition<unknown>): boolean {
  return 'required' in member && member.required === true;
}

/**
 * The hint for a key that does not exist here: the position where this name does exist, unless another form of the
 * name exists here; otherwise the nearest name.
 */
function meantBy(
  name: string,
  names: readonly string[],
  place: string | undefined,
): string | undefined {
  const here = nearest(name, names);
  const isForm = here?.toLowerCase().startsWith(name.toLowerCase()) === true;
  return isForm ? here : (place ?? here);
}

function unknownKey(name: string, names: readonly string[], near: string | undefined): string {
  if (near === name) return `unknown key ${quote(name)}; it belongs at the top of the file`;
  if (near !== undefined) return `unknown key ${quote(name)}; did you mean ${quote(near)}?`;
  const others = names.length <= 12 ? `; known here: ${names.map(quote).join(', ')}` : '';
  return `unknown key ${quote(name)}${others}`;
}

interface AlternativeOptions {
  readonly description?: string;
  readonly expects?: string;
}

/** One of several definitions; `pick` chooses by the form of the value, so that messages are about the chosen one. */
export function oneOf<const D extends readonly Definition<unknown>[]>(
  alternatives: D,
  pick: (node: SourceNode) => D[number] | undefined,
  options: AlternativeOptions = {},
): Definition<TypeOf<D[number]>> {
  const { description } = options;
  const expects = options.expects ?? either(alternatives.map((definition) => definition.expects));
  return {
    expects,
    members: new Map(alternatives.flatMap(({ members = [] }) => [...members])),
    check: (node, path, collector) => {
      const definition = pick(node);
      if (definition === undefined) return refuse(expects, node, path, collector);
      const wanted = node.kind === 'scalar' ? expects : undefined;
      return check(definition, node, path, collector, wanted) as Checked<TypeOf<D[number]>>;
    },
    schema: (define) => ({
      ...(description === undefined ? {} : { description }),
      anyOf: alternatives.map((definition): JsonSchema => definition.schema(define)),
    }),
  };
}

/** One definition for scalars and another for maps. */
export function scalarOrMap<A, B>(
  scalar: Definition<A>,
  map: Definition<B>,
  options: AlternativeOptions = {},
): Definition<A | B> {
  const kinds = { scalar, map, list: undefined };
  return oneOf([scalar, map], ({ kind }) => kinds[kind], options);
}

/** One definition for scalars and another for lists. */
export function scalarOrList<A, B>(
  scalar: Definition<A>,
  list: Definition<B>,
  options: AlternativeOptions = {},
): Definition<A | B> {
  const kinds = { scalar, list, map: undefined };
  return oneOf([scalar, list], ({ kind }) => kinds[kind], options);
}

import {
  groupKinds,
  isGroup,
  parseGroup,
  type Group,
  type GroupKind,
  type Pair,
} from '../filter/group.ts';
import { isIndexed, searchWords } from '../search/words.ts';
import { either } from '../../specification/parsers/definition.ts';
import { nearest } from '../../lib/text/nearest.ts';
import {
  groupParameters,
  isGroupParameter,
  isOfMany,
  isOn,
  isParameter,
  parameterNames,
  parameters,
  type ParameterName,
  type RequestKind,
} from './parameters.ts';
import { decode, type QueryProblem } from './problem.ts';

/** One filter of a request, not yet resolved. */
export interface Condition {
  readonly name: string;
  readonly value: string;
  /** The index of its value among the bound texts. */
  readonly source: number;
}

/** A parsed query string. Names are not resolved yet, and values are texts. */
export interface Query {
  /** As it was sent. */
  readonly raw: string;
  readonly reserved: ReadonlyMap<ParameterName, string>;
  /** Indexes of bound reserved parameters among the texts. */
  readonly sources: ReadonlyMap<ParameterName, number>;
  readonly conditions: readonly Condition[];
  /** The indexes of the words of `search` among the texts. */
  readonly search: readonly number[];
  /** How many of these words are long enough for an index; they come first. */
  readonly longWords: number;
  /** One group for each `_and`, `_or` and `_not`. */
  readonly groups: readonly Group<Condition>[];
  /** The conditions on groups: one `and` for each `having`. */
  readonly having: readonly Group<Condition>[];
  readonly texts: readonly string[];
  /** Equal for requests that differ only in bound values. */
  readonly planKey: string;
  readonly debug: boolean;
  /** Problems of the syntax. Planning adds those of names. */
  readonly problems: readonly QueryProblem[];
}

/** A query string without parameters. */
export const emptyQuery: Query = {
  raw: '',
  reserved: new Map(),
  sources: new Map(),
  conditions: [],
  search: [],
  longWords: 0,
  groups: [],
  having: [],
  texts: [],
  planKey: '',
  debug: false,
  problems: [],
};

/** Kinds of request in messages. */
const requestNames: Readonly<Record<RequestKind, string>> = {
  list: 'a list',
  read: 'a read of one record',
  create: 'a create',
  replace: 'a replace',
  update: 'an update',
  delete: 'a delete',
  updateMany: 'a change of many records',
  deleteMany: 'a delete of many records',
};

/** Parameters that take a list of names: `fields=a,b`. */
const lists: ReadonlySet<string> = new Set([
  'sort',
  'fields',
  'exclude',
  'expand',
  'group',
  'aggregate',
]);

/** The right syntax for `sort[]=a&sort[]=b`, `fields[posts]=title` or `page[size]=2`, by the name before the bracket. */
const withoutBrackets: ReadonlyMap<string, string> = new Map([
  ...[...lists].map((name) => [name, `several as ${name}=a,b`] as const),
  ...groupKinds.map((kind) => [`_${kind}`, `_${kind}=field:value,field:value`] as const),
  ['having', 'having=count_gte:2,sum.field_gt:100'],
  ['page', 'page=2&limit=10'],
]);

/** The right syntax for `id[]=1&id[]=2` (several values), `price[gte]=5` (operators) and `author[name]=Bob` (paths). */
const filterWithoutBrackets =
  'field_operator=value, relation.field=value, and several values as field_in=a,b';

/** Collects the parts of a query string, in their order. */
class QueryReader {
  readonly reserved = new Map<ParameterName, string>();
  readonly sources = new Map<ParameterName, number>();
  readonly conditions: Condition[] = [];
  readonly search: number[] = [];
  longWords = 0;
  readonly groups: Group<Condition>[] = [];
  readonly having: Group<Condition>[] = [];
  readonly texts: string[] = [];
  readonly problems: QueryProblem[] = [];
  readonly raw: string;
  readonly kind: RequestKind;
  planKey = '';
  debug = false;

  constructor(raw: string, kind: RequestKind) {
    this.raw = raw;
    this.kind = kind;
  }

  add(name: string, value: string): void {
    if (isParameter(name)) this.addReserved(name, value);
    else if (/[[\]]/u.test(name)) this.refuse(name, bracketsMessage(name));
    else if (this.kind === 'read' || isOfMany(this.kind))
      this.conditions.push(this.condition(name, value));
    else this.refuse(name, this.filterMessage(name));
  }

  private filterMessage(name: string): string {
    const what = name.includes('.') ? 'filters and parameters of what is expanded' : 'filters';
    const filters = `${what} make no sense on ${requestNames[this.kind]}`;
    const guess = nearest(
      name,
      parameterNames.filter((parameter) => isOn(parameter, this.kind)),
    );
    return guess === undefined ? filters : `${filters}; did you mean ${guess}?`;
  }

  refuse(
    parameter: string,
    message: string,
    code: QueryProblem['code'] = 'INVALID_PARAMETER',
    max?: number,
  ): void {
    const last = this.problems.at(-1);
    // A repeated parameter gets each problem once.
    if (last?.parameter !== parameter || last.message !== message)
      this.problems.push({ parameter, code, message, max });
    // No valid request contains an empty name, so a rejected one never shares its plan key.
    this.planKey += '&=';
  }

  private addReserved(name: ParameterName, value: string): void {
    const { part } = parameters[name];
    if (!isOn(name, this.kind)) {
      this.refuse(name, `makes no sense on ${requestNames[this.kind]}`);
    } else if (isGroupParameter(name)) {
      this.addGroup(groupParameters[name], value);
    } else if (name === 'having') {
      this.addHaving(value);
    } else if (this.reserved.has(name)) {
      const hint = lists.has(name) ? `; write several as ${name}=a,b` : '';
      this.refuse(name, `is given more than once${hint}`);
    } else if (part === 'debug') {
      this.addDebug(name, value);
    } else if (name === 'search') {
      this.reserved.set(name, value);
      this.addSearch(value);
    } else if (part === 'write') {
      this.reserved.set(name, value);
    } else {
      this.reserved.set(name, value);
      this.planKey += `&${name}=`;
      if (part === 'plan') this.planKey += encodeURIComponent(value);
      else {
        this.sources.set(name, this.texts.length);
        this.texts.push(value);
      }
    }
  }

  private addSearch(value: string): void {
    const words = searchWords(value);
    if (!words.ok) {
      this.refuse('search', words.error);
      return;
    }
    const long = words.value.filter(isIndexed);
    const short = words.value.filter((word) => !isIndexed(word));
    this.longWords = long.length;
    this.planKey += `&search=${long.length},${short.length}`;
    for (const word of [...long, ...short]) this.search.push(this.texts.push(word) - 1);
  }

  private addDebug(name: ParameterName, value: string): void {
    const allowed = name === '_inspect' ? ['data'] : ['true', 'false'];
    if (name === '_debug') allowed.push('plan');
    this.reserved.set(name, value);
    if (!allowed.includes(value)) this.refuse(name, `takes ${either(allowed)}`);
    else this.debug ||= value !== 'false';
  }

  private addGroup(kind: GroupKind, value: string): void {
    const group = parseGroup(kind, value);
    if (group.ok) this.groups.push(this.group(group.value));
    else this.refuse(`_${kind}`, group.error.message, group.error.code, group.error.max);
  }

  private addHaving(value: string): void {
    const group = parseGroup('and', value);
    this.planKey += '&having=';
    if (group.ok) this.having.push(this.group(group.value));
    else this.refuse('having', group.error.message, group.error.code, group.error.max);
  }

  private group({ kind, parts }: Group<Pair>): Group<Condition> {
    this.planKey += `&_${kind}(`;
    const resolved = parts.map((part) =>
      isGroup(part) ? this.group(part) : this.condition(part.name, part.value),
    );
    this.planKey += ')';
    return { kind, parts: resolved };
  }

  private condition(name: string, value: string): Condition {
    this.planKey += `&${encodeURIComponent(name)}=`;
    // The value of these (a flag, or the order of a collection) decides the statement, so it is part of the key.
    if (/(?:_exists|_null|\.sort)$/u.test(name)) this.planKey += encodeURIComponent(value);
    this.texts.push(value);
    return { name, value, source: this.texts.length - 1 };
  }
}

/**
 * Parses a raw query string (without `?`). Malformed encoding, invalid UTF-8, repeated reserved parameters and parameters
 * that this kind of request does not accept are its `problems`.
 */
export function parseQuery(raw: string, kind: RequestKind): Query {
  if (raw === '') return emptyQuery;
  const reader = new QueryReader(raw, kind);
  for (const piece of raw.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const written = equals === -1 ? piece : piece.slice(0, equals);
    const name = decode(written);
    const value = equals === -1 ? '' : decode(piece.slice(equals + 1));
    if (name === undefined || value === undefined)
      reader.refuse(name ?? written.slice(0, 40), 'is not valid percent-encoded UTF-8');
    else reader.add(name, value);
  }
  return reader;
}

function bracketsMessage(name: string): string {
  const [before = ''] = name.split(/[[\]]/u, 1);
  return `brackets are not used here; write ${withoutBrackets.get(before) ?? filterWithoutBrackets}`;
}

import type { JsonValue } from '../../spec/specification.ts';

/** What the CHECKs of a table say of a column, as attributes of a field. */
export interface Bounds {
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const name = String.raw`("(?:[^"]|"")+"|\x60[^\x60]+\x60|\[[^\]]+\]|[A-Za-z_]\w*)`;
const texts = String.raw`'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*`;
const number = String.raw`'?(-?\d+(?:\.\d+)?)'?`;
const listed = new RegExp(`^${name}\\s+IN\\s+(${texts})$`, 'iu');
const anyOf = new RegExp(`^${name}\\s*=\\s*ANY\\s+ARRAY\\[(${texts})\\]$`, 'iu');
const compared = new RegExp(`^${name}\\s*(>=|<=|>|<)\\s*${number}$`, 'u');
const between = new RegExp(`^${name}\\s+BETWEEN\\s+${number}\\s+AND\\s+${number}$`, 'iu');

const words = {
  '>=': 'minimum',
  '<=': 'maximum',
  '>': 'exclusiveMinimum',
  '<': 'exclusiveMaximum',
} as const;

/**
 * What CHECKs say, as far as they are lists of texts and comparisons with numbers; all others are left to the
 * database. Takes the expressions, gives the bounds by the names of columns as they are written there.
 */
export function boundsOf(checks: readonly string[]): ReadonlyMap<string, Bounds> {
  const bounds = new Map<string, Bounds>();
  const add = (column: string, more: Bounds): void => {
    const plain = unquoted(column);
    bounds.set(plain, { ...bounds.get(plain), ...more });
  };
  for (const check of checks) {
    const flat = flattened(check);
    const [, range = '', low, high] = between.exec(flat) ?? [];
    if (low !== undefined) {
      add(range, { minimum: Number(low), maximum: Number(high) });
      continue;
    }
    for (const part of splitAnd(flat)) {
      const [, column = '', list] = listed.exec(part) ?? anyOf.exec(part) ?? [];
      if (list !== undefined) add(column, { enum: textsOf(list) });
      const [, one = '', operator, limit] = compared.exec(part) ?? [];
      if (operator !== undefined)
        add(one, { [words[operator as keyof typeof words]]: Number(limit) });
    }
  }
  return bounds;
}

/** The expressions of all CHECKs in a CREATE TABLE. */
export function checksIn(sql: string): readonly string[] {
  const found: string[] = [];
  const plain = sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//gu, ' ');
  for (const match of plain.matchAll(/\bCHECK\s*\(/giu)) {
    const start = match.index + match[0].length;
    let depth = 1;
    let end = start;
    for (let quote = ''; end < plain.length && depth > 0; end += 1) {
      const character = plain.charAt(end);
      if (quote !== '') quote = character === quote ? '' : quote;
      else if (character === "'" || character === '"') quote = character;
      else if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
    }
    found.push(plain.slice(start, end - 1));
  }
  return found;
}

/** An expression without parentheses and casts, outside of texts. */
function flattened(expression: string): string {
  return expression
    .split(/('(?:[^']|'')*'|"(?:[^"]|"")*")/u)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(
              /::(?:character varying|double precision|[a-z_]\w*)(?:\(\d+\))?(?:\[\])?/giu,
              ' ',
            )
            .replaceAll(/[()]/gu, ' '),
    )
    .join('')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s*([,\]])/gu, '$1')
    .trim();
}

function splitAnd(flat: string): readonly string[] {
  // Where something is only one of several possibilities, nothing is sure.
  return /\sOR\s|^NOT\s/iu.test(flat) ? [] : flat.split(/\sAND\s/iu).map((part) => part.trim());
}

function textsOf(list: string): readonly string[] {
  return [...list.matchAll(/'((?:[^']|'')*)'/gu)].map(([, text = '']) =>
    text.replaceAll("''", "'"),
  );
}

function unquoted(column: string): string {
  if (column.startsWith('"')) return column.slice(1, -1).replaceAll('""', '"');
  return /^[[`]/u.test(column) ? column.slice(1, -1) : column;
}

/** What a default is: a value, what is drawn for each row, or an expression that only the database can work out. */
export type FoundDefault =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'now' | 'uuid' | 'unknown' };

/** The type of a cast, as PostgreSQL writes it: `"My type"`, `timestamp(3) with time zone`, `text[]`. */
const castType =
  /^(?:[\w. ]|"(?:[^"]|"")*")+(?:\(\d+(?:,\d+)?\))?(?: with(?:out)? time zone)?(?:\[\])?$/u;

/**
 * The expression within another that means the same: without parentheses and casts around it, and without what a migration
 * puts around the default of a column whose type it changes (moments in UTC, an empty array as JSON).
 */
function inner(expression: string): string | undefined {
  const ends = outermost(expression);
  if (expression.startsWith('(') && ends.close === expression.length - 1)
    return expression.slice(1, -1);
  if (ends.cast !== -1 && castType.test(expression.slice(ends.cast + 2)))
    return expression.slice(0, ends.cast);
  const [, moment] = /^([^]*) AT TIME ZONE 'UTC'$/iu.exec(expression) ?? [];
  if (moment !== undefined) return moment;
  return /^to_jsonb\('\{\}'::[^']*\[\]\)$/u.test(expression) ? `'[]'` : undefined;
}

/** Where the first parenthesis of an expression ends, and its last cast begins that stands in none; -1: nowhere. */
function outermost(expression: string): { readonly close: number; readonly cast: number } {
  let depth = 0;
  let close = -1;
  let cast = -1;
  for (const { 0: token, index } of expression.matchAll(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|::/gu,
  )) {
    if (token === '(') depth += 1;
    else if (token === ')') {
      depth -= 1;
      if (depth === 0 && close === -1) close = index;
    } else if (token === '::' && depth === 0) cast = index;
  }
  return { close, cast };
}

/** Reads the expression of a default in SQL. */
export function readDefault(expression: string): FoundDefault {
  let text = expression.trim();
  for (let next = inner(text); next !== undefined; next = inner(text)) {
    // Before the cast it is the name of a moment, as texts go.
    if (/^'now'::/iu.test(text)) return { kind: 'now' };
    text = next.trim();
  }
  const [, quoted] = /^'((?:[^']|'')*)'$/u.exec(text) ?? [];
  if (quoted !== undefined) return { kind: 'value', value: quoted.replaceAll("''", "'") };
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/iu.test(text))
    return { kind: 'value', value: Number(text) };
  if (/^(?:true|false)$/iu.test(text)) return { kind: 'value', value: /^true$/iu.test(text) };
  if (/^null$/iu.test(text)) return { kind: 'value', value: null };
  if (
    /^(?:now\(\)|current_timestamp(?:\(\d\))?|current_date|current_time|localtimestamp|transaction_timestamp\(\)|statement_timestamp\(\)|clock_timestamp\(\))$/iu.test(
      text,
    )
  )
    return { kind: 'now' };
  return {
    kind: /^(?:gen_random_uuid|uuid_generate_v4|uuidv7)\(\)$/iu.test(text) ? 'uuid' : 'unknown',
  };
}

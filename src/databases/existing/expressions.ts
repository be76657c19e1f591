import type { JsonValue } from '../../specification/specification.ts';

/** The CHECKs of a column as attributes of a field. */
export interface Bounds {
  readonly enum?: readonly string[];
  readonly numbers?: readonly number[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Whether only JSON is allowed. */
  readonly isJson?: true;
}

const name = String.raw`("(?:[^"]|"")+"|\x60[^\x60]+\x60|\[[^\]]+\]|[A-Za-z_]\w*)`;
const item = String.raw`(?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?)`;
const items = String.raw`${item}(?:\s*,\s*${item})*`;
const number = String.raw`'?(-?\d+(?:\.\d+)?)'?`;
const listed = new RegExp(`^${name}\\s+IN\\s+(${items})$`, 'iu');
const anyOf = new RegExp(`^${name}\\s*=\\s*ANY\\s+ARRAY\\[(${items})\\]$`, 'iu');
const compared = new RegExp(`^${name}\\s*(>=|<=|>|<|=)\\s*${number}$`, 'u');
const between = new RegExp(`^${name}\\s+BETWEEN\\s+${number}\\s+AND\\s+${number}$`, 'iu');
const matching = new RegExp(`^${name}\\s*~\\s*('(?:[^']|'')*')$`, 'u');
/**
 * The regular expressions that mean the same in PostgreSQL and in a pattern: no locale classes, no options, no `.`.
 */
const alike =
  /^(?:[\w @#%&:;,<>/="!~-]|\\[d.*+?()[\]{}|^$/]|\[\^?(?:[A-Za-z\d]-[A-Za-z\d]|[\w @.+*/:,]|-(?=\]))+\]|\((?:\?[:=!])?|[)*+?|^$]|\{\d+(?:,\d*)?\})+$/u;
const valid = new RegExp(`^json_valid\\s+${name}(?:\\s*=\\s*1)?$`, 'iu');
const absent = new RegExp(`^${name}\\s+IS\\s+NULL$`, 'iu');
/** Both databases count code points in texts. */
const measured = /^[(\s]*(?:char_length|character_length|length)\s*\(/iu;

const words: Readonly<Record<string, readonly (keyof Bounds)[]>> = {
  '>=': ['minimum'],
  '<=': ['maximum'],
  '>': ['exclusiveMinimum'],
  '<': ['exclusiveMaximum'],
  '=': ['minimum', 'maximum'],
};

/**
 * Reads CHECK expressions as bounds by column name: lists of texts or numbers, patterns, and comparisons of a value
 * or of a text's length with a number. Ignores all others.
 */
export function boundsOf(checks: readonly string[]): ReadonlyMap<string, Bounds> {
  const bounds = new Map<string, Bounds>();
  for (const condition of checks.flatMap(conditionsIn)) {
    const [column, said] = saidBy(condition) ?? [];
    if (column !== undefined) bounds.set(column, narrowed(bounds.get(column), said));
  }
  return bounds;
}

const lowest = ['minimum', 'exclusiveMinimum', 'minLength'] as const;
const highest = ['maximum', 'exclusiveMaximum', 'maxLength'] as const;

/** What two conditions leave together; of lists and patterns the second one's. */
export function narrowed(one: Bounds = {}, other: Bounds = {}): Bounds {
  const both = (
    names: readonly (typeof lowest | typeof highest)[number][],
    narrower: (a: number, b: number) => number,
  ): Bounds =>
    Object.fromEntries(
      names.flatMap((name) => {
        const [a, b] = [one[name], other[name]];
        return a === undefined || b === undefined ? [] : [[name, narrower(a, b)]];
      }),
    );
  return { ...one, ...other, ...both(lowest, Math.max), ...both(highest, Math.min) };
}

/** The column of a condition, and its bounds. */
function saidBy(condition: string): readonly [column: string, bounds: Bounds] | undefined {
  const isLength = measured.test(condition);
  const [column, said] = boundsIn(flattened(condition.replace(measured, ' '))) ?? [];
  if (column === undefined || said === undefined) return undefined;
  return [unquoted(column), isLength ? lengthsOf(said) : said];
}

function boundsIn(flat: string): readonly [column: string, bounds: Bounds] | undefined {
  const [, range = '', low, high] = between.exec(flat) ?? [];
  if (low !== undefined) return [range, { minimum: Number(low), maximum: Number(high) }];
  const [, column = '', list] = listed.exec(flat) ?? anyOf.exec(flat) ?? [];
  if (list !== undefined) return [column, choicesIn(list)];
  const [, text, regularExpression] = matching.exec(flat) ?? [];
  if (text !== undefined && regularExpression !== undefined)
    return [text, patternOf(textsOf(regularExpression)[0] ?? '')];
  const [, document] = valid.exec(flat) ?? [];
  if (document !== undefined) return [document, { isJson: true }];
  const [, one = '', operator, limit] = compared.exec(flat) ?? [];
  if (operator === undefined) return undefined;
  const said = words[operator] ?? [];
  return [one, Object.fromEntries(said.map((word) => [word, Number(limit)]))];
}

/** PostgreSQL writes a negative number as a text with a cast. */
function choicesIn(list: string): Bounds {
  const choices = list.match(new RegExp(item, 'gu')) ?? [];
  const texts = textsOf(list);
  const numbers = choices.flatMap((one) => new RegExp(`^${number}$`, 'u').exec(one)?.[1] ?? []);
  return {
    ...(texts.length === choices.length ? { enum: texts } : {}),
    ...(numbers.length === choices.length ? { numbers: numbers.map(Number) } : {}),
  };
}

function patternOf(pattern: string): Bounds {
  if (!alike.test(pattern)) return {};
  try {
    return { pattern: new RegExp(pattern, 'u').source };
  } catch {
    return {};
  }
}

/** Bounds of a length as attributes of a text. */
function lengthsOf(bounds: Bounds): Bounds {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - 1);
  const isLength = (length: number | undefined): length is number =>
    length !== undefined && Number.isSafeInteger(length) && length >= 0;
  return {
    ...(isLength(least) ? { minLength: least } : {}),
    ...(isLength(most) ? { maxLength: most } : {}),
  };
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
            .replaceAll(/[()]/gu, ' ')
            .replaceAll(/\s+/gu, ' ')
            .replaceAll(/ ([,\]])/gu, '$1')
            .replaceAll('[ ', '['),
    )
    .join('')
    .trim();
}

/**
 * The conditions of an expression that must all hold: its parts between AND, also within parentheses around the
 * whole. Alternatives prove nothing, except a condition beside `IS NULL`.
 */
function conditionsIn(expression: string): readonly string[] {
  const text = expression.trim();
  if (text.startsWith('(') && outermost(text).close === text.length - 1)
    return conditionsIn(text.slice(1, -1));
  const [first = '', second, ...others] = splitAt('OR', text);
  if (second === undefined) {
    const parts = splitAt('AND', text);
    return parts.length === 1 ? parts : parts.flatMap(conditionsIn);
  }
  if (others.length > 0) return [];
  const unlessNull = (alternative: string, condition: string): readonly string[] => {
    const [, column = ''] = absent.exec(flattened(alternative)) ?? [];
    return conditionsIn(condition).filter((one) => saidBy(one)?.[0] === unquoted(column));
  };
  return [...unlessNull(first, second), ...unlessNull(second, first)];
}

/** Splits at a word outside of parentheses and texts; the AND of BETWEEN does not count. */
function splitAt(word: 'AND' | 'OR', text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let isRange = false;
  for (const { 0: token, index } of text.matchAll(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|[()[\]]|\b(?:AND|OR|BETWEEN|CASE|END)\b/giu,
  )) {
    const found = token.toUpperCase();
    if (/^(?:[([]|CASE)$/u.test(found)) depth += 1;
    else if (/^(?:[)\]]|END)$/u.test(found)) depth -= 1;
    else if (depth > 0) continue;
    else if (found === 'BETWEEN') isRange = true;
    else if (found === 'AND' && isRange) isRange = false;
    else if (found === word) {
      parts.push(text.slice(start, index));
      start = index + token.length;
    }
  }
  return [...parts, text.slice(start)];
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

/** A default: a value, something generated for each row, or an expression that only the database evaluates. */
export type FoundDefault =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'now' | 'uuid' | 'unknown' };

/** The type of a cast, as PostgreSQL writes it: `"My type"`, `timestamp(3) with time zone`, `text[]`. */
const castType =
  /^(?:[\w. ]|"(?:[^"]|"")*")+(?:\(\d+(?:,\d+)?\))?(?: with(?:out)? time zone)?(?:\[\])?$/u;

/**
 * Removes what does not change an expression's meaning: parentheses, casts, and what a migration wraps around the
 * default of a column whose type it changes (moments in UTC, an empty array as JSON).
 */
function inner(expression: string): string | undefined {
  const ends = outermost(expression);
  if (expression.startsWith('(') && ends.close === expression.length - 1)
    return expression.slice(1, -1);
  if (ends.cast !== -1 && castType.test(expression.slice(ends.cast + 2)))
    return expression.slice(0, ends.cast);
  const [, moment] =
    /^([^]*) AT TIME ZONE 'UTC'$/iu.exec(expression) ??
    /^timezone\('UTC'(?:::text)?, ([^]*)\)$/iu.exec(expression) ??
    [];
  if (moment !== undefined) return moment;
  return /^to_jsonb\((?:'\{\}'|ARRAY\[\])::[^']*\[\]\)$/u.test(expression) ? `'[]'` : undefined;
}

/**
 * The end of an expression's first parenthesis, and the start of its last cast outside of parentheses; -1 if there is
 * none.
 */
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

/** The values of a one-dimensional array as PostgreSQL writes it: `'{a,"b c",NULL}'::text[]`, `ARRAY[1, 2]`. */
function arrayIn(expression: string): readonly JsonValue[] | undefined {
  const [, literal] = /^'((?:[^']|'')*)'::[^']*\[\]$/u.exec(expression) ?? [];
  if (literal !== undefined) return itemsOf(literal.replaceAll("''", "'"));
  const [, list] = /^ARRAY\[([^[\]]*)\](?:::[^']*\[\])?$/u.exec(expression) ?? [];
  const items = list?.match(/(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|\([^()]*\)|[^,'"()])+/gu) ?? [];
  const values = items.map(readDefault);
  return list === undefined || values.some(({ kind }) => kind !== 'value')
    ? undefined
    : values.flatMap((item) => (item.kind === 'value' ? [item.value] : []));
}

function itemsOf(literal: string): readonly JsonValue[] | undefined {
  const one = String.raw`"(?:[^"\\]|\\.)*"|[^,"{}\\]+`;
  if (literal === '{}') return [];
  if (!new RegExp(`^\\{(?:${one})(?:,(?:${one}))*\\}$`, 'u').test(literal)) return undefined;
  return (literal.slice(1, -1).match(new RegExp(one, 'gu')) ?? []).map((text) => {
    if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(.)/gu, '$1');
    return text === 'NULL' ? null : text;
  });
}

/** Reads the SQL expression of a default. */
export function readDefault(expression: string): FoundDefault {
  let text = expression.trim();
  let items = arrayIn(text);
  for (let next = inner(text); next !== undefined && items === undefined; next = inner(text)) {
    // Before the cast, `'now'` looks like plain text.
    if (/^'now'::/iu.test(text)) return { kind: 'now' };
    text = next.trim();
    items = arrayIn(text);
  }
  if (items !== undefined) return { kind: 'value', value: items };
  const [, quoted] = /^'((?:[^']|'')*)'$/u.exec(text) ?? [];
  if (quoted !== undefined) return { kind: 'value', value: quoted.replaceAll("''", "'") };
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/iu.test(text))
    return { kind: 'value', value: Number(text) };
  if (/^(?:true|false)$/iu.test(text)) return { kind: 'value', value: /^true$/iu.test(text) };
  if (/^null$/iu.test(text)) return { kind: 'value', value: null };
  if (
    /^(?:now\(\)|current_timestamp(?:\(\d\))?|current_date|current_time|localtimestamp|transaction_timestamp\(\)|statement_timestamp\(\)|clock_timestamp\(\)|(?:datetime|date|time|unixepoch)\('now'\)|unixepoch\(\)(?: *\* *1000)?|strftime\('[^']*', *'now'\))$/iu.test(
      text,
    )
  )
    return { kind: 'now' };
  return {
    kind: /^(?:gen_random_uuid|uuid_generate_v4|uuidv7)\(\)$/iu.test(text) ? 'uuid' : 'unknown',
  };
}

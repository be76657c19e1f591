import { beyondDouble } from './numbers/numbers.ts';
import { breaks } from '../../problem-rules.ts';
import type { Codec, Field, FieldType } from '../api.ts';
import { accept, mostIssues, wrongValue, type ParsedValue, type ValueIssue } from '../values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  ExactNumber,
  exactNumber,
  longestNumber,
  parseAsWritten,
  parseExactly,
  plainDigits,
} from '../exact-number.ts';
import { parseText, readText } from './texts/string.ts';

/** JSON text in the column; it may have been written before the file declared the members that it does. */
const jsonText: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored, field) =>
    isAsStored(field)
      ? readStored(String(stored), parseAsWritten)
      : inOrder(readStored(String(stored)), field),
};

/** The value of a column of JSON text; text of others that is no JSON is the string that it is. */
export function readStored(text: string, parse = parseExactly): JsonValue {
  try {
    return parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A jsonb column, which keeps members in an order of its own. */
const jsonb: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored, field) =>
    (isAsStored(field)
      ? parseAsWritten(String(stored))
      : inOrder(parseExactly(String(stored)) as JsonValue, field)) as JsonValue,
};

/** Whether JSON comes as others have written it. See docs/contract/8-existing-databases.md#types, rule 10. */
function isAsStored(field: Field | undefined): boolean {
  return field?.native !== undefined && field.properties === undefined && field.items === undefined;
}

/**
 * A value as both databases give it: members that are declared in the order of the file, then the others in that of jsonb.
 * Most often it is so already, and stays itself. Passing on the text saves little: to see in it that members are in order
 * takes as long as parsing and looking at the value (1 kB: 12 µs).
 */
function inOrder(value: JsonValue, field: Field | undefined): JsonValue {
  return isInOrder(value, field) ? value : ordered(value, field);
}

function isInOrder(value: JsonValue, field: Field | undefined): boolean {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isInOrder(item as JsonValue, field?.items)) return false;
    return true;
  }
  const members = value as Readonly<Record<string, JsonValue>>;
  const properties = field?.properties;
  const declared = properties?.keys();
  let before: string | undefined;
  // What JSON.parse makes has no inherited members, and Object.keys would cost as much as the rest.
  for (const name in members) {
    const property = properties?.get(name);
    if (property !== undefined) {
      if (before !== undefined || !isAhead(declared, name)) return false;
    } else {
      if (before !== undefined && !isBehind(name, before)) return false;
      before = name;
    }
    if (!isInOrder(members[name] ?? null, property)) return false;
  }
  return true;
}

/** Whether a name is among those that come; they are taken up to it. */
function isAhead(names: Iterator<string> | undefined, wanted: string): boolean {
  for (let next = names?.next(); next?.done === false; next = names?.next())
    if (next.value === wanted) return true;
  return false;
}

function ordered(value: JsonValue, field: Field | undefined): JsonValue {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => ordered(item, field?.items));
  const members = value as Readonly<Record<string, JsonValue>>;
  const names = namesInOrder(Object.keys(members), field?.properties);
  return Object.fromEntries(
    names.map((name) => [name, ordered(members[name] ?? null, field?.properties?.get(name))]),
  );
}

function namesInOrder(
  found: readonly string[],
  properties: Field['properties'],
): readonly string[] {
  if (properties === undefined) return sortedMembers(found);
  const there = new Set(found);
  const declared = [...properties.keys()].filter((name) => there.has(name));
  return [...declared, ...sortedMembers(found.filter((name) => !properties.has(name)))];
}

/** Shorter names first, then by their bytes: the order in which PostgreSQL's jsonb keeps members. */
function sortedMembers(names: readonly string[]): readonly string[] {
  if (names.length < 2 || isSorted(names)) return names;
  return names
    .map((name) => ({ name, bytes: Buffer.from(name) }))
    .sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
    .map(({ name }) => name);
}

/** Whether names are in that order; told of ASCII alone, which compares as its bytes. */
function isSorted(names: readonly string[]): boolean {
  return names.every((name, index) => index === 0 || isBehind(name, names[index - 1] ?? ''));
}

/** Whether a name comes after another in that order; false if one of them is not ASCII. */
function isBehind(name: string, before: string): boolean {
  const isLater = before.length < name.length || (before.length === name.length && before < name);
  return isLater && isAscii(name) && isAscii(before);
}

function isAscii(text: string): boolean {
  for (let place = 0; place < text.length; place += 1)
    if (text.charCodeAt(place) > 0x7f) return false;
  return true;
}

/** Joins the readings of the parts of a value into one, up to the last issue that is told; `make` builds the whole. */
export function gather(
  parts: Iterable<ParsedValue>,
  make: (values: JsonValue[]) => JsonValue,
): ParsedValue {
  const issues: ValueIssue[] = [];
  const values: JsonValue[] = [];
  for (const part of parts) {
    if (part.ok) values.push(part.value);
    else for (const issue of part.issues) issues.push(issue);
    if (issues.length >= mostIssues) break;
  }
  return issues.length === 0 ? accept(make(values)) : { ok: false, issues };
}

/** Reads the items of a list. */
export function readItems(
  items: readonly unknown[],
  read: (item: unknown) => ParsedValue,
): ParsedValue {
  return gather(readEach(items, read), (values) => values);
}

function* readEach(
  items: readonly unknown[],
  read: (item: unknown) => ParsedValue,
): Generator<ParsedValue> {
  for (const [index, item] of items.entries()) {
    const parsed = read(item);
    yield parsed.ok ? parsed : below(`[${index}]`, parsed);
  }
}

/** Moves the issues of a part below the name of the whole. */
export function below(path: string, parsed: ParsedValue): ParsedValue {
  if (parsed.ok) return parsed;
  const issues = parsed.issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` }));
  return { ok: false, issues };
}

function readNumber(value: number | ExactNumber): ParsedValue {
  if (typeof value === 'number')
    return Number.isFinite(value)
      ? accept(value === 0 ? 0 : value)
      : wrongValue('is too large for a number', beyondDouble);
  const plain = /e/iu.test(value.text) ? exactNumber(value.text) : value;
  if (typeof plain === 'number') return readNumber(plain);
  if (!Number.isFinite(Number(value.text)))
    return wrongValue('is too large for a number', beyondDouble);
  return value.text.length > longestNumber || /e/iu.test(value.text)
    ? wrongValue(
        `must have at most ${longestNumber} digits`,
        breaks('digits', { max: longestNumber }),
      )
    : accept(value as unknown as JsonValue);
}

/** The number that the text of a filter may mean, with all its digits. */
export function parseNumber(text: string): JsonValue | undefined {
  // A text that only looks like a number may begin with zeros.
  const plain = plainDigits(text.replace(/^(-?)0+(?=\d)/u, '$1'));
  if (plain === undefined) return undefined;
  const parsed = readNumber(exactNumber(plain));
  return parsed.ok ? parsed.value : undefined;
}

/** Reads any JSON value that every database can hold, with members in the canonical order. */
export function readJson(value: unknown): ParsedValue {
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'number' || value instanceof ExactNumber) return readNumber(value);
  if (value === null || typeof value === 'boolean') return accept(value);
  if (Array.isArray(value)) return readItems(value, readJson);
  const names = sortedMembers(Object.keys(value as object));
  const parts = names.map((name) => {
    const parsed = readText(name);
    return below(
      `.${name}`,
      parsed.ok ? readJson((value as Record<string, unknown>)[name]) : parsed,
    );
  });
  return gather(parts, (values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}

/** How databases store what has parts. */
export const storedAsJson: Pick<FieldType, 'sqlite' | 'postgres' | 'forms' | 'longest'> = {
  sqlite: { column: () => 'TEXT', form: 'jsonText' },
  postgres: { column: () => 'jsonb', form: 'jsonb' },
  forms: { jsonText, jsonb },
  longest: () => Infinity,
};

/** The object or list that the text of a column's default is in JSON; undefined where it is none. */
export function partsOfDefault(text: string): JsonValue | undefined {
  const value = readStored(text);
  // Longer numbers may have been cut.
  return typeof value !== 'object' || value === null || /\d(?:\.?\d){15}/u.test(text)
    ? undefined
    : value;
}

export const jsonType: FieldType = {
  name: 'json',
  otherNames: ['any', 'mixed'],
  attributes: ['described', 'column', 'drawnValues', 'template'],
  json: 'any',
  kind: 'json',
  comparison: 'none',
  sortable: false,
  read: readJson,
  parse: () => undefined,
  expects: () => 'a path below it',
  ...storedAsJson,
  schema: () => ({}),
  sentSchema: ({ nullable }) => (nullable ? {} : { not: { type: 'null' } }),
  comparedSchema: () => ({ type: 'string' }),
  wireName: () => 'json',
  examples: () => [{}],
  generated: 'json',
  recognition: {
    sqlite: { condition: 'json_valid(c)', declared: /JSON/u, isOfTexts: false },
  },
  fromDefault: partsOfDefault,
};

/**
 * An undeclared member: it is compared as the JSON type that is found. See
 * docs/contract/2-reading.md#filters-in-objects, rule 3.
 */
export const anyMember: FieldType = {
  ...jsonType,
  comparison: 'text',
  parse: parseText,
  expects: () => 'text',
};

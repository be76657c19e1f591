import { beyondDouble } from './numbers.ts';
import { breaks } from '../../problem-rules.ts';
import type { Codec, Field, FieldType } from '../api.ts';
import { accept, mostIssues, wrongValue, type ParsedValue, type ValueIssue } from '../values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  ExactNumber,
  exactNumber,
  longestNumber,
  parseExactly,
  withoutExponent,
} from '../exact-number.ts';
import { parseText, readText } from './string.ts';

/** JSON text in the column; it may have been written before the file declared the members that it does. */
const jsonText: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored, field) => inOrder(readStored(String(stored)), field),
};

/** The value of a column of JSON text; text of others that is no JSON is the string that it is. */
export function readStored(text: string): JsonValue {
  try {
    return parseExactly(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A jsonb column, which keeps members in an order of its own. */
const jsonb: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored, field) => inOrder(parseExactly(String(stored)) as JsonValue, field),
};

/**
 * A value as both databases give it: members that are declared in the order of the file, then the others in that of jsonb.
 * Most often it is so already, and stays itself.
 */
function inOrder(value: JsonValue, field: Field | undefined): JsonValue {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) {
    const list = value.map((item: JsonValue) => inOrder(item, field?.items));
    return list.every((item, index) => item === value[index]) ? value : list;
  }
  const members = value as Readonly<Record<string, JsonValue>>;
  const found = Object.keys(members);
  const names = namesInOrder(found, field?.properties);
  let isSame = names === found || names.every((name, index) => name === found[index]);
  const parts = names.map((name) => {
    const member = members[name] ?? null;
    const ordered = inOrder(member, field?.properties?.get(name));
    if (ordered !== member) isSame = false;
    return ordered;
  });
  return isSame
    ? value
    : Object.fromEntries(names.map((name, index) => [name, parts[index] ?? null]));
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

/** Whether names are in that order, as they are where a write has left them; told of ASCII alone, which compares as its bytes. */
function isSorted(names: readonly string[]): boolean {
  return names.every((name, index) => {
    const before = names[index - 1] ?? '';
    const isBehind =
      before.length < name.length || (before.length === name.length && before < name);
    return (isBehind || index === 0) && Buffer.byteLength(name) === name.length;
  });
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
  const plain = withoutExponent(text);
  if (!/^-?\d{1,400}(?:\.\d{1,400})?$/u.test(plain)) return undefined;
  // No JSON number begins with zeros.
  const parsed = readNumber(exactNumber(plain.replace(/^(-?)0+(?=\d)/u, '$1')));
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
    postgres: ['json', 'jsonb'],
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

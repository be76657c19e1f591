import type { Codec, Field, FieldType } from '../api.ts';
import { accept, wrongValue, type Reading, type ValueIssue } from '../values.ts';
import type { JsonValue } from '../../spec/specification.ts';
import { ExactNumber } from '../exact-number.ts';
import { operatorSets } from '../operators.ts';
import { parseText, readText } from './string.ts';

/** JSON text in the column. */
export const jsonText: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored) => readStored(String(stored)),
};

/** The value of a column of JSON text; text of others that is no JSON is the string that it is. */
export function readStored(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A jsonb column, which keeps members in an order of its own: declared ones come back in that of the file. */
export const jsonb: Codec = {
  encode: (value) => JSON.stringify(value),
  decode: (stored, field) => inDeclaredOrder(JSON.parse(String(stored)) as JsonValue, field),
};

function inDeclaredOrder(value: JsonValue, { properties, items }: Field): JsonValue {
  if (items !== undefined && Array.isArray(value))
    return value.map((item) => inDeclaredOrder(item as JsonValue, items));
  if (properties === undefined || typeof value !== 'object' || value === null) return value;
  const members = new Map(Object.entries(value));
  const ordered: [string, JsonValue][] = [];
  for (const [name, property] of properties) {
    const member = members.get(name);
    if (member === undefined) continue;
    ordered.push([name, inDeclaredOrder(member, property)]);
    members.delete(name);
  }
  return Object.fromEntries([...ordered, ...members]);
}

const encoder = new TextEncoder();

/** Shorter names first, then by their bytes: the order in which PostgreSQL's jsonb keeps members. */
function compareMembers(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.length - right.length || Buffer.compare(left, right);
}

/** Joins the readings of the parts of a value into one; `make` builds the whole. */
export function gather(
  parts: readonly Reading[],
  make: (values: JsonValue[]) => JsonValue,
): Reading {
  const issues: ValueIssue[] = [];
  const values: JsonValue[] = [];
  for (const part of parts) {
    if (part.ok) values.push(part.value);
    else issues.push(...part.issues);
  }
  return issues.length === 0 ? accept(make(values)) : { ok: false, issues };
}

/** Moves the issues of a part below the name of the whole. */
export function below(path: string, reading: Reading): Reading {
  if (reading.ok) return reading;
  const issues = reading.issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` }));
  return { ok: false, issues };
}

function readNumber(value: number | ExactNumber): Reading {
  const number = value instanceof ExactNumber ? Number(value.text) : value;
  if (!Number.isFinite(number)) return wrongValue('is too large for a number');
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    return wrongValue('must be between -9007199254740991 and 9007199254740991');
  return accept(number === 0 ? 0 : number);
}

/** Reads any JSON value that every database can hold, with members in the canonical order. */
export function readJson(value: unknown): Reading {
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'number' || value instanceof ExactNumber) return readNumber(value);
  if (value === null || typeof value === 'boolean') return accept(value);
  if (Array.isArray(value)) {
    return gather(
      value.map((item, index) => below(`[${index}]`, readJson(item))),
      (items) => items,
    );
  }
  const names = Object.keys(value as object).sort(compareMembers);
  const parts = names.map((name) => {
    const reading = readText(name);
    return below(
      `.${name}`,
      reading.ok ? readJson((value as Record<string, unknown>)[name]) : reading,
    );
  });
  return gather(parts, (values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}

export const jsonType: FieldType = {
  name: 'json',
  operators: operatorSets.presence,
  sortable: false,
  read: readJson,
  parse: () => undefined,
  expects: () => 'a path below it',
  sqlite: { column: () => 'TEXT', form: 'jsonText' },
  postgres: { column: () => 'jsonb', form: 'jsonb' },
  forms: { jsonText, jsonb },
};

/** A member that nothing declares: what it is compared as is decided by the JSON found there. Contract 2, Filters. */
export const anyMember: FieldType = {
  ...jsonType,
  operators: operatorSets.textual,
  parse: parseText,
  expects: () => 'text',
};

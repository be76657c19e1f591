import { isDate } from '../model/field-types/date.ts';
import { parseDatetime } from '../model/field-types/datetime.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';

/** Below this, what is in an object is left open. */
const deepest = 5;
/** More than anyone writes into one line, in characters. */
const longLine = 255;

const textTypes: readonly (readonly [FieldSpecification['type'], (text: string) => boolean])[] = [
  ['uuid', (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(text)],
  ['date', isDate],
  // Any other form would be answered in this one.
  ['datetime', (text) => parseDatetime(text) === text],
  ['time', (text) => /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/u.test(text)],
  ['email', (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(text)],
  ['url', (text) => /^https?:\/\/[^\s/]+\S*$/u.test(text)],
];

/** The narrowest type that takes all of these values, none of which is null. */
export function typeOfValues(values: readonly JsonValue[], depth = 0): FieldSpecification {
  if (values.length === 0 || depth > deepest) return { type: 'json' };
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  if (values.every((value) => Number.isSafeInteger(value))) return { type: 'integer' };
  if (values.every((value) => typeof value === 'number')) return { type: 'number' };
  if (values.every((value) => typeof value === 'string')) {
    const [type] = textTypes.find(([, fits]) => values.every(fits)) ?? [];
    return { type: type ?? plainText(values) };
  }
  if (values.every((value) => Array.isArray(value))) {
    const all = values.flat() as readonly JsonValue[];
    const items = all.filter((item) => item !== null);
    if (items.length === 0) return { type: 'array' };
    const type = typeOfValues(items, depth + 1);
    return {
      type: 'array',
      items: { ...type, ...(items.length < all.length ? { nullable: true } : {}) },
    };
  }
  if (values.every((value) => typeof value === 'object' && !Array.isArray(value)))
    return objectType(values as readonly Readonly<Record<string, JsonValue>>[], depth);
  return { type: 'json' };
}

/** A type that keeps values as they are, whatever they look like. */
export function fallbackType(values: readonly JsonValue[]): FieldSpecification {
  const texts = values.filter((value) => typeof value === 'string');
  return { type: texts.length === values.length ? plainText(texts) : 'json' };
}

function plainText(texts: readonly string[]): 'string' | 'text' {
  return texts.some((text) => text.length > longLine || text.includes('\n')) ? 'text' : 'string';
}

function objectType(
  objects: readonly Readonly<Record<string, JsonValue>>[],
  depth: number,
): FieldSpecification {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  // Many members that few objects have are data, not structure.
  const isStructure =
    names.length > 0 &&
    names.length <= 30 &&
    names.every((name) => /^[A-Za-z]\w*$/u.test(name)) &&
    new Set(names.map((name) => name.toLowerCase())).size === names.length;
  if (!isStructure) return { type: 'object' };
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => {
        const values = objects.map((one) => one[name] ?? null).filter((one) => one !== null);
        const isAlways = values.length === objects.length;
        return [
          name,
          { ...typeOfValues(values, depth + 1), ...(isAlways ? { required: true } : {}) },
        ];
      }),
    ),
  };
}

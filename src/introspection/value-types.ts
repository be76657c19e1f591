import type { FieldTypes } from '../model/api.ts';
import { fieldTypes } from '../model/field-types/registry.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';

/** The depth below which objects get no declared properties. */
const deepest = 5;
/** A text with more characters is prose, not a line. */
const longLine = 255;

/** The narrowest type that accepts all of these values, none of which is null. */
export function typeOfValues(
  values: readonly JsonValue[],
  types: FieldTypes = fieldTypes,
  depth = 0,
): FieldSpecification {
  if (values.length === 0 || depth > deepest) return { type: 'json' };
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  if (values.every((value) => Number.isSafeInteger(value))) return { type: 'integer' };
  if (values.every((value) => typeof value === 'number')) return { type: 'number' };
  if (values.every((value) => typeof value === 'string')) {
    const type = Object.values(types).find(({ recognition }) => {
      const isOne = recognition?.text;
      return isOne !== undefined && values.every((text) => isOne(text));
    });
    return { type: type === undefined ? plainText(values) : type.name };
  }
  if (values.every((value) => Array.isArray(value))) {
    const all = values.flat() as readonly JsonValue[];
    const items = all.filter((item) => item !== null);
    if (items.length === 0) return { type: 'array' };
    const type = typeOfValues(items, types, depth + 1);
    return {
      type: 'array',
      items: { ...type, ...(items.length < all.length ? { nullable: true } : {}) },
    };
  }
  if (values.every((value) => typeof value === 'object' && !Array.isArray(value)))
    return objectType(values as readonly Readonly<Record<string, JsonValue>>[], types, depth);
  return { type: 'json' };
}

/** A type that keeps values unchanged, whatever they look like. */
export function fallbackType(values: readonly JsonValue[]): FieldSpecification {
  const texts = values.filter((value) => typeof value === 'string');
  return { type: texts.length === values.length ? plainText(texts) : 'json' };
}

function plainText(texts: readonly string[]): 'string' | 'text' {
  return texts.some((text) => text.length > longLine || text.includes('\n')) ? 'text' : 'string';
}

function objectType(
  objects: readonly Readonly<Record<string, JsonValue>>[],
  types: FieldTypes,
  depth: number,
): FieldSpecification {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  // Many members that only few objects have are data, not structure.
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
          { ...typeOfValues(values, types, depth + 1), ...(isAlways ? { required: true } : {}) },
        ];
      }),
    ),
  };
}

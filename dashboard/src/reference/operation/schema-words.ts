import { nameOf, type Schema } from '../document.ts';

/** The type of a schema in words: `integer`, `array of Track`, `string or null`. */
export function typeText(schema: Schema): string {
  const { $ref, type, format, items, anyOf, oneOf, allOf, enum: values } = schema;
  if ($ref !== undefined) return nameOf(schema);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined && type === undefined)
    return [...new Set(choices.map(typeText))].join(' or ');
  const [only] = allOf ?? [];
  if (only?.$ref !== undefined && type === undefined) return nameOf(only);
  if (type === 'array') return items === undefined ? 'array' : `array of ${typeText(items)}`;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (types.length === 0) return values === undefined ? 'any' : 'one of';
  const [first = '', ...rest] = types;
  return [plain(first, format), ...rest].join(' or ');
}

/** Formats that only say how wide a number is say nothing to people. */
function plain(type: string, format: string | undefined): string {
  if (format === undefined || /^(?:int|float|double)/u.test(format)) return type;
  return format;
}

/** What else a value has to be: its length, its bounds, what it may be. */
export function limitsText({
  enum: values,
  const: only,
  default: usual,
  minLength,
  maxLength,
  minimum,
  maximum,
  maxItems,
}: Schema): string {
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return [
    ...(values === undefined ? [] : [values.map(String).join(', ')]),
    ...(only === undefined ? [] : [String(only)]),
    ...(minLength === undefined ? [] : [`at least ${minLength.toLocaleString()} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString()} characters`]),
    ...(isBound(minimum) ? [`from ${minimum.toLocaleString()}`] : []),
    ...(isBound(maximum) ? [`to ${maximum.toLocaleString()}`] : []),
    ...(maxItems === undefined ? [] : [`at most ${maxItems.toLocaleString()} items`]),
    ...(usual === undefined ? [] : [`${JSON.stringify(usual)} if absent`]),
  ].join(', ');
}

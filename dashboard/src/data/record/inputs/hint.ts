import type { ValueInfo } from '../../../../../src/http/dashboard/wire-model.ts';

const words: Readonly<Record<string, (value: string) => string>> = {
  minLength: (value) => `at least ${counted(value, 'character')}`,
  maxLength: (value) => `at most ${counted(value, 'character')}`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  pattern: (value) => `matching ${value}`,
  minItems: (value) => `at least ${counted(value, 'item')}`,
  maxItems: (value) => `at most ${counted(value, 'item')}`,
  uniqueItems: () => 'no item twice',
};

function counted(count: string, name: string): string {
  return count === '1' ? `1 ${name}` : `${count} ${name}s`;
}

/** What a value is and takes, in a line. */
export function hintOf(info: ValueInfo): string {
  const { type, constraints, isUnique, reference, description, scale, items } = info;
  const { format, ...rest } = constraints;
  const limits = Object.entries(rest).flatMap(([name, value]) =>
    value === false ? [] : (words[name]?.(String(value)) ?? `${name} ${String(value)}`),
  );
  const parts = [
    typeText(type, format, scale, items),
    ...limits,
    ...(isUnique ? ['unique'] : []),
    ...(reference === undefined ? [] : [`a record of ${reference.resource}`]),
  ];
  const line = parts.join(', ');
  return description === null ? line : `${description} (${line})`;
}

function typeText(
  type: string,
  format: unknown,
  scale: number | undefined,
  items: ValueInfo | undefined,
): string {
  if (type === 'datetime') return 'date and time in UTC';
  if (type === 'decimal' && scale !== undefined) return `decimal with ${scale} places`;
  if (type === 'json') return 'any JSON';
  if (type === 'array' && items !== undefined) return `list of ${items.type}`;
  return format === undefined ? type : `${type} (${String(format)})`;
}

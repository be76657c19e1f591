import type { JsonSchema } from '../../model/json-schema.ts';

/** How deep a type is written out; below it is unknown. A schema may refer to itself. */
const deepest = 8;

/** The TypeScript type of what a JSON Schema describes; `unknown` for what no type says. */
export function typeOfSchema(schema: unknown, root: JsonSchema, depth = 0): string {
  if (schema === false) return 'never';
  if (typeof schema !== 'object' || schema === null || depth > deepest) return 'unknown';
  const own = schema as JsonSchema;
  const below = (part: unknown): string => typeOfSchema(part, root, depth + 1);
  const { $ref, enum: values, anyOf, oneOf, allOf, type } = own;
  if (typeof $ref === 'string') return below(resolved($ref, root));
  if ('const' in own) return JSON.stringify(own['const']);
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return union(alternatives.map(below));
  if (Array.isArray(allOf)) return allOf.map((one) => `(${below(one)})`).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => below({ ...own, type: one as unknown })));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(own, below);
    default:
      return type === 'object' || 'properties' in own ? objectType(own, below) : 'unknown';
  }
}

function resolved(reference: string, root: JsonSchema): unknown {
  let part: unknown = root;
  for (const name of reference.split('/').slice(1)) {
    const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
    part = typeof part === 'object' && part !== null ? (part as JsonSchema)[key] : undefined;
  }
  return part;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

function arrayType({ items, prefixItems }: JsonSchema, below: (part: unknown) => string): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(below).join(', ')}]`;
  return `(${below(items)})[]`;
}

function objectType(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  below: (part: unknown) => string,
): string {
  const members = Object.entries(properties as JsonSchema).map(([name, part]) => {
    const isNeeded = (required as readonly string[]).includes(name);
    const type = below(part);
    return `${JSON.stringify(name)}${isNeeded ? '' : '?'}: ${type}${isNeeded ? '' : ' | undefined'};`;
  });
  const isOpen = typeof additionalProperties === 'object' && additionalProperties !== null;
  if (members.length === 0)
    return `{ [member: string]: ${isOpen ? below(additionalProperties) : 'unknown'} }`;
  return `{ ${members.join(' ')} }`;
}

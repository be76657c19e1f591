import type { JsonSchema } from '../../model/json-schema.ts';

export { given, type JsonSchema } from '../../model/json-schema.ts';

/** A reference to a part of the document: `schemas/Post`. */
export function ref(part: string): JsonSchema {
  return { $ref: `#/components/${part}` };
}

/** The schema of values that may be null too. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  const types = Array.isArray(type) ? (type as readonly string[]) : [type as string];
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(values) ? { enum: [...new Set([...(values as unknown[]), null])] } : {}),
  };
}

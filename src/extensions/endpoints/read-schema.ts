import { messageOf } from '../../lib/message-of.ts';
import type { JsonSchema } from '../../model/json-schema.ts';
import type { Schema, Side } from './schema.ts';
import { isStandard, standardSchema } from './standard-schema.ts';

/**
 * Reads a JSON Schema, a Standard Schema (zod, valibot, arktype), or `{ schema, jsonSchema }` of a Standard Schema without
 * a JSON Schema of its own. `coerces`: texts become what the schema asks for, since a query string has nothing else. Throws
 * with a reason if it is none of these.
 */
export async function readSchema(given: unknown, side: Side, coerces: boolean): Promise<Schema> {
  if (isStandard(given)) return standardSchema(given, side);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(
      'it takes a JSON Schema, or a schema of zod, valibot, arktype or another Standard Schema',
    );
  const { schema, jsonSchema } = given as {
    readonly schema?: unknown;
    readonly jsonSchema?: unknown;
  };
  if (isStandard(schema)) return standardSchema(schema, side, jsonSchema as JsonSchema | undefined);
  const { compileJsonSchema } = await import('./json-schema.ts');
  try {
    return compileJsonSchema(given as JsonSchema, coerces);
  } catch (error) {
    throw new TypeError(`it is no JSON Schema: ${messageOf(error)}`, { cause: error });
  }
}

import type { Define, JsonSchema } from './parsers/definition.ts';
import type { Words } from './keys/attribute.ts';
import { specificationOf } from './keys/root.ts';

/**
 * The JSON Schema (draft 2020-12) of the specification file, generated from the definitions that the parser validates
 * with. Served at `/_schema.json` and shipped as `schema.json`.
 */
export function jsonSchemaWith(words: Words): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const define: Define = (name, make) => {
    if (!definitions.has(name)) {
      // Reserve the name first, since the schema may refer to itself.
      definitions.set(name, {});
      definitions.set(name, make(define));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const root = specificationOf(words).schema(define);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:plinth:specification',
    title: 'Plinth specification',
    ...root,
    $defs: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

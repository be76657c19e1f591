import type { Define, JsonSchema } from './parsers/definition.ts';
import type { Words } from './keys/attribute.ts';
import { specificationOf } from './keys/root.ts';

/**
 * The JSON Schema (draft 2020-12) of the specification file, made from the definitions that the parser checks
 * by. Served at `/_schema.json` and shipped as `schema.json`.
 */
export function jsonSchemaWith(words: Words): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const define: Define = (name, make) => {
    if (!definitions.has(name)) {
      // Reserved before it is made, as it may refer to itself.
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

import { getOrInsert } from '../lib/get-or-insert.ts';
import { jsonSchemaWith } from '../specification/json-schema.ts';
import type { Words } from '../specification/keys/attribute.ts';
import { loadWith, type Loaded, type SpecificationFile } from '../specification/load.ts';
import type { FieldTypes } from './api.ts';
import { fieldTypes } from './field-types/registry.ts';
import type { JsonSchema } from './json-schema.ts';
import { operators } from './operators.ts';

const words = new WeakMap<FieldTypes, Words>();

function wordsOf(types: FieldTypes): Words {
  return getOrInsert(words, types, () => ({ types, operators }));
}

/** Reads YAML or JSON and checks its structure; all problems are values. No input or output. */
export function loadSpecification(file: SpecificationFile, types: FieldTypes = fieldTypes): Loaded {
  return loadWith(wordsOf(types), file);
}

/**
 * The JSON Schema (draft 2020-12) of the specification file, made from the definitions that the parser checks
 * by. Served at `/_schema.json` and shipped as `schema.json`.
 */
export function specificationJsonSchema(types: FieldTypes = fieldTypes): JsonSchema {
  return jsonSchemaWith(wordsOf(types));
}

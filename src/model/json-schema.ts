/** A JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The members that have a value. */
export function given(members: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

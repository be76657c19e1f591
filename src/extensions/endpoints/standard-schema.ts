import type { FieldProblem } from '../../errors.ts';
import { after } from '../../lib/maybe-promise.ts';
import { breaks } from '../../problem-rules.ts';
import type { JsonSchema } from '../../model/json-schema.ts';
import type { Checked, Schema, Side } from './schema.ts';

/** A schema of a library, as https://standardschema.dev describes it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** https://standardschema.dev/json-schema */
    readonly jsonSchema?: Readonly<
      Record<Side, (options: { readonly target: string }) => Record<string, unknown>>
    >;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value is a Standard Schema; those of arktype are functions. */
export function isStandard(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isHolder || !('~standard' in value)) return false;
  const { validate } = value['~standard'] as { readonly validate?: unknown };
  return typeof validate === 'function';
}

/** The schema of a library; `json` is its JSON Schema where it gives none itself. */
export function standardSchema(
  { '~standard': { validate, jsonSchema } }: StandardSchema,
  side: Side,
  json = ownJsonSchema(jsonSchema?.[side]),
): Schema {
  return {
    json,
    check: (value) =>
      after(validate(value), (result): Checked =>
        result.issues === undefined
          ? { ok: true, value: result.value }
          : { ok: false, problems: result.issues.map(problemOf) },
      ),
  };
}

type Converter = NonNullable<StandardSchema['~standard']['jsonSchema']>[Side];

/** Undefined where a library cannot write a schema as JSON Schema, as of transformed values. */
function ownJsonSchema(convert: Converter | undefined): JsonSchema | undefined {
  try {
    const { $schema: _, ...schema } = convert?.({ target: 'draft-2020-12' }) ?? {};
    return convert === undefined ? undefined : schema;
  } catch {
    return undefined;
  }
}

function problemOf({ message, path = [] }: StandardIssue): FieldProblem {
  const parts = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return { field: parts.join('.'), message, ...breaks('custom', { name: undefined }) };
}

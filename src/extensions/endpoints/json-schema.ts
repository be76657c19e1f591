import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldProblem } from '../../errors.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { formats } from '../../model/field-types/texts/string.ts';
import { breaks, type BrokenRule } from '../../problem-rules.ts';
import type { JsonSchema } from '../../model/json-schema.ts';
import type { Schema } from './schema.ts';

/** The formats that are checked, beside those of fields; every other `format` is a note, as the standard has it. */
const checkedFormats: Readonly<Record<string, (text: string) => boolean>> = {
  ...Object.fromEntries(
    Object.values(formats).flatMap(({ schema: { format }, test }) =>
      format === undefined ? [] : [[format, test]],
    ),
  ),
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/u.test(text) && isMoment(`${text}T00:00:00Z`),
  'date-time': (text) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/iu.test(text) &&
    isMoment(text),
};

function isMoment(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** The names of all formats in a schema. Ajv refuses those that it does not know, and anybody may name some. */
function formatsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { format } = schema as { readonly format?: unknown };
  const own = typeof format === 'string' ? [format] : [];
  return [...own, ...Object.values(schema).flatMap(formatsIn)];
}

function makeAjv(coerces: boolean): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    useDefaults: true,
    coerceTypes: coerces ? 'array' : false,
    formats: checkedFormats,
    logger: false,
  });
}

/** Making one takes 100 ms. */
const made = new Map<boolean, Ajv2020>();

/** Compiles a JSON Schema (2020-12); throws for one that is none. */
export function compileJsonSchema(json: JsonSchema, coerces: boolean): Schema {
  const ajv = getOrInsert(made, coerces, () => makeAjv(coerces));
  for (const name of formatsIn(json))
    if (!Object.hasOwn(checkedFormats, name)) ajv.addFormat(name, true);
  let validate: ValidateFunction;
  try {
    validate = ajv.compile({ ...json });
  } finally {
    // The next load of a module may have another schema under the same `$id`.
    ajv.removeSchema();
  }
  return {
    json,
    check: (value) => {
      // Defaults and conversions change it in place.
      if (validate(value)) return { ok: true, value };
      return { ok: false, problems: (validate.errors ?? []).slice(0, mostProblems).map(problemOf) };
    },
  };
}

const mostProblems = 100;

function problemOf(error: ErrorObject): FieldProblem {
  const { instancePath, keyword, params, message = 'is invalid' } = error;
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const member = (name: unknown): string => [...path, String(name)].join('.');
  const given = params as Readonly<Record<string, unknown>>;
  const broken = brokenBy(keyword, given);
  if (keyword === 'required')
    return { field: member(given['missingProperty']), message: 'is required', ...broken };
  if (broken.rule === 'unknown') {
    const name = given['additionalProperty'] ?? given['unevaluatedProperty'];
    return { field: member(name), message: 'is unknown', ...broken };
  }
  const field = path.join('.');
  if (keyword !== 'enum') return { field, message, ...broken };
  const values = (given['allowedValues'] as unknown[]).map((one) => JSON.stringify(one));
  return { field, message: `must be one of ${values.join(', ')}`, ...broken };
}

function brokenBy(keyword: string, given: Readonly<Record<string, unknown>>): BrokenRule {
  const limit = given['limit'] as number;
  switch (keyword) {
    case 'required':
    case 'uniqueItems':
      return breaks(keyword);
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return breaks('unknown', { nearest: undefined, known: undefined });
    case 'type':
      return breaks('type', { expected: String(given['type']) });
    case 'enum':
      return breaks('enum', { values: given['allowedValues'] as unknown[] });
    case 'format':
      return breaks('format', { format: String(given['format']) });
    case 'pattern':
      return breaks('pattern', { pattern: String(given['pattern']) });
    case 'multipleOf':
      return breaks('multipleOf', { of: given['multipleOf'] as number });
    case 'minLength':
    case 'minItems':
    case 'minimum':
    case 'exclusiveMinimum':
      return breaks(keyword, { min: limit });
    case 'maxLength':
    case 'maxItems':
    case 'maximum':
    case 'exclusiveMaximum':
      return breaks(keyword, { max: limit });
    default:
      return breaks('custom', { name: keyword });
  }
}

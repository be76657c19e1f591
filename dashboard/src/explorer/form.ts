import type { FieldInfo } from '../model.ts';
import type { ApiRecord } from './Results.tsx';

/** What stands in the inputs of a form, by the names of the fields. */
export type Inputs = Readonly<Record<string, string>>;

const structured: ReadonlySet<string> = new Set(['object', 'array', 'json']);

/** Whether a field is given as JSON. */
export function isStructured({ type }: FieldInfo): boolean {
  return structured.has(type);
}

/** The text of a value in its input; empty for null and for what is not there. */
export function inputText(field: FieldInfo, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (isStructured(field)) return JSON.stringify(value, undefined, 2);
  return String(value);
}

export type Reading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/**
 * The value that an input stands for. What is no number stays a text, so that the server says in its own words what
 * it takes; only JSON that cannot be read is refused here.
 */
export function readInput(field: FieldInfo, text: string): Reading {
  if (text === '' && field.isNullable) return { ok: true, value: null };
  if (isStructured(field)) {
    try {
      return { ok: true, value: JSON.parse(text) as unknown };
    } catch {
      return { ok: false, message: 'is not valid JSON' };
    }
  }
  if (field.type === 'boolean' && (text === 'true' || text === 'false'))
    return { ok: true, value: text === 'true' };
  const isNumber = ['integer', 'number'].includes(field.type) || isNumericId(field);
  const number = Number(text);
  if (isNumber && text.trim() !== '' && Number.isFinite(number)) return { ok: true, value: number };
  const own = field.values?.find((one) => String(one) === text);
  return { ok: true, value: own ?? text };
}

function isNumericId({ type, constraints }: FieldInfo): boolean {
  return type === 'id' && constraints['format'] === undefined;
}

/**
 * The body of a create, or of a change of `before`: what was written, and of a change only what differs. Problems
 * are by field.
 */
export function readForm(
  fields: readonly FieldInfo[],
  inputs: Inputs,
  before: ApiRecord | undefined,
): { readonly body: ApiRecord; readonly problems: Readonly<Record<string, string>> } {
  const body: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = inputs[field.name] ?? '';
    const old = before === undefined ? '' : inputText(field, before[field.name]);
    if (text === old) continue;
    const reading = readInput(field, text);
    if (reading.ok) body[field.name] = reading.value;
    else problems[field.name] = reading.message;
  }
  return { body, problems };
}

import type { Faker } from '@faker-js/faker';
import type { Field } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { fakerCall } from './faker-call.ts';
import { isModuleFunction, type UserFunctions } from './modules.ts';
import { listPool, rangePool } from '../distinct/pool.ts';
import { GenerationProblem } from '../problem.ts';
import type { Row, Source } from '../source.ts';
import { namedTransform } from './transforms.ts';
import type { Words } from '../words/words.ts';

/** The source that the file names for a field. */
export interface CustomSource extends Source {
  readonly kind: 'values' | 'template' | 'generator' | 'module';
  /** The attribute of the field in the file. */
  readonly attribute: string;
  /** Whether values are distinct as they are, transforms included, as far as can be told. */
  readonly isDistinct: boolean;
  /** Why the source does not exist. */
  readonly problem?: GenerationProblem;
  /** Warnings, as far as the values until now show. */
  readonly warnings?: () => readonly string[];
}

/** Transforms that keep texts with different numbers distinct. */
const keepsNumbers = /^(?:lowercase|uppercase|trim|slug|prefix\(.*\))$/su;

/** Changes a drawn value. */
export type Transform = (value: unknown, row: Row) => unknown;

/**
 * The source that a field names: `values`, `template` or `generator`, in this order; undefined if it names none. Throws a
 * `GenerationProblem` if the source does not exist.
 */
function customSource(
  field: Field,
  path: readonly (string | number)[],
  words: Words,
  functions: UserFunctions,
): CustomSource | undefined {
  const { values, template, generator, transform = [] } = field.attributes;
  if (values !== undefined && field.type.attributes.includes('drawnValues')) {
    const distinct = [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
    const pool = listPool(distinct);
    return {
      kind: 'values',
      attribute: 'values',
      name: 'values',
      args: values,
      pool,
      isDistinct: true,
      draw: ({ random }) => random.pick(values),
    };
  }
  if (template !== undefined) {
    const parts = templateParts(template, words.faker, [...path, 'template']);
    const { fields, id } = field.resource;
    const isUnique = (name = ''): boolean => name === id.name || fields.get(name)?.unique === true;
    const hasRow = parts.some(({ self }) => self === 'row');
    return {
      kind: 'template',
      attribute: 'template',
      name: 'template',
      isDistinct:
        transform.length === 0
          ? hasRow || parts.some(({ self }) => isUnique(self))
          : hasRow && transform.every((change) => keepsNumbers.test(change)),
      draw: (_, row) => parts.map((part) => textOf(part.value(row))).join(''),
      warnings: () => parts.flatMap(({ warnings }) => warnings?.() ?? []),
    };
  }
  if (generator === undefined) return undefined;
  const [name, args] =
    typeof generator === 'string' ? [generator, undefined] : [generator.name, generator.args];
  const place = [...path, 'generator'];
  const shared = { attribute: 'generator', name, ...(args === undefined ? {} : { args }) };
  if (isModuleFunction(name)) {
    const call = functionCaller(name, functions, words, args);
    return { ...shared, kind: 'module', isDistinct: true, draw: (_, row) => call(row, undefined) };
  }
  const { call, range, warnings } = fakerCall(name, args, words.faker, place);
  return {
    ...shared,
    kind: 'generator',
    pool: range && rangePool(field, range),
    isDistinct: transform.length === 0 && /^string\.(?:uuid|nanoid|ulid)$/u.test(name),
    draw: call,
    warnings,
  };
}

/** As `customSource`, but throws the problem when a value is drawn, so that other fields are checked too. */
export function customOrProblem(
  ...given: Parameters<typeof customSource>
): CustomSource | undefined {
  try {
    return customSource(...given);
  } catch (error) {
    if (!(error instanceof GenerationProblem)) throw error;
    const draw = (): never => {
      throw error;
    };
    const shared = { kind: 'generator', attribute: 'generator', name: 'unknown' } as const;
    return { ...shared, isDistinct: true, draw, problem: error };
  }
}

/** The transforms of a field. */
export function changesOf(
  field: Field,
  words: Words,
  functions: UserFunctions,
): readonly Transform[] {
  return (field.attributes.transform ?? []).map((text): Transform => {
    const named = namedTransform(text, words);
    if (named !== undefined) return named;
    const call = functionCaller(text, functions, words, undefined);
    return (value, row) => call(row, value);
  });
}

function functionCaller(
  name: string,
  functions: UserFunctions,
  words: Words,
  args: JsonValue | undefined,
): (row: Row, value: unknown) => unknown {
  const { random, faker } = words;
  const called = functions.get(name);
  return (row, value) => {
    if (called === undefined) throw new TypeError(`${name} is not loaded`);
    const self = new Proxy<Record<string, JsonValue | undefined>>(
      {},
      { get: (_, member) => (typeof member === 'string' ? row.sibling(member) : undefined) },
    );
    const result = called({
      row: row.number,
      random: () => random.next(),
      faker,
      self,
      args,
      value,
    });
    if (result instanceof Promise) {
      result.catch(() => undefined);
      throw new TypeError(`${name} gives a promise; it must give the value itself`);
    }
    return result;
  };
}

interface TemplatePart {
  /** The field of the row that it inserts, or `row`. */
  readonly self?: string;
  readonly value: (row: Row) => unknown;
  readonly warnings?: () => readonly string[];
}

function templateParts(
  template: string,
  faker: Faker,
  place: readonly (string | number)[],
): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  for (const piece of template.split(/(\{\{.*?\}\})/su)) {
    if (piece === '') continue;
    const [, expression] = /^\{\{\s*(.*?)\s*\}\}$/su.exec(piece) ?? [];
    const open = expression === undefined ? piece.indexOf('{{') : -1;
    if (open !== -1) throw new GenerationProblem(place, `${piece.slice(open)} has no }}`);
    parts.push(
      expression === undefined ? { value: () => piece } : partOf(expression, faker, place),
    );
  }
  return parts;
}

/** `row`, `self.name`, `person.firstName` or `number.int({"min": 1})`. */
function partOf(
  expression: string,
  faker: Faker,
  place: readonly (string | number)[],
): TemplatePart {
  if (expression === 'row') return { self: 'row', value: (row) => row.number };
  const [, path] = /^self\.([\w.]+)$/u.exec(expression) ?? [];
  if (path !== undefined) {
    const [name = '', ...members] = path.split('.');
    return {
      ...(members.length === 0 ? { self: name } : {}),
      value: (row) =>
        members.reduce<unknown>(
          (value, member) => (value as Record<string, unknown> | null | undefined)?.[member],
          row.sibling(name),
        ),
    };
  }
  const [, name, given] = /^([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\((.*)\))?$/su.exec(expression) ?? [];
  if (name === undefined)
    throw new GenerationProblem(
      place,
      `{{${expression}}} is not a name such as {{person.firstName}}, {{self.email}} or {{row}}`,
    );
  const { call, warnings } = fakerCall(name, argumentsOf(given, expression, place), faker, place);
  return { value: call, warnings };
}

function argumentsOf(
  given: string | undefined,
  expression: string,
  place: readonly (string | number)[],
): JsonValue | undefined {
  if (given === undefined || given.trim() === '') return undefined;
  try {
    return JSON.parse(`[${given}]`) as JsonValue;
  } catch {
    throw new GenerationProblem(place, `the arguments of {{${expression}}} are not JSON`);
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

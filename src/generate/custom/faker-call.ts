import type { Faker } from '@faker-js/faker';
import { unknownName } from '../../model/build/names.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { isJsonObject } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { NumberRange } from '../distinct/pool.ts';
import { GenerationProblem } from '../problem.ts';

/** A function of the faker library with arguments from the file. */
export interface FakerCall {
  readonly call: () => unknown;
  /** The range, if it draws numbers. */
  readonly range: NumberRange | undefined;
  /** Arguments that the function has not read until now. */
  readonly warnings: () => readonly string[];
}

/**
 * The function of the faker library that a file names. Throws a `GenerationProblem` if it does not exist or an argument has
 * the wrong type; a call throws one if it returns no value.
 */
export function fakerCall(
  name: string,
  args: JsonValue | undefined,
  faker: Faker,
  place: readonly (string | number)[],
): FakerCall {
  const [module = '', last = '', ...more] = name.split('.');
  const owner = Object.hasOwn(faker, module)
    ? (faker as unknown as Record<string, unknown>)[module]
    : undefined;
  const isKnown = more.length === 0 && last !== 'constructor' && !module.startsWith('_');
  const called = isKnown ? (owner as Record<string, unknown> | undefined)?.[last] : undefined;
  if (typeof called !== 'function')
    throw new GenerationProblem(place, unknownGenerator(name, fakerNames(faker)));
  const given: readonly JsonValue[] =
    args === undefined ? [] : Array.isArray(args) ? (args as readonly JsonValue[]) : [args];
  for (const one of given) checkTypes(one, name, place);
  const options = given.map(watchedOptions);
  const parameters = options.map(({ value }) => value);
  const range = rangeOf(name, parameters[0]);
  let isCalled = range !== undefined;
  return {
    range,
    call: () => {
      isCalled = true;
      const result: unknown = Reflect.apply(called, owner, parameters);
      if (isNothing(result))
        throw new GenerationProblem(place, `${name} gives no value with these arguments`);
      return result;
    },
    warnings: () => (isCalled ? options.flatMap(({ unread }) => unread()) : []),
  };
}

/** The range of a function that draws numbers; undefined for others. */
function rangeOf(name: string, first: unknown = {}): NumberRange | undefined {
  const isWhole = name === 'number.int';
  if (!isWhole && name !== 'number.float') return undefined;
  const options = (typeof first === 'object' ? first : { max: first }) as Record<string, unknown>;
  const number = (member: string): number | undefined => {
    const value = options[member];
    return typeof value === 'number' ? value : undefined;
  };
  const min = number('min') ?? 0;
  const step = number('multipleOf');
  if (isWhole) return { min, max: number('max') ?? Number.MAX_SAFE_INTEGER, step: step ?? 1 };
  const digits = number('fractionDigits');
  const finest = digits === undefined ? undefined : 10 ** -digits;
  return { min, max: number('max') ?? 1, step: step ?? finest };
}

/**
 * `faker.number.int` and `number.integer` mean number.int, `phone.phoneNumber` phone.number, and `address.city`, as it was
 * called in former versions of the library, location.city.
 */
function unknownGenerator(name: string, known: readonly string[]): string {
  const wanted = name.replace(/^faker\./u, '');
  const [module = '', last = ''] = wanted.split('.');
  const near = nearest(wanted, known);
  const within = known
    .filter((one) => one.startsWith(`${module}.`))
    .filter((one) => last.toLowerCase().includes(one.slice(module.length + 1).toLowerCase()));
  const longest = within.toSorted((a, b) => b.length - a.length)[0];
  // `datatype.number` is not phone.number: `number` is a whole module.
  const isModule = known.some((one) => one.startsWith(`${last}.`));
  const elsewhere = isModule ? undefined : known.find((one) => one.endsWith(`.${last}`));
  return unknownName('generator', name, known, near ?? longest ?? elsewhere);
}

/** Whether a result shows that the arguments make no sense. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'number') return Number.isNaN(value);
  return (
    value === undefined || value === 'NaN' || (value instanceof Date && isNothing(value.getTime()))
  );
}

/** The types of options, the same in the whole library; options of several types are left out. */
const optionTypes: readonly (readonly [type: 'number' | 'boolean' | 'string', names: RegExp])[] = [
  [
    'number',
    /^(?:min|max|width|height|probability|precision|multipleOf|dec|radius|fractionDigits|years|days|extensionCount|fileCount)$/u,
  ],
  [
    'boolean',
    /^(?:(?:include|is|use|allow)[A-Z].*|abbreviated|context|grayscale|memorable|merge|inplace)$/u,
  ],
  ['string', /^(?:firstName|lastName|prefix|separator|symbol|issuer|provider|state|casing)$/u],
];

function checkTypes(
  value: JsonValue,
  name: string,
  place: readonly (string | number)[],
  within = '',
): void {
  if (!isJsonObject(value) || name === 'number.bigInt') return;
  for (const [member, one] of Object.entries(value)) {
    const path = `${within}${member}`;
    if (member === 'length' && isJsonObject(one)) checkTypes(one, name, place, `${path}.`);
    const [type] =
      member === 'length' && !isJsonObject(one)
        ? ['number' as const]
        : (optionTypes.find(([, names]) => names.test(member)) ?? []);
    if (type !== undefined && typeof one !== type)
      throw new GenerationProblem(
        place,
        `the argument ${path} of ${name} must be a ${type}, not ${JSON.stringify(one)}`,
      );
  }
}

/** Options that record which members were read: a misspelt one never is. */
function watchedOptions(value: JsonValue): {
  readonly value: unknown;
  readonly unread: () => readonly string[];
} {
  if (!isJsonObject(value)) return { value, unread: () => [] };
  const asked = new Set<string>();
  const watched = new Proxy(value, {
    get: (target, member) => {
      if (typeof member === 'string') asked.add(member);
      return Reflect.get(target, member) as unknown;
    },
    ownKeys: (target) => {
      for (const member of Object.keys(target)) asked.add(member);
      return Reflect.ownKeys(target);
    },
  });
  const unread = (): readonly string[] =>
    Object.keys(value)
      .filter((member) => !asked.has(member))
      .map((member) => unknownName('argument', member, asked));
  return { value: watched, unread };
}

function fakerNames(faker: Faker): readonly string[] {
  return Object.entries(faker).flatMap(([module, functions]) =>
    typeof functions === 'object' &&
    functions !== null &&
    !module.startsWith('faker') &&
    !module.startsWith('_')
      ? Object.entries(functions as object)
          .filter(([, one]) => typeof one === 'function')
          .map(([name]) => `${module}.${name}`)
      : [],
  );
}

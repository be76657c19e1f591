import type { Collector } from './collector.ts';
import { describeNode, quote, type Path, type SourceNode } from '../yaml/node.ts';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Puts a schema below `$defs` the first time, and gives the reference to it. */
export type Define = (name: string, make: (define: Define) => JsonSchema) => JsonSchema;

/** What a check gives for a value that was refused; the reason is reported. */
export const invalid: unique symbol = Symbol('invalid');
export type Checked<T> = T | typeof invalid;

/**
 * What a part of the file has to look like. From it come the check, the JSON Schema and, by inference, the
 * TypeScript type `T` of the value that the check gives.
 */
export interface Definition<out T> {
  /** What is wanted, in words that follow "must be": `true or false`. */
  readonly expects: string;
  /** `wanted` stands in for `expects` in messages, where this is one of several alternatives. */
  readonly check: (
    node: SourceNode,
    path: Path,
    collector: Collector,
    wanted?: string,
  ) => Checked<T>;
  readonly schema: (define: Define) => JsonSchema;
  /** What may stand below, by its name; under `*` what has a name that the user chooses, or none. */
  readonly members?: ReadonlyMap<string, Definition<unknown>>;
}

export type TypeOf<D> = D extends Definition<infer T> ? T : never;

/** Whether two types are the same, optional members and `readonly` included. */
// oxlint-disable typescript/no-unnecessary-type-parameters -- functions of this kind are assignable to each
// other only where the compiler holds `A` and `B` to be identical
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
// oxlint-enable typescript/no-unnecessary-type-parameters

/** Lets the compiler check that a definition gives exactly `T`: `exactly<Limits>()(object({ … }))`. */
export function exactly<T>(): <U>(
  definition: Same<T, U> extends true ? Definition<U> : { readonly differsFrom: T },
) => Definition<T> {
  return (definition) => definition as unknown as Definition<T>;
}

/** Checks a value; one that was refused while reading is passed over, as that is reported already. */
export function check<T>(
  definition: Definition<T>,
  node: SourceNode,
  path: Path,
  collector: Collector,
  wanted?: string,
): Checked<T> {
  if (node.kind === 'scalar' && node.origin === 'unusable') {
    collector.passOver();
    return invalid;
  }
  return definition.check(node, path, collector, wanted);
}

/** Reports that the value is not what `expects` says, with advice where there is some. */
export function refuse(
  expects: string,
  node: SourceNode,
  path: Path,
  collector: Collector,
  advice = '',
): typeof invalid {
  const found = describeNode(node);
  const but = found === 'empty' ? 'but it is empty' : `not ${found}`;
  collector.report(path, `${subject(path)} must be ${expects}, ${but}${advice}`);
  return invalid;
}

/** What a message is about: the last name of the path, or an item of it. */
export function subject(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  if (typeof last === 'string') return quote(last);
  const name = path.findLast((step) => typeof step === 'string');
  return name === undefined ? 'an item' : `an item of ${quote(name)}`;
}

/** The same definition with a description of its own in the JSON Schema. */
export function described<T>(description: string, definition: Definition<T>): Definition<T> {
  return {
    ...definition,
    schema: (define) => ({ ...definition.schema(define), description }),
  };
}

/** A definition that stands below `$defs` in the JSON Schema. */
export function named<T>(name: string, definition: Definition<T>): Definition<T> {
  return {
    ...definition,
    schema: (define) => define(name, (inner) => definition.schema(inner)),
  };
}

/** A definition that refers to itself; it stands below `$defs` in the JSON Schema. */
export function recursive<T>(
  name: string,
  expects: string,
  definition: () => Definition<T>,
): Definition<T> {
  return {
    expects,
    check: (node, path, collector, wanted) => definition().check(node, path, collector, wanted),
    schema: (define) => define(name, (inner) => definition().schema(inner)),
  };
}

/** Gives another value for what the definition read. */
export function mapped<T, U>(definition: Definition<T>, change: (value: T) => U): Definition<U> {
  return {
    ...definition,
    check: (node, path, collector, wanted) => {
      const value = check(definition, node, path, collector, wanted);
      return value === invalid ? invalid : change(value);
    },
  };
}

/** Reports what is wrong below the value's own path. */
export type ReportBelow = (path: Path, message: string) => void;

/**
 * A definition with a further check, which the JSON Schema does not have; it runs where everything below is
 * right. `test` reports what contradicts.
 */
export function refined<T>(
  definition: Definition<T>,
  test: (value: T, report: ReportBelow) => void,
): Definition<T> {
  return {
    ...definition,
    check: (node, path, collector, wanted) => {
      const before = collector.refusals();
      const value = check(definition, node, path, collector, wanted);
      if (value === invalid || collector.refusals() > before) return value;
      test(value, (below, message) => collector.report([...path, ...below], message));
      return collector.refusals() > before ? invalid : value;
    },
  };
}

/**
 * A map of which some members may contradict each other, which the JSON Schema does not know. `test` reports it, and runs
 * whatever else is wrong, unless one of these members is there and was refused. The value stays.
 */
export function consistent<T extends object>(
  definition: Definition<T>,
  members: readonly (keyof T & string)[],
  test: (value: T, report: ReportBelow) => void,
): Definition<T> {
  return {
    ...definition,
    check: (node, path, collector, wanted) => {
      const value = check(definition, node, path, collector, wanted);
      if (value === invalid || node.kind !== 'map') return value;
      if (members.every((member) => !node.entries.has(member) || Object.hasOwn(value, member)))
        test(value, (below, message) => collector.report([...path, ...below], message));
      return value;
    },
  };
}

/** The same definition, in other words for messages. */
export function reworded<T>(expects: string, definition: Definition<T>): Definition<T> {
  return {
    ...definition,
    expects,
    check: (node, path, collector, wanted = expects) =>
      definition.check(node, path, collector, wanted),
  };
}

/** Adds to the JSON Schema what the check does by other means. */
export function withSchema<T>(definition: Definition<T>, more: JsonSchema): Definition<T> {
  return { ...definition, schema: (define) => ({ ...definition.schema(define), ...more }) };
}

/** `a, b or c`, or with another word before the last. */
export function either(words: readonly string[], before: 'or' | 'and' = 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${before} ${last}`;
}

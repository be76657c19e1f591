import type { Collector } from './collector.ts';
import type { Replacement } from '../problems.ts';
import { describeNode, quote, type Path, type SourceNode } from '../yaml/node.ts';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Adds a schema to `$defs` the first time; returns a reference to it. */
export type Define = (name: string, make: (define: Define) => JsonSchema) => JsonSchema;

/** The result of a check for an invalid value; the problem is reported. */
export const invalid: unique symbol = Symbol('invalid');
export type Checked<T> = T | typeof invalid;

/**
 * The definition of a part of the file, from which follow the check, the JSON Schema and, by inference, the
 * TypeScript type `T` of the checked value.
 */
export interface Definition<out T> {
  /** The expected value, to follow "must be": `true or false`. */
  readonly expects: string;
  /** `wanted` replaces `expects` in messages, if this is one of several alternatives. */
  readonly check: (
    node: SourceNode,
    path: Path,
    collector: Collector,
    wanted?: string,
  ) => Checked<T>;
  readonly schema: (define: Define) => JsonSchema;
  /** The definitions below, by name; `*` for names that the user chooses and for items. */
  readonly members?: ReadonlyMap<string, Definition<unknown>>;
}

export type TypeOf<D> = D extends Definition<infer T> ? T : never;

/** Whether two types are the same, including optional members and `readonly`. */
// oxlint-disable typescript/no-unnecessary-type-parameters -- functions of this kind are assignable to each
// other only where the compiler holds `A` and `B` to be identical
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
// oxlint-enable typescript/no-unnecessary-type-parameters

/** Makes the compiler check that a definition's type is exactly `T`: `exactly<Limits>()(object({ … }))`. */
export function exactly<T>(): <U>(
  definition: Same<T, U> extends true ? Definition<U> : { readonly differsFrom: T },
) => Definition<T> {
  return (definition) => definition as unknown as Definition<T>;
}

/** Checks a value; skips one whose problem was reported when it was read. */
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

/** Reports that the value is not as `expects` says, with advice and what to write instead, if there is any. */
export function refuse(
  expects: string,
  node: SourceNode,
  path: Path,
  collector: Collector,
  advice = '',
  instead?: Replacement,
): typeof invalid {
  const found = describeNode(node);
  const but = found === 'empty' ? 'but it is empty' : `not ${found}`;
  const message = `${subject(path)} must be ${expects}, ${but}${advice}`;
  collector.report(path, message, 'error', { rule: 'value', instead });
  return invalid;
}

/** The subject of a message: the last name of the path, or an item of it. */
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

/** A definition that is in `$defs` of the JSON Schema. */
export function named<T>(name: string, definition: Definition<T>): Definition<T> {
  return {
    ...definition,
    schema: (define) => define(name, (inner) => definition.schema(inner)),
  };
}

/** A definition that refers to itself; it is in `$defs` of the JSON Schema. */
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

/** Maps the checked value of a definition. */
export function mapped<T, U>(definition: Definition<T>, change: (value: T) => U): Definition<U> {
  return {
    ...definition,
    check: (node, path, collector, wanted) => {
      const value = check(definition, node, path, collector, wanted);
      return value === invalid ? invalid : change(value);
    },
  };
}

/** Reports a problem at a path below the value. */
export type ReportBelow = (path: Path, message: string) => void;

/**
 * A definition with a further check, which is not in the JSON Schema. It runs only if everything below is
 * valid. `test` reports contradictions.
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
      test(value, (below, message) =>
        collector.report([...path, ...below], message, 'error', { rule: 'value' }),
      );
      return collector.refusals() > before ? invalid : value;
    },
  };
}

/**
 * A map with members that may contradict each other, which is not in the JSON Schema. `test` reports that, and runs even if
 * other members are invalid, but not if one of these members is. The value stays.
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
        test(value, (below, message) =>
          collector.report([...path, ...below], message, 'error', { rule: 'contradiction' }),
        );
      return value;
    },
  };
}

/** The same definition with other words for messages. */
export function reworded<T>(expects: string, definition: Definition<T>): Definition<T> {
  return {
    ...definition,
    expects,
    check: (node, path, collector, wanted = expects) =>
      definition.check(node, path, collector, wanted),
  };
}

/** Adds to the JSON Schema what the check already tests otherwise. */
export function withSchema<T>(definition: Definition<T>, more: JsonSchema): Definition<T> {
  return { ...definition, schema: (define) => ({ ...definition.schema(define), ...more }) };
}

/** `a, b or c`, or with another conjunction. */
export function either(words: readonly string[], before: 'or' | 'and' = 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${before} ${last}`;
}

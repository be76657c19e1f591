import { getOrInsert } from '../lib/get-or-insert.ts';
import {
  collectProblems,
  inOrder,
  type Collector,
  type PlaceOf,
  type PositionOf,
} from './parsers/collector.ts';
import { check, invalid } from './parsers/definition.ts';
import type { Words } from './keys/attribute.ts';
import { specificationOf } from './keys/root.ts';
import { placesIn } from './parsers/elsewhere.ts';
import type { LeftOut } from './parsers/left-out.ts';
import type { Problem } from './problems.ts';
import type { Environment } from './yaml/environment.ts';
import { positionIn, type Path } from './yaml/node.ts';
import { readYaml } from './yaml/yaml.ts';
import type { Specification } from './specification.ts';

export interface SpecificationFile {
  /** The name in messages. */
  readonly file: string;
  readonly text: string;
  /** The variables for `${NAME}`. */
  readonly environment: Environment;
  /** Load only to describe the API: unset variables in values that only a server needs are then warnings. */
  readonly isOnlyRead?: boolean;
}

/** The members of `auth` that credentials are verified with. */
const ofCredentials: ReadonlySet<unknown> = new Set([
  'secret',
  'publicKey',
  'jwksUri',
  'issuer',
  'audience',
]);

/** Whether only a server needs the value at a path, and no document of the API. */
const isOfServers: Readonly<Record<string, (path: Path) => boolean>> = {
  database: () => true,
  logging: () => true,
  server: ([, name]) => name !== 'publicUrl',
  rateLimit: ([, name]) => name === 'store',
  auth: (path) => ofCredentials.has(path.findLast((one) => typeof one === 'string')),
};

export interface Loaded {
  readonly file: string;
  /**
   * The valid part, for further checks: resources, fields and attributes with errors are omitted. Undefined if nothing is
   * left to check, as after a syntax error. To be served only if no
   * problem is an error.
   */
  readonly specification: Specification | undefined;
  /** The names that are missing from `specification` because of errors. */
  readonly leftOut: LeftOut;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** The position of the value at a path (with `key`, of its name), or of the nearest ancestor. */
  readonly positionOf: PositionOf;
}

const places = new WeakMap<Words, PlaceOf>();

/**
 * Reads YAML or JSON and checks its structure against these types and operators; all problems are values. No input or
 * output.
 */
export function loadWith(
  words: Words,
  { file, text, environment, isOnlyRead = false }: SpecificationFile,
): Loaded {
  const specification = specificationOf(words);
  const placeOf = getOrInsert(places, words, () => placesIn(specification));
  const suffixes = Object.values(words.operators).flatMap(({ suffix }) => suffix || []);
  const syntax = collectProblems(file, () => ({ line: 1, column: 1, written: '' }));
  const mayBeUnset = (path: Path): boolean =>
    isOnlyRead && isOfServers[String(path[0])]?.(path) === true;
  const root = readYaml(text, environment, mayBeUnset, syntax);
  const positionOf: PositionOf = (path, part) => positionIn(root, path, part);
  const structure: Collector = collectProblems(file, positionOf, placeOf, suffixes);
  const checked = root === undefined ? invalid : check(specification, root, [], structure);
  return {
    file,
    specification: checked === invalid ? undefined : checked,
    leftOut: structure.leftOut(),
    problems: inOrder([...syntax.problems(), ...structure.problems()]),
    positionOf,
  };
}

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
  /** As messages name it. */
  readonly file: string;
  readonly text: string;
  /** The variables that `${NAME}` may name. */
  readonly environment: Environment;
  /** Whether it is read to describe the API and not to serve it: then what only a server needs may be unset, with a warning. */
  readonly isOnlyRead?: boolean;
}

/** What of `auth` credentials are held against. */
const ofCredentials: ReadonlySet<unknown> = new Set([
  'secret',
  'publicKey',
  'jwksUri',
  'issuer',
  'audience',
]);

/** Whether only a server needs what stands there: no document of the API says anything of it. */
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
   * What was understood, for further checks: resources, fields and attributes with errors are left out of it.
   * Undefined where there is nothing to go on with, as after a fault in the syntax. To be served only when no
   * problem is an error.
   */
  readonly specification: Specification | undefined;
  /** What is missing from `specification`, as it was not understood. */
  readonly leftOut: LeftOut;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Where the value at a path (or, with `key`, its name) stands; else its nearest ancestor. */
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
  const suffixes = Object.values(words.operators).map(({ suffix }) => suffix);
  const syntax = collectProblems(file, () => ({ line: 1, column: 1 }));
  const mayBeUnset = (path: Path): boolean =>
    isOnlyRead && isOfServers[String(path[0])]?.(path) === true;
  const root = readYaml(text, environment, mayBeUnset, syntax.reportAt);
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

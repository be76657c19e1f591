import { collectProblems, inOrder, type Collector, type PositionOf } from './collector.ts';
import { check, invalid } from './definition.ts';
import { specification } from './definitions/root.ts';
import type { Problem } from './problems.ts';
import type { Environment } from './source/environment.ts';
import { positionIn } from './source/node.ts';
import { readYaml } from './source/yaml.ts';
import type { Specification } from './specification.ts';

export interface SpecificationFile {
  /** As messages name it. */
  readonly file: string;
  readonly text: string;
  /** The variables that `${NAME}` may name. */
  readonly environment: Environment;
}

export interface Loaded {
  readonly file: string;
  /**
   * What was understood, for further checks; attributes with errors are left out of it. Undefined where that
   * would be misleading: a fault in the syntax, or a resource, field or type that was not understood. To be
   * served only when no problem is an error.
   */
  readonly specification: Specification | undefined;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Where the value at a path (or, with `key`, its name) stands; else its nearest ancestor. */
  readonly positionOf: PositionOf;
}

/** Reads YAML or JSON and checks its structure; all problems are values. No input or output. */
export function loadSpecification({ file, text, environment }: SpecificationFile): Loaded {
  const syntax = collectProblems(file, () => ({ line: 1, column: 1 }));
  const root = readYaml(text, environment, syntax.reportAt);
  const positionOf: PositionOf = (path, part) => positionIn(root, path, part);
  const structure: Collector = collectProblems(file, positionOf);
  const checked = root === undefined ? invalid : check(specification, root, [], structure);
  return {
    file,
    specification: checked === invalid ? undefined : checked,
    problems: inOrder([...syntax.problems(), ...structure.problems()]),
    positionOf,
  };
}

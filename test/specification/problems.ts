import { expect, test } from 'vitest';
import { loadSpecification } from '../../src/model/load-specification.ts';
import type { Loaded } from '../../src/specification/load.ts';

const environment = { PORT: '8080', YES: 'true', HOST: 'example.org', EMPTY: '', DIGITS: '1234' };

/** Loads a text in a fixed environment. */
export function load(text: string, file = 'plinth.yaml', isOnlyRead = false): Loaded {
  return loadSpecification({ file, text, environment, isOnlyRead });
}

/** Problems as `line:column path: message`, warnings marked. */
export function problemsIn(text: string, file?: string): readonly string[] {
  return load(text, file).problems.map(
    ({ severity, line, column, path, message }) =>
      `${severity === 'warning' ? 'warning ' : ''}${line}:${column} ${path}: ${message}`,
  );
}

/** A file in which one resource has these fields, each a line that begins in line 4, column 7. */
export function withFields(...lines: readonly string[]): string {
  return ['resources:', '  posts:', '    fields:', ...lines.map((line) => `      ${line}`)].join(
    '\n',
  );
}

export const fields = 'resources.posts.fields';
/** A right file on one line. */
export const good = 'resources: { posts: { fields: {} } }';

export type Row = readonly [name: string, text: string, ...problems: string[]];

/** One test a row: exactly these problems. */
export function expectProblems(rows: readonly Row[]): void {
  test.each(rows.map(([name, text, ...problems]) => ({ name, text, problems })))(
    '$name',
    ({ text, problems }) => {
      expect(problemsIn(text)).toEqual(problems);
    },
  );
}

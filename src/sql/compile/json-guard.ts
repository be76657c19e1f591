import { quote } from '../dialect.ts';

/**
 * What a column of JSON is made with. SQLite fails with the whole statement that looks into text which is no JSON, and to
 * ask of each value whether it is one takes as long as to look: so it is asked once, when it is written, by whomever.
 * To SQLite before 3.41, as many systems have it, null is no JSON.
 */
export function jsonGuard(column: string): string {
  const name = quote(column);
  return `CHECK (${name} IS NULL OR json_valid(${name}))`;
}

/** The names of the columns that have such a guard, in the definition of their table. */
export function guardedColumns(definition: string): readonly string[] {
  return [...withoutTexts(definition).matchAll(guards)].map(([, name, plain = '']) =>
    (name ?? plain).slice(1, -1).replaceAll('""', '"'),
  );
}

/** The definition of a table without guards, and without texts. */
export function withoutGuards(definition: string): string {
  return withoutTexts(definition).replaceAll(guards, ' ');
}

/** The second form is that of tables that were made before. */
const guards =
  /CHECK \((?:("(?:[^"]|"")*") IS NULL OR json_valid\(\1\)|json_valid\(("(?:[^"]|"")*")\))\)/gu;

/** SQL without what stands in it as text or comment; names stay. */
function withoutTexts(sql: string): string {
  return sql.replaceAll(
    /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|("(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])/gu,
    (_, name: string | undefined) => name ?? ' ',
  );
}

import { quote } from '../../sql/dialect.ts';

/**
 * The CHECK of a JSON column. In SQLite, a statement that reads inside invalid JSON fails as a whole, and testing each value
 * takes as long as reading it. So values are tested once, when they are written. SQLite before 3.41 treats null as invalid
 * JSON.
 */
export function jsonGuard(column: string): string {
  const name = quote(column);
  return `CHECK (${name} IS NULL OR json_valid(${name}))`;
}

/** The names of the columns that have such a CHECK in a table definition. */
export function guardedColumns(definition: string): readonly string[] {
  return [...withoutTexts(definition).matchAll(guards)].map(([, name, plain = '']) =>
    (name ?? plain).slice(1, -1).replaceAll('""', '"'),
  );
}

/** A table definition without these CHECKs, string literals and comments. */
export function withoutGuards(definition: string): string {
  return withoutTexts(definition).replaceAll(guards, ' ');
}

/** The second form is in tables of earlier versions. */
const guards =
  /CHECK \((?:("(?:[^"]|"")*") IS NULL OR json_valid\(\1\)|json_valid\(("(?:[^"]|"")*")\))\)/gu;

/** SQL without string literals and comments. */
function withoutTexts(sql: string): string {
  return sql.replaceAll(
    /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|("(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])/gu,
    (_, name: string | undefined) => name ?? ' ',
  );
}

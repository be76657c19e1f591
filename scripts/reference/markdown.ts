/** A value as code. */
export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** The first two lines of a table. */
export function head(titles: readonly string[]): readonly string[] {
  return [row(titles), row(titles.map(() => '---'))];
}

/** A line of a table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** A table, with an empty line after it. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return [...head(titles), ...rows.map(row), ''];
}

/** The blank before what begins a part of a statement. */
const clause =
  /(?<!CROSS|LEFT|INNER) (?=(?:FROM|WHERE|GROUP BY|ORDER BY|LIMIT|RETURNING|VALUES|SET|ON CONFLICT|UNION ALL|(?:CROSS |LEFT |INNER )?JOIN)\b)/uy;

/** A statement with a line for each of its clauses; what stands in brackets and between quotes stays as it is. */
export function inClauses(sql: string): string {
  let lines = '';
  let depth = 0;
  let quote: string | undefined;
  for (let at = 0; at < sql.length; at += 1) {
    const mark = sql.charAt(at);
    if (quote !== undefined) {
      if (mark === quote) quote = undefined;
    } else if (mark === '"' || mark === "'") quote = mark;
    else if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    clause.lastIndex = at;
    lines += depth === 0 && quote === undefined && clause.test(sql) ? '\n' : mark;
  }
  return lines;
}

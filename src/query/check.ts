import type { Api } from '../model/api.ts';
import type { Report } from '../specification/problems.ts';
import { checkRules } from './access/rule-parser.ts';
import { checkSorts } from './read/default-sort.ts';
import { checkSearch } from './search/search.ts';

/** Checks what of a file is written in the language of queries: row rules, default orders, and what `search` looks into. */
export function checkQueries(api: Api, report: Report): void {
  checkRules(api, report);
  checkSorts(api, report);
  checkSearch(api, report);
}

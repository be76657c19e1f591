import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Predicate, Slot } from '../filter/predicate.ts';
import { readItem } from '../filter/operand.ts';
import { splitList } from '../filter/text.ts';
import { claimPattern, operations, type Rule } from '../../model/access.ts';
import type { Api, Limits, Resource } from '../../model/api.ts';
import { operators } from '../../model/operators.ts';
import { ownerView, type View } from '../../model/view.ts';
import type { QueryProblem } from '../request/problem.ts';
import { parseQuery } from '../request/query.ts';
import type { Report } from '../../specification/problems.ts';
import { bindSlots } from '../bind.ts';
import { planFilters } from '../filter/plan.ts';
import type { RuleItem, RuleOperand } from '../plan.ts';

/** A row rule as it was read: what rows must satisfy, and what its slots are compared with. */
export interface RowRule {
  readonly where: readonly Predicate[];
  readonly slots: readonly RowRuleSlot[];
}

/** One slot of a rule, at the index that predicates name it by. */
export interface RowRuleSlot extends Pick<Slot, 'field' | 'operator'> {
  readonly operand: RuleOperand;
  /** The same for all slots of one condition, which are several behind a morphTo. */
  readonly condition: object;
}

/** The rules of each resource, as they were read; one that stands at the API is another in each resource. */
const read = new WeakMap<Resource, Map<Rule, RowRule>>();

/** Reads every row rule of an Api, once for all requests; what is wrong with one is reported where it stands. */
export function checkRules(api: Api, report: Report): void {
  const owner = ownerView(api);
  for (const resource of api.resources.values())
    for (const rule of new Set(operations.flatMap((operation) => resource.access[operation]))) {
      if (rule.where === undefined) continue;
      const place = rule.path[0] === 'resources' ? '' : `in ${resource.name}: `;
      const problems: QueryProblem[] = [];
      keep(resource, rule, readRule(rule.where, resource, owner, problems));
      for (const { parameter, message } of problems)
        report(
          rule.path,
          `${place}${parameter === '' ? '' : `${parameter}: `}${message}`,
          'error',
          namesIn(`${parameter} ${message}`),
        );
    }
}

/** The words of a problem, with and without what may be an operator behind them. */
function namesIn(problem: string): readonly string[] {
  const words = problem.match(/\w+/gu) ?? [];
  return words.flatMap((word) => [word, word.replace(/_[a-zA-Z]+$/u, '')]);
}

/** What a rule with a `where` says of the rows of a resource. */
export function rowRule(resource: Resource, rule: Rule, api: Api): RowRule {
  const known = read.get(resource)?.get(rule);
  if (known !== undefined) return known;
  const problems: QueryProblem[] = [];
  const made = readRule(rule.where ?? '', resource, ownerView(api), problems);
  // Rules are checked before anything is served: this is no problem of a request.
  if (problems.length > 0) throw new TypeError(`A rule of ${resource.name} cannot be read`);
  keep(resource, rule, made);
  return made;
}

function keep(resource: Resource, rule: Rule, made: RowRule): void {
  getOrInsert(read, resource, () => new Map<Rule, RowRule>()).set(rule, made);
}

/** Reads a rule as the owner of the data. See docs/contract/5-access.md#row-rules, rule 3. */
function readRule(
  text: string,
  { name }: Resource,
  owner: View,
  problems: QueryProblem[],
): RowRule {
  const resourceView = owner.resource(name);
  if (resourceView === undefined) throw new TypeError(`The owner of the data does not see ${name}`);
  const query = parseQuery(text, 'list');
  problems.push(...query.problems);
  for (const parameter of query.reserved.keys())
    if (parameter !== '_or')
      problems.push(
        refused(
          parameter,
          `is a parameter of requests; a field of that name is asked for as ${parameter}_eq`,
        ),
      );
  if (query.conditions.length === 0 && query.groups.length === 0 && problems.length === 0)
    problems.push(refused('', 'says nothing of rows; write a filter such as status=published'));
  const api = { ...owner.api, limits: withoutLimits(owner.api.limits) };
  const slots: Slot[] = [];
  const context = {
    resourceView,
    api,
    expand: [],
    others: [],
    isSingle: false,
    isRule: true,
    slots,
    problems,
  };
  const where = planFilters(query.conditions, query.groups, context);
  const claims = slots.map((slot) => claimsOf(slot, query.texts, text, problems));
  const constant = slots.filter((_, index) => claims[index] === undefined);
  const values = bindSlots(constant, query.texts, api.limits, problems);
  return {
    where,
    slots: slots.map((slot, index) => {
      const { field, operator, sources } = slot;
      const items = claims[index];
      const operand: RuleOperand =
        items === undefined
          ? { kind: 'constant', value: values[constant.indexOf(slot)] ?? null }
          : { kind: 'claims', items };
      return { field, operator, operand, condition: sources };
    }),
  };
}

/** What a request may ask for at most; who writes the file may ask for more. */
function withoutLimits(limits: Limits): Limits {
  const none = Number.POSITIVE_INFINITY;
  return { ...limits, filters: none, pathDepth: none, inItems: none };
}

function refused(parameter: string, message: string): QueryProblem {
  return { parameter, code: 'INVALID_FILTER', message };
}

/** What a slot is compared with, where a claim is among it; undefined where none is. */
function claimsOf(
  slot: Slot,
  texts: readonly string[],
  rule: string,
  problems: QueryProblem[],
): readonly RuleItem[] | undefined {
  const { sources, parameter, operator } = slot;
  const own = sources.map((source) => texts[source] ?? '');
  const split =
    operators[operator].operand === 'list' && own.length === 1
      ? splitList(own[0] ?? '')
      : undefined;
  // What is wrong with the list itself is said when its values are read.
  const items = split?.ok === true ? split.value : own;
  const names = items.map((item) => claimName(item));
  const wrong = items.find((item, index) => names[index] === undefined && looksLikeClaim(item));
  if (wrong !== undefined) {
    problems.push(
      refused(
        parameter,
        `${JSON.stringify(wrong)} is no claim: {user.<claim>} stands for a whole value or for an item of a list, and its name has letters, digits and _ - . : / @`,
      ),
    );
    return [];
  }
  if (names.every((name) => name === undefined)) return undefined;
  if (names.some((name) => name !== undefined && !rule.includes(`{user.${name}}`)))
    problems.push(refused(parameter, 'a claim is written as it is, without percent-encoding'));
  return items.flatMap((item, index): readonly RuleItem[] => {
    const claim = names[index];
    if (claim !== undefined) return [{ claim }];
    const value = readItem(item, slot);
    if (value.ok) return [{ value: value.value }];
    problems.push({ parameter, ...value.error });
    return [];
  });
}

const wholeClaim = new RegExp(`^${claimPattern.source}$`, 'u');

function claimName(text: string): string | undefined {
  return wholeClaim.exec(text)?.[1];
}

/** What was meant as a claim and would be compared with as it is written: a rule must not open by a typing error. */
function looksLikeClaim(text: string): boolean {
  return /\{\s*user\b/iu.test(text) || /^\s*\{[\w.\s-]*\}\s*$/u.test(text);
}

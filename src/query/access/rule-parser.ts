import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Predicate, Slot } from '../filter/predicate.ts';
import { comparedField, readItem } from '../filter/operand.ts';
import { readNow, takesNow } from '../filter/now.ts';
import { splitList } from '../filter/text.ts';
import { claimName, nowWord, operations, type Rule } from '../../model/access.ts';
import type { Api, Limits, Resource } from '../../model/api.ts';
import { operators } from '../../model/operators.ts';
import { ownerView, type View } from '../../model/view.ts';
import type { QueryProblem } from '../request/problem.ts';
import { parseQuery } from '../request/query.ts';
import type { Report } from '../../specification/problems.ts';
import { bindSlots } from '../bind.ts';
import { planFilters } from '../filter/plan.ts';
import type { RuleItem, RuleOperand } from '../plan.ts';

/** A parsed row rule: the conditions on rows, and the operands of its slots. */
export interface RowRule {
  readonly where: readonly Predicate[];
  readonly slots: readonly RowRuleSlot[];
}

/** One slot of a rule; predicates refer to it by its index. */
export interface RowRuleSlot extends Pick<Slot, 'field' | 'operator'> {
  readonly operand: RuleOperand;
  /** Identifies the condition. A condition through a morphTo has one slot for each target. */
  readonly condition: object;
}

/** The parsed rules of each resource. A rule of the whole API is parsed for each resource, since names resolve differently. */
const read = new WeakMap<Resource, Map<Rule, RowRule>>();

/** Parses every filter of the file once, and reports problems at its position there. */
export function checkRules(api: Api, report: Report): void {
  checkRowRules(api, report);
  checkComputed(api, report);
}

function checkRowRules(api: Api, report: Report): void {
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

/** Filters of computed fields say nothing of callers. */
function checkComputed(api: Api, report: Report): void {
  const owner = ownerView(api);
  for (const { computed: fields } of api.resources.values())
    for (const { computed, resource } of fields.values()) {
      const rule = computed !== undefined && 'where' in computed ? computed.where : undefined;
      if (computed === undefined || rule?.where === undefined) continue;
      const about = computed.kind === 'related' ? computed.relation.target : resource;
      const problems: QueryProblem[] = [];
      const made = readRule(rule.where, about, owner, problems);
      const isOfCaller = made.slots.some(
        ({ operand }) =>
          operand.kind === 'request' && operand.items.some((item) => 'claim' in item),
      );
      if (isOfCaller)
        problems.push(refused('', 'is the same for every caller, so it takes no {user.<claim>}'));
      keep(about, rule, made);
      for (const { parameter, message } of problems)
        report(
          rule.path,
          `${parameter === '' ? '' : `${parameter}: `}${message}`,
          'error',
          namesIn(`${parameter} ${message}`),
        );
    }
}

/** The words of a problem, each with and without a possible operator suffix. */
function namesIn(problem: string): readonly string[] {
  const words = problem.match(/\w+/gu) ?? [];
  return words.flatMap((word) => [word, word.replace(/_[a-zA-Z]+$/u, '')]);
}

/** A rule with a `where`, parsed for a resource. */
export function rowRule(resource: Resource, rule: Rule, api: Api): RowRule {
  const known = read.get(resource)?.get(rule);
  if (known !== undefined) return known;
  const problems: QueryProblem[] = [];
  const made = readRule(rule.where ?? '', resource, ownerView(api), problems);
  // checkRules runs before anything is served, so a request never gets here.
  if (problems.length > 0) throw new TypeError(`A rule of ${resource.name} cannot be read`);
  keep(resource, rule, made);
  return made;
}

function keep(resource: Resource, rule: Rule, made: RowRule): void {
  getOrInsert(read, resource, () => new Map<Rule, RowRule>()).set(rule, made);
}

/** Parses a rule against the view of the data's owner. See docs/contract/5-access.md#row-rules, rule 3. */
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
  const claims = slots.map((slot) => requestItems(slot, query.texts, text, problems));
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
          : { kind: 'request', items };
      return { field, operator, operand, condition: sources };
    }),
  };
}

/** Limits bound requests, not the author of the file. */
function withoutLimits(limits: Limits): Limits {
  const none = Number.POSITIVE_INFINITY;
  return { ...limits, filters: none, pathDepth: none, inItems: none };
}

function refused(parameter: string, message: string): QueryProblem {
  return { parameter, code: 'INVALID_FILTER', message };
}

/** The operands of a slot that compares with a claim or the time of the request; undefined for other slots. */
function requestItems(
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
  // Problems of the list's syntax are reported by bindSlots.
  const items = split?.ok === true ? split.value : own;
  const names = items.map((item) => claimName(item));
  const field = comparedField(slot);
  const shiftOf = (item: string): number | undefined =>
    item === nowWord ? 0 : takesNow(field) ? readNow(item) : undefined;
  const isNow = (item: string): boolean => shiftOf(item) !== undefined;
  const wrong = items.find(
    (item, index) => names[index] === undefined && !isNow(item) && looksLikeClaim(item),
  );
  if (wrong !== undefined) {
    problems.push(
      refused(
        parameter,
        `${JSON.stringify(wrong)} is not a claim: {user.<claim>} stands for a whole value or for an item of a list, and its name has letters, digits and _ - . : / @; {now} is the time of the request`,
      ),
    );
    return [];
  }
  if (names.every((name) => name === undefined) && !items.some(isNow)) return undefined;
  const { type } = field;
  const hasTime = type.drawn?.word === 'now' && operators[operator].comparesWith !== 'part';
  if (items.some(isNow) && !hasTime) {
    problems.push(
      refused(parameter, `{now} is compared with a date, datetime or time, not with ${type.name}`),
    );
    return [];
  }
  if (names.some((name) => name !== undefined && !rule.includes(`{user.${name}}`)))
    problems.push(refused(parameter, 'a claim is written as it is, without percent-encoding'));
  return items.flatMap((item, index): readonly RuleItem[] => {
    const claim = names[index];
    if (claim !== undefined) return [{ claim }];
    const shift = shiftOf(item);
    if (shift !== undefined) return [{ isNow: true, shift }];
    const value = readItem(item, slot);
    if (value.ok) return [{ value: value.value }];
    problems.push({ parameter, ...value.error });
    return [];
  });
}

/** Whether a literal was probably meant as a claim. A typing error must not make a rule match more rows. */
function looksLikeClaim(text: string): boolean {
  return /\{\s*user\b/iu.test(text) || /^\s*\{[\w.\s-]*\}\s*$/u.test(text);
}

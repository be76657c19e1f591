import type { BelongsTo, CodeNeeds, Field, Has } from '../../model/api.ts';
import type { ExpandPlan, Member, OwnMembers, Selection } from '../plan.ts';
import type { RowRules } from './row-rules.ts';

/**
 * What own code computes among these members. A field with `access` of its own sees more than its caller, so no row rules
 * hold for what it needs. See docs/contract/10-own-code.md#computed-values, rule 4.
 */
export function ownMembers(members: readonly Member[], rules: RowRules): readonly OwnMembers[] {
  const own = members.filter(({ field }) => field.computed?.kind === 'code');
  const isOpen = ({ field }: Member): boolean => field.access?.read !== undefined;
  return [own.filter(isOpen), own.filter((member) => !isOpen(member))].flatMap((some, index) => {
    const needs = some.flatMap(({ field }) => rules.needsOf(field) ?? []);
    if (some.length === 0) return [];
    return [{ members: some, needed: selectionOf(needs, index === 0 ? undefined : rules) }];
  });
}

function selectionOf(needs: readonly CodeNeeds[], rules: RowRules | undefined): Selection {
  const fields = new Set<Field>(needs.flatMap((one) => [...one.fields]));
  const relations = new Set<BelongsTo | Has>(needs.flatMap((one) => [...one.relations.keys()]));
  return {
    members: [...fields].map((field) => ({ name: field.name, field })),
    expand: [...relations].map((relation): ExpandPlan => {
      const below = needs.flatMap((one) => one.relations.get(relation) ?? []);
      const target = {
        resource: relation.target,
        typeValue: undefined,
        selection: selectionOf(below, rules),
        where: rules?.behind(relation, relation.target) ?? [],
      };
      return {
        name: relation.name,
        relation,
        targets: [target],
        where: [],
        order: [],
        paging: undefined,
        pivot: undefined,
      };
    }),
  };
}

import { operators } from '../../model/operators.ts';
import { isRelatedToOne, type Predicate, type RelatedToOne } from '../../query/filter/predicate.ts';
import { beginsIndex, tellsFew } from '../../model/indexes.ts';
import { parentField } from './join.ts';

/** Whether an index finds the few rows that a condition on them is about. */
export function isLookup(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'compare': {
      const { place, operator, any = false } = predicate;
      const isWhole = place.members.length === 0 && !any;
      const isSame = operators[operator].index === 'equal';
      return isWhole && isSame && tellsFew(place.field) && beginsIndex(place.field);
    }
    case 'and':
      return predicate.parts.some(isLookup);
    case 'link':
      return predicate.where.some(isLookup);
    case 'related':
    case 'null':
    case 'or':
      return false;
    default:
      return predicate satisfies never;
  }
}

/** Whether an index finds the few related rows that a condition is about, or those that they are related to in turn. */
export function isLookupBehind(predicate: Predicate): predicate is RelatedToOne {
  if (!isRelatedToOne(predicate)) return false;
  const [branch] = predicate.branches;
  return branch.where.some(
    (part) => isLookup(part) || (isLookupBehind(part) && beginsIndex(parentField(part.relation))),
  );
}

import { isRelatedToOne, type Predicate, type RelatedToOne } from '../filter/predicate.ts';
import type { Field } from '../model/api.ts';
import { beginsIndex } from '../model/indexes.ts';
import { isDecimalText } from './dialect.ts';
import { parentField } from './join.ts';

/** Whether an index finds the few rows that a condition on them is about. */
export function isLookup(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'compare': {
      const { place, operator, any = false } = predicate;
      const isWhole = place.members.length === 0 && !any;
      return isWhole && (operator === 'eq' || operator === 'in') && tellsFew(place.field);
    }
    case 'and':
      return predicate.parts.some(isLookup);
    case 'link':
      return predicate.where.some(isLookup);
    case 'related':
    case 'null':
    case 'or':
    case 'guard':
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

/** Whether an index begins with the field, and its values are more than a handful. */
function tellsFew(field: Field): boolean {
  const { name } = field.type;
  const isPlain = field.items === undefined && !isDecimalText(field);
  return isPlain && name !== 'boolean' && name !== 'enum' && beginsIndex(field);
}

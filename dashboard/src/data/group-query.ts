import type { ListQuery } from './query.ts';

/** What is asked of groups; other parameters of the list hold for their records. */
export const groupParameters: ReadonlySet<string> = new Set(['group', 'aggregate', 'having']);

export function asksGroups({ others }: ListQuery): boolean {
  return others.some(([name]) => name === 'group' || name === 'aggregate');
}

/** What groups can be sorted by: their keys, and what is asked of each. */
export function groupSorts({ others }: ListQuery): readonly string[] {
  const valuesOf = (name: string): readonly string[] =>
    others.flatMap(([one, value]) => (one === name ? value.split(',') : []));
  const functions = valuesOf('aggregate').map((one) => one.replace(':', '.'));
  return [...new Set([...valuesOf('group'), ...(functions.length === 0 ? ['count'] : functions)])];
}

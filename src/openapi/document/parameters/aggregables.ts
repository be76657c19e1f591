import type { Field, Limits } from '../../../model/api.ts';
import type { ResourceView } from '../../../model/view.ts';
import { GroupColumns } from '../../../query/groups/columns.ts';
import { sortables } from './filters.ts';

/** What records can be grouped by, and the paths that functions take: own ones, and those of one related record. */
export interface Aggregables {
  readonly keys: readonly { readonly name: string; readonly field: Field }[];
  readonly dates: readonly string[];
  readonly moments: readonly string[];
  /** With what the numbers are: the sum of whole ones may be a string. */
  readonly sums: readonly { readonly name: string; readonly sum: 'whole' | 'exact' | 'double' }[];
  readonly extremes: readonly string[];
  readonly distinct: readonly string[];
}

export function aggregables(resourceView: ResourceView, limits: Limits): Aggregables {
  const paths = sortables(resourceView, limits);
  const columns = new GroupColumns(resourceView, limits);
  const takes = (name: string): boolean => columns.function(name).ok;
  const keys = paths.flatMap((name) => {
    const key = columns.key(name);
    return key.ok ? [{ name, field: key.value.field }] : [];
  });
  const moments = paths.filter((path) => columns.key(`${path}:hour`).ok);
  const dates = paths.filter((path) => columns.key(`${path}:day`).ok && !moments.includes(path));
  const sums = paths.flatMap((name) => {
    const sum = columns.function(`sum:${name}`);
    const number = sum.ok ? sum.value.source?.ref.leaf.type.number : undefined;
    return number === undefined ? [] : [{ name, sum: number }];
  });
  return {
    keys,
    dates,
    moments,
    sums,
    extremes: paths.filter((path) => takes(`min:${path}`)),
    distinct: paths.filter((path) => takes(`countDistinct:${path}`)),
  };
}

import type { MigrationStep } from '../sql/schema/schema.ts';
import type { SearchSchema } from '../sql/schema/table.ts';
import type { Counting, Found, SchemaRules } from '../databases/existing/actual-schema.ts';
import {
  hasRows,
  needsRebuild,
  step,
  type IndexDrop,
  type Pair,
  type SearchChange,
  type SearchChanges,
} from './changes.ts';

/**
 * Compares the search indexes. One of other columns or foldings has another name. Those of a table whose texts are
 * converted are made anew, and those whose table is gone or `dropped` are dropped.
 */
export function* compareSearch(
  pairs: readonly Pair[],
  dropped: readonly string[],
  { search }: Found,
  rules: SchemaRules,
): Counting<{ readonly steps: readonly MigrationStep[]; readonly changes: SearchChanges }> {
  const steps: MigrationStep[] = [];
  const drop: IndexDrop[] = [];
  const create: SearchChange[] = [];
  const nothing = { drop, create, makesFunction: false, extension: search?.extension };
  if (search === undefined) return { steps, changes: nothing };
  const { fold } = rules;
  const isOf = (table: string | undefined, name: string): boolean =>
    table !== undefined && fold(table) === fold(name);
  for (const { name, table } of search.indexes)
    if (table === undefined || dropped.some((one) => isOf(table, one)))
      drop.push({ name, table: table ?? '' });
  let isWanted = false;
  for (const { wanted, actual, change } of pairs) {
    const own = search.indexes.filter(({ table }) => isOf(table, actual?.name ?? ''));
    const schema = wanted.search;
    const isAnew =
      change !== undefined &&
      (rules.rebuilds
        ? needsRebuild(change, rules)
        : change.columns.some(
            ({ name, conversion }) =>
              conversion !== undefined && schema?.columns.includes(name) === true,
          ));
    const isKept = own.some(({ name, isWhole }) => isWhole && name === schema?.name);
    for (const { name } of own)
      if (name !== schema?.name || !isKept || isAnew) {
        drop.push({ name, table: actual?.name ?? '' });
        if (name !== schema?.name)
          steps.push(step(`drop search index on ${wanted.name}`, { canWait: true }));
      }
    if (schema === undefined) continue;
    isWanted = true;
    if (search.obstacle !== undefined || (isKept && !isAnew)) continue;
    const isLater = actual !== undefined && (yield* hasRows(actual, rules));
    create.push({ table: wanted.name, schema, isLater });
    if (!isKept) steps.push(step(searchCreationOf(wanted.name, schema)));
  }
  const makesFunction = isWanted && search.lacksFunction === true;
  if (makesFunction && create.length === 0)
    steps.push(
      step(
        'create the function that folds texts for search',
        search.obstacle === undefined ? {} : { hint: withoutIndex(search.obstacle) },
      ),
    );
  return { steps, changes: { ...nothing, makesFunction } };
}

/** What it means that no index can be made. */
function withoutIndex(obstacle: string): string {
  return `searches read every record, since no index can be made: ${obstacle}`;
}

/** The step that creates a search index. */
export function searchCreationOf(table: string, { columns }: SearchSchema): string {
  return `create search index on ${table} (${columns.join(', ')})`;
}

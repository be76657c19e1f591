import { arePossible, type MigrationOptions } from '../../migrations/steps.ts';
import type { FieldsOf } from '../../generate/fill/renew.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { OpenDatabase } from '../database/target.ts';

/** What a migration leaves without values. */
export interface Lacking {
  readonly resources: readonly Resource[];
  readonly fields: FieldsOf;
}

export const nothingLacking: Lacking = { resources: [], fields: new Map() };

/** What gives it values. */
export interface Filling {
  /**
   * Whether all that some fields hold is generated, so that nothing is lost with it. Fails where values for `lacking` cannot
   * be generated.
   */
  readonly mayLose: (lost: FieldsOf, lacking: FieldsOf) => Promise<boolean>;
  readonly fill: (lacking: Lacking) => Promise<unknown>;
}

/** What was done, or why it was not. */
export interface Migrated {
  readonly steps: readonly MigrationStep[];
  /** What is still to be filled; undefined where nothing was done, or `filling` has. */
  readonly lacking: Lacking | undefined;
}

/**
 * Brings the database of `dev` up to date. Fields that may not be null, and that records which are there have no value
 * for, keep it from that, and so do generated values that another type does not take: they may be null until `filling` has
 * given them others. Where it could not, for each of them, they go on to be null, `putBack` is called, and the steps say
 * what is missing. Without `filling` they are not possible.
 */
export async function migrateAndFill(
  { migrate, database }: OpenDatabase,
  api: Api,
  options: MigrationOptions,
  filling: Filling | undefined,
  putBack?: () => Promise<unknown>,
): Promise<Migrated> {
  const steps = await migrate(api, options);
  const lacking = lackingIn(api, steps);
  if (arePossible(steps, options)) {
    database.serve?.(api);
    return { steps, lacking };
  }
  const others = steps.map((one) => ({
    ...onceFilled(one),
    ...(one.lacking === undefined ? {} : { loses: undefined }),
  }));
  const { fields } = lacking;
  if (filling === undefined || !arePossible(others, options)) return { steps, lacking: undefined };
  const lossy = steps.filter(({ loses }) => loses !== undefined);
  const mayLose = await filling.mayLose(lackingIn(api, lossy).fields, fields);
  if (options.allowDataLoss !== true && !mayLose) return { steps, lacking: undefined };
  await migrate(api, { ...options, lacking: new Set([...fields.values()].flat()) });
  database.serve?.(api);
  let isDone = false;
  try {
    await filling.fill(lacking);
    const left = await migrate(api, options);
    isDone = arePossible(left, options);
    return { steps: isDone ? others : left, lacking: undefined };
  } finally {
    if (!isDone) await putBack?.();
  }
}

/** A step as it is where what it lacks has values. */
export function onceFilled(step: MigrationStep): MigrationStep {
  return step.lacking === undefined ? step : { ...step, obstacle: undefined };
}

function lackingIn({ resources }: Api, steps: readonly MigrationStep[]): Lacking {
  const fields = new Map<Resource, readonly Field[]>();
  const empty: Resource[] = [];
  for (const { lacking } of steps) {
    const resource = [...resources.values()].find(({ table }) => table === lacking?.table);
    if (lacking === undefined || resource === undefined) continue;
    if (lacking.column === undefined) empty.push(resource);
    const found = [...resource.fields.values()].filter(({ column }) => column === lacking.column);
    if (found.length > 0)
      fields.set(resource, [...new Set([...(fields.get(resource) ?? []), ...found])]);
  }
  return { resources: empty, fields };
}

import { arePossible, type MigrationOptions } from '../../migrations/steps.ts';
import type { FieldsOf } from '../../generate/fill/renew.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { OpenDatabase } from '../database/target.ts';

/** The tables and fields that a migration leaves without values. */
export interface Lacking {
  readonly resources: readonly Resource[];
  readonly fields: FieldsOf;
}

export const nothingLacking: Lacking = { resources: [], fields: new Map() };

/** Fills them. */
export interface Filling {
  /**
   * Whether all values of some fields are generated, so that they may be lost. Fails if values for `lacking` cannot be
   * generated.
   */
  readonly mayLose: (lost: FieldsOf, lacking: FieldsOf) => Promise<boolean>;
  readonly fill: (lacking: Lacking) => Promise<unknown>;
}

/** What was done, or why nothing was. */
export interface Migrated {
  readonly steps: readonly MigrationStep[];
  /** What is still to be filled; undefined if nothing was done or everything is filled. */
  readonly lacking: Lacking | undefined;
}

/**
 * Migrates the database of `dev`. New required fields without values and generated values of another type would obstruct
 * that, so they may be null until `filling` has filled them. If it cannot fill all of them, they stay nullable, `putBack` is
 * called, and the steps say what is missing. Without `filling` such steps are not possible.
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

/** A step without the obstacle of missing values, if filling removes it. */
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

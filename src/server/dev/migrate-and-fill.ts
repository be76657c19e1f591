import { arePossible, type MigrationOptions } from '../../migrations/steps.ts';
import type { FieldsOf } from '../../generate/fill/renew.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { WrittenValues } from '../../sql/schema/table.ts';
import type { OpenDatabase } from '../database/target.ts';

/** The tables and fields that a migration leaves without values. */
export interface Lacking {
  readonly resources: readonly Resource[];
  readonly fields: FieldsOf;
  /** The tables that it has renamed, by their former names. */
  readonly renamed: ReadonlyMap<string, string>;
}

export const nothingLacking: Lacking = { resources: [], fields: new Map(), renamed: new Map() };

/** Fills them. */
export interface Filling {
  /** Which values of `lost` fields were written, not generated. Fails if values for `lacking` cannot be generated. */
  readonly writtenIn: (
    lost: readonly Field[],
    lacking: FieldsOf,
  ) => Promise<ReadonlyMap<Field, WrittenValues>>;
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
  given: MigrationOptions,
  filling: Filling | undefined,
  putBack?: () => Promise<unknown>,
): Promise<Migrated> {
  const options = { ...given, followsRenames: true };
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
  if (filling === undefined) return { steps, lacking: undefined };
  // What stands in the way of the others does not stand in the way of those that only lack values.
  if (!arePossible(others, options)) return { steps: steps.map(onceFilled), lacking: undefined };
  const lost = steps.flatMap((one) => (one.loses === undefined ? [] : (fieldOf(api, one) ?? [])));
  const written = await filling.writtenIn(lost, fields);
  const anew = new Map(
    [...fields.values()].flat().map((field) => [field, written.get(field) ?? []]),
  );
  const eased = await migrate(api, { ...options, lacking: anew });
  if (!arePossible(eased, options))
    return { steps: steps.map((one) => withLosses(api, one, eased)), lacking: undefined };
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

/** A step with the values that it loses for good. Steps of fields that lose none stand in nobody's way. */
function withLosses(api: Api, step: MigrationStep, eased: readonly MigrationStep[]): MigrationStep {
  const field = fieldOf(api, step);
  if (field === undefined) return step;
  const lossy = eased.filter((one) => one.loses !== undefined && fieldOf(api, one) === field);
  if (lossy.length === 0) return { ...onceFilled(step), loses: undefined };
  const loses = lossy.find(({ summary }) => summary === step.summary)?.loses;
  return { ...step, loses: step.loses && loses };
}

/** The field whose values a step leaves out. */
function fieldOf({ resources }: Api, { lacking }: MigrationStep): Field | undefined {
  const resource = [...resources.values()].find(({ table }) => table === lacking?.table);
  return [...(resource?.fields.values() ?? [])].find(({ column }) => column === lacking?.column);
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
  const renamed = new Map(
    steps.flatMap(({ renames }) => (renames === undefined ? [] : [[renames.from, renames.to]])),
  );
  return { resources: empty, fields, renamed };
}

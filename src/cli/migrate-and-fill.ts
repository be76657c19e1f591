import { arePossible, type MigrationOptions } from '../execute/schema-steps.ts';
import type { FieldsOf } from '../generate/renew.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import type { MigrationStep } from '../sql/schema.ts';
import type { OpenDatabase } from './target.ts';

/** What a migration leaves without values. */
export interface Lacking {
  readonly resources: readonly Resource[];
  readonly fields: FieldsOf;
}

/** What was done, or why it was not. */
export interface Migrated {
  readonly steps: readonly MigrationStep[];
  /** What is still to be filled. */
  readonly lacking: Lacking;
}

const nothing: Lacking = { resources: [], fields: new Map() };

/**
 * Brings the database of `dev` up to date. Fields that may not be null, and that records which are there have no value
 * for, keep it from that: they may be null until `fill` has given them one. Where it could not, for each of them, they go
 * on to be null, what else was changed is put back as `former` has it, and the steps say what is missing. Without `fill`
 * they are not possible.
 */
export async function migrateAndFill(
  { migrate }: OpenDatabase,
  api: Api,
  former: Api | undefined,
  options: MigrationOptions,
  fill: ((lacking: Lacking) => Promise<unknown>) | undefined,
): Promise<Migrated> {
  const steps = await migrate(api, options);
  const lacking = lackingIn(api, steps);
  if (arePossible(steps, options)) return { steps, lacking };
  const others = steps.map(withoutLack);
  if (fill === undefined || !arePossible(others, options)) return { steps, lacking: nothing };
  await migrate(api, { ...options, lacking: new Set([...lacking.fields.values()].flat()) });
  let isDone = false;
  try {
    await fill(lacking);
    const left = await migrate(api, options);
    isDone = arePossible(left, options);
    return { steps: isDone ? others : left, lacking: nothing };
  } finally {
    if (!isDone && former !== undefined) await migrate(former);
  }
}

function withoutLack(step: MigrationStep): MigrationStep {
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
    if (found.length > 0) fields.set(resource, [...(fields.get(resource) ?? []), ...found]);
  }
  return { resources: empty, fields };
}

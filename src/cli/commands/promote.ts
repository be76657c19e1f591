import { importOrder } from '../../transfer/import/order.ts';
import { countRows } from '../../transfer/promote/count.ts';
import {
  expectDigits,
  isEqual,
  promote as copyAll,
  type PromotedTable,
} from '../../transfer/promote/promote.ts';
import { PromoteConflict, PromoteRefusal } from '../../transfer/promote/table.ts';
import type { Api } from '../../model/api.ts';
import { servicePrefix } from '../../model/service-table.ts';
import type { Context } from '../../server/context.ts';
import { withStoredForms, withDatabase } from '../../server/database/database.ts';
import { databaseKinds, databaseKindOf } from '../../server/database/kinds.ts';
import { CommandFailure } from '../../server/failure.ts';
import { grouped } from '../../server/output.ts';
import {
  migrationAdvice,
  migrationRefusal,
  missingSteps,
  requireCurrent,
  stepLines,
} from '../../server/database/schema.ts';
import { requireSpecification, type SpecificationFile } from '../../server/files/specification.ts';
import {
  databaseTarget,
  withoutPassword,
  type OpenDatabase,
  type Target,
} from '../../server/database/target.ts';

export interface PromoteFlags {
  readonly spec?: string;
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

/** `plinth promote --from sqlite:… --to postgres://…`: copies a database and proves that both are equal. */
export async function promote(context: Context, flags: PromoteFlags): Promise<void> {
  const stop = context.stop();
  const specification = requireSpecification(context, { spec: flags.spec });
  const source = targetOf(context, specification, '--from', flags.from);
  const target = targetOf(context, specification, '--to', flags.to);
  // Each side may have its own stored forms.
  const { api } = await withStoredForms(context, source, specification);
  const { api: targetApi } = await withStoredForms(context, target, specification);
  await requireCurrent(context, source, api);
  await withDatabase(context, source, 'read', (from) =>
    withDatabase(context, target, 'write', async (to) => {
      const copied = async (): Promise<readonly PromotedTable[]> => {
        expectDigits(api, targetApi);
        await prepare(context, target, targetApi, from, to);
        return context.output.progress('Copying', (report) =>
          copyAll(
            { api, database: from.database },
            { api: targetApi, database: to.database },
            (done, total) => {
              if (stop.aborted)
                throw new CommandFailure(
                  'Stopped. Run it again: what is copied already is not copied twice.',
                );
              report(done, total);
            },
          ),
        );
      };
      const tables = await copied().catch((error: unknown) => {
        throw told(error, from.name, to.name, specification.name);
      });
      await to.analyze(targetApi.resources.values());
      report(context, flags, specification, tables, from.name, to.name);
    }),
  );
}

/** An error of a copy with what to do about it; others as they are. */
function told(cause: unknown, from: string, to: string, file: string): unknown {
  if (cause instanceof PromoteRefusal)
    return new CommandFailure(
      `${to} cannot have what ${from} has in ${cause.resource}: ${cause.message}. Fix it there, or name another type in ${file}, then run it again.`,
      { cause },
    );
  if (cause instanceof PromoteConflict)
    return new CommandFailure(
      `${to} has data of its own: the record ${cause.id} of ${cause.resource} differs from that of ${from}. Empty it, or name another database.`,
      { cause },
    );
  return cause;
}

/** The kind of database of each side. */
const sides = { '--from': 'file', '--to': 'postgres' } as const;

function targetOf(
  context: Context,
  specification: SpecificationFile,
  flag: keyof typeof sides,
  url: string,
): Target {
  const target = databaseTarget(context, specification, url);
  const kind = sides[flag];
  if (target === undefined || databaseKindOf(url) !== kind)
    throw new CommandFailure(
      `${flag} ${withoutPassword(url)} cannot be used. Write ${flag} ${databaseKinds[kind].form}.`,
      { exitCode: 2 },
    );
  return target;
}

/** The steps that make what the service has of its own. */
const isOfService = new RegExp(`^create schema | (?:\\w+\\.)?${servicePrefix}`, 'u');

/** Creates the tables of the target, and checks that it has no more records than the source. */
async function prepare(
  context: Context,
  target: Target,
  api: Api,
  from: OpenDatabase,
  to: OpenDatabase,
): Promise<void> {
  if (!(await to.isUpToDate(api))) {
    const missing = await missingSteps(context, target, api);
    const created = new Set(
      missing.flatMap(({ lacking }) =>
        lacking?.column === undefined ? (lacking?.table ?? []) : [],
      ),
    );
    const isCreation = [...api.resources.values()].every(({ table }) => created.has(table));
    // Existing tables may be those of another program.
    if (!isCreation && missing.some(({ summary }) => !isOfService.test(summary)))
      throw new CommandFailure(
        `The database ${to.name} does not fit the specification, and promote changes no existing table. Name an empty database. ${migrationAdvice(context, target, missing)}`,
        { details: stepLines(missing) },
      );
    const steps = await to.migrate(api);
    const what = migrationRefusal(context, target, steps);
    if (what !== undefined)
      throw new CommandFailure(`The database ${to.name} does not fit the specification. ${what}`, {
        details: stepLines(steps),
      });
  }
  for (const resource of importOrder(api).resources) {
    const [here, there] = [
      await countRows(from.database, resource),
      await countRows(to.database, resource),
    ];
    if (there > here)
      throw new CommandFailure(
        `${to.name} has data of its own: ${grouped(there)} records of ${resource.name}, where ${from.name} has ${grouped(here)}. Empty it, or name another database.`,
      );
  }
}

function report(
  { output }: Context,
  { json = false }: PromoteFlags,
  { name }: SpecificationFile,
  tables: readonly PromotedTable[],
  from: string,
  to: string,
): void {
  const different = tables.filter((table) => !isEqual(table));
  if (json && different.length === 0)
    output.print(JSON.stringify({ ok: true, tables }, undefined, 2));
  else if (!json) for (const line of lines(tables)) output.print(line);
  if (different.length > 0)
    throw new CommandFailure(
      `${different.map(({ resource }) => resource).join(', ')} ${different.length === 1 ? 'is' : 'are'} not equal in ${from} and ${to}. Stop what writes to either, empty ${to}, then run it again.`,
      { data: { tables } },
    );
  if (json) return;
  const rows = tables.reduce((sum, table) => sum + table.from.rows, 0);
  const copied = tables.reduce((sum, table) => sum + table.copied, 0);
  const there = copied === rows ? '' : ` (${grouped(rows - copied)} already existed)`;
  output.print(`\n${grouped(rows)} records are equal in ${from} and ${to}${there}.`);
  output.print(
    `Nothing is switched over yet. To serve from it, set in ${name}:\n\n  database: \${DATABASE_URL}\n\nor give --database, and start again.`,
  );
}

/** A line for each table: its rows and the beginning of its checksum. */
function lines(tables: readonly PromotedTable[]): readonly string[] {
  const width = Math.max(0, ...tables.map(({ resource }) => resource.length));
  const digits = Math.max(0, ...tables.map(({ from }) => grouped(from.rows).length));
  return tables.map((table) => {
    const { resource, from, to } = table;
    const verdict = isEqual(table)
      ? `equal  ${from.checksum.slice(0, 16)}`
      : `differs: ${grouped(to.rows)} there, ${from.checksum.slice(0, 16)} and ${to.checksum.slice(0, 16)}`;
    return `  ${resource.padEnd(width)}  ${grouped(from.rows).padStart(digits)}  ${verdict}`;
  });
}

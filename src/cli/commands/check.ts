import { dirname, resolve } from 'node:path';
import { counted } from '../../model/values.ts';
import { compareApis } from '../../openapi/compatibility/changes.ts';
import { loadCode } from '../../extensions/load.ts';
import { storedProblems } from '../../transfer/stored-problems.ts';
import { findDataFiles } from '../../transfer/import/files.ts';
import type { Api, Relation } from '../../model/api.ts';
import { uncarriedFields } from '../../query/write/links.ts';
import { collectProblems, inOrder } from '../../specification/parsers/collector.ts';
import type { Problem } from '../../specification/problems.ts';
import { shownPath, type Context } from '../../server/context.ts';
import { withStoredForms, columnAdvice, withDatabase } from '../../server/database/database.ts';
import { CommandFailure } from '../../server/failure.ts';
import { checkGeneration, checkSources } from '../../server/dev/data-problems.ts';
import {
  formatProblem,
  readSpecification,
  requireSpecification,
  type SpecificationFlags,
  type SpecificationFile,
} from '../../server/files/specification.ts';
import { databaseTarget } from '../../server/database/target.ts';

export interface CheckFlags extends SpecificationFlags {
  readonly json?: boolean;
  readonly against?: string;
  readonly database?: string;
}

/**
 * `plinth check [file]`: prints every problem with line and column, including generated data and an existing database.
 * Fails on an error. With `--against` it also prints the changes since an older file, and fails on breaking ones.
 */
export async function check(
  context: Context,
  { json = false, against, database, ...named }: CheckFlags,
): Promise<void> {
  const { output } = context;
  const {
    name,
    path,
    problems: found,
    api,
    understood,
    positionOf,
  } = readSpecification(context, named);
  const folder = dirname(path);
  const read = api && { name, api, positionOf, folder };
  const further = read
    ? [
        ...(await checkGeneration(read)),
        ...checkData(context, read),
        ...(await loadCode(read)).problems,
        ...(await checkColumns(context, read, database)),
      ]
    : understood && (await checkSources({ name, api: understood, positionOf, folder }));
  const problems = inOrder([...found, ...(further ?? [])]);
  if (!json) for (const problem of problems) output.print(formatProblem(problem));
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (api === undefined || errors > 0)
    throw new CommandFailure(
      `${name} has ${counted(errors, 'error')}. Fix ${errors === 1 ? 'it' : 'them'} and run "plinth check" again.`,
      { data: { problems } },
    );
  const compared =
    against === undefined ? {} : { changes: compare(context, against, api, json, { problems }) };
  const { size } = api.resources;
  if (json) output.print(JSON.stringify({ ok: true, problems, ...compared }, undefined, 2));
  else output.print(`${name} is valid: ${counted(size, 'resource')}.`);
}

type ReadFile = Pick<SpecificationFile, 'name' | 'api' | 'folder' | 'positionOf'>;

/** Warns if `data` names no files of records. It is no error, since only `dev` reads them. */
function checkData(
  context: Context,
  { name, api, folder, positionOf }: ReadFile,
): readonly Problem[] {
  const { data } = api.settings;
  if (data === undefined) return [];
  const { report, problems } = collectProblems(name, positionOf);
  const found = findDataFiles([resolve(folder, data)], api, (path) => shownPath(context, path));
  for (const problem of found.problems) report(['data'], problem, 'warning', { rule: 'data' });
  return problems();
}

/**
 * Warns of columns in existing tables that sort texts or nulls in another order than the API without an index in the
 * API's order, or that have values no request finds. A database that cannot be read is a warning if the specification
 * names it, and a failure if the command line does.
 */
async function checkColumns(
  context: Context,
  file: ReadFile,
  flag: string | undefined,
): Promise<readonly Problem[]> {
  const { name, positionOf } = file;
  const target = databaseTarget(context, file, flag);
  if (target === undefined) return [];
  const { report, problems } = collectProblems(name, positionOf);
  try {
    const { api } = await withStoredForms(context, target, file);
    for (const { field, message } of await columnAdvice(context, target, api))
      report(['resources', field.resource.name, 'fields', field.name], message, 'warning', {
        rule: 'database',
      });
    for (const { relation, message } of refusedLinks(api))
      report(['resources', relation.owner.name, 'fields', relation.name], message, 'warning', {
        rule: 'database',
      });
    // It reads every record, so only who names the database asks for it.
    if (flag !== undefined)
      for (const { field, message } of await withDatabase(context, target, 'read', (open) =>
        storedProblems(api, open.database),
      ))
        report(['resources', field.resource.name, 'fields', field.name], message, 'warning', {
          rule: 'database',
        });
  } catch (error) {
    if (!(error instanceof CommandFailure) || flag !== undefined) throw error;
    report(['database'], error.message, 'warning', { rule: 'database' });
  }
  return problems();
}

/** The relations through existing tables whose links every write refuses. */
function refusedLinks({
  resources,
}: Api): readonly { readonly relation: Relation; readonly message: string }[] {
  return [...resources.values()]
    .flatMap(({ relations }) => [...relations.values()])
    .flatMap((relation) => {
      if (relation.kind !== 'belongsToMany' || relation.through.isManaged) return [];
      const { table, name } = relation.through;
      const [field] = uncarriedFields(relation);
      if (field === undefined) return [];
      const message = `its links cannot be written, since nothing gives ${table}.${field.column}: give the column a default in the database, or let clients create records of ${name}`;
      return [{ relation, message }];
    });
}

/** Prints the changes since an older specification; fails on breaking ones. */
function compare(
  context: Context,
  against: string,
  api: Api,
  json: boolean,
  data: object,
): readonly object[] {
  const { name, api: old } = requireSpecification(context, { file: against });
  const found = compareApis(old, api, context.clockAndIds.now());
  const changes = found.map(({ isBreaking, path, message }) => ({
    breaking: isBreaking,
    path,
    message,
  }));
  const sorted = changes.toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
  if (!json)
    for (const { breaking, path, message } of sorted)
      context.output.print(`${breaking ? 'breaking' : 'safe'} ${path}: ${message}`);
  const count = changes.filter(({ breaking }) => breaking).length;
  if (count > 0)
    throw new CommandFailure(
      `${count === 1 ? '1 change breaks' : `${count} changes break`} clients of ${name}. Take ${count === 1 ? 'it' : 'them'} back, or add a version to api.versions and leave the old one as it is.`,
      { data: { ...data, changes: sorted } },
    );
  return sorted;
}

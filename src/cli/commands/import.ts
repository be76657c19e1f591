import { findDataFiles } from '../../transfer/import/files.ts';
import { importData, type ImportResult, type TakenIds } from '../../transfer/import/import.ts';
import { listedProblems } from '../../transfer/import/problems.ts';
import { writeStatements } from '../../sql/compile/write.ts';
import type { Api } from '../../model/api.ts';
import { fromFolder, shellArgument, shownPath, type Context } from '../context.ts';
import { withStoredForms, withDatabase } from '../database/database.ts';
import { CommandFailure } from '../failure.ts';
import { requireSpecification } from '../files/specification.ts';
import { requireCurrent } from '../database/schema.ts';
import { requireNamed } from '../database/consent.ts';
import { targetOrDevelopment, type OpenDatabase } from '../database/target.ts';
import { countLines, grouped, inFileOrder, recordsWere } from '../output.ts';

interface Flags {
  readonly spec?: string;
  readonly database?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** `plinth import DATA…`: loads files and folders, all or nothing. */
export async function importCommand(
  context: Context,
  paths: readonly string[],
  flags: Flags,
): Promise<void> {
  // From now on a signal rolls the run back instead of ending the process.
  context.stop();
  const specification = requireSpecification(context, { spec: flags.spec });
  const target = targetOrDevelopment(context, specification, flags.database);
  const files = paths.map(shellArgument).join(' ');
  const command = `import ${files} --spec ${shellArgument(specification.name)}`;
  await requireNamed(context, target, command);
  const { api } = await withStoredForms(context, target, specification);
  await requireCurrent(context, target, api);
  await withDatabase(context, target, 'write', async (open) => {
    const absolute = paths.map((path) => fromFolder(context, path));
    const takenIds = flags.replace === true ? 'replace' : 'refuse';
    const result = await loadData(context, api, open, absolute, takenIds);
    const { byResource, skipped, replaced } = result;
    const counts = inFileOrder(api, byResource);
    const { output } = context;
    if (flags.json === true) {
      const data = { ok: true, records: Object.fromEntries(counts), skipped, replaced };
      output.print(JSON.stringify(data, undefined, 2));
      return;
    }
    for (const line of countLines(counts)) output.print(line);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const there =
      skipped === 0
        ? ''
        : skipped === 1
          ? '; 1 already existed and is equal'
          : `; ${grouped(skipped)} already existed and are equal`;
    const over = replaced === 0 ? '' : `; ${recordsWere(replaced)} replaced`;
    output.print(`${recordsWere(total)} imported into ${open.name}${there}${over}.`);
  });
}

/** A signal has ended the run, which is rolled back. */
export class Stopped extends CommandFailure {
  constructor() {
    super('Stopped: nothing was imported. Run it again to import everything.');
  }
}

/** Loads data into a database that is up to date. Throws `Stopped` on a signal. */
export async function loadData(
  context: Context,
  api: Api,
  { database, analyze }: OpenDatabase,
  paths: readonly string[],
  takenIds: TakenIds = 'refuse',
): Promise<ImportResult & { readonly ok: true }> {
  const { output, clockAndIds } = context;
  const { files, problems } = findDataFiles(paths, api, (path) => shownPath(context, path));
  if (problems.length > 0)
    throw new CommandFailure('Nothing was imported. Name files or folders of records.', {
      details: problems,
      data: { problems },
    });
  const stop = context.stop();
  const result = await output.progress('Importing', (report) =>
    importData(
      files,
      api,
      database,
      writeStatements(database.dialect),
      clockAndIds,
      ({ bytes, totalBytes }) => {
        if (stop.aborted) throw new Stopped();
        report(bytes, totalBytes);
      },
      takenIds,
    ),
  );
  if (result.ok) {
    await analyze([...result.byResource.keys()].flatMap((name) => api.resources.get(name) ?? []));
    return result;
  }
  const more =
    result.problems.length >= listedProblems ? ` (the first ${listedProblems} are listed)` : '';
  const over = result.hasDifferences ? ', or give --replace to replace records that differ' : '';
  throw new CommandFailure(
    `Nothing was imported${more}. Fix these records and run it again${over}.`,
    {
      details: result.problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
      data: {
        problems: result.problems.map(({ file, line, message }) => ({ file, line, message })),
      },
    },
  );
}

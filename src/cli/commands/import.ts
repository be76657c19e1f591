import { findDataFiles } from '../../execute/import/files.ts';
import { importData } from '../../execute/import/import.ts';
import { writeStatements } from '../../sql/compile-write.ts';
import type { Api } from '../../model/api.ts';
import { fromFolder, type Context } from '../context.ts';
import { databaseTarget, openDatabase, type OpenDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { requireSpecification } from '../specification.ts';
import { requireCurrent } from '../schema.ts';
import { columns } from '../output.ts';

interface Flags {
  readonly spec?: string;
  readonly database?: string;
  readonly json?: boolean;
}

/** `plinth import DATA…`: loads files and folders, all of them or nothing. */
export async function importCommand(
  context: Context,
  paths: readonly string[],
  flags: Flags,
): Promise<void> {
  const specification = requireSpecification(context, flags.spec);
  const target = databaseTarget(context, specification, flags.database) ?? {
    url: 'sqlite:.plinth/dev.db',
    folder: specification.folder,
  };
  const open = openDatabase(target, { create: false });
  try {
    requireCurrent(open, specification.api);
    const byResource = await loadData(
      context,
      specification.api,
      open,
      paths.map((path) => fromFolder(context, path)),
    );
    if (flags.json === true) {
      context.output.print(JSON.stringify({ records: Object.fromEntries(byResource) }));
      return;
    }
    const rows = [...byResource].map(
      ([name, count]) => [name, count.toLocaleString('en')] as const,
    );
    for (const line of columns(rows)) context.output.print(line);
    const total = [...byResource.values()].reduce((sum, count) => sum + count, 0);
    context.output.print(`${total.toLocaleString('en')} records were imported into ${open.name}.`);
  } finally {
    await open.close();
  }
}

/** Loads data into a database that is up to date; gives the number of records by resource. */
export async function loadData(
  { output, draw }: Context,
  api: Api,
  { database }: OpenDatabase,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { files, problems } = findDataFiles(paths, api);
  if (problems.length > 0) throw new CommandFailure('Nothing was imported.', { details: problems });
  const result = await output.progress('Importing', (report) =>
    importData(
      files,
      api,
      database,
      writeStatements(database.dialect),
      draw,
      ({ bytes, totalBytes }) => {
        report(bytes, totalBytes);
      },
    ),
  );
  if (result.ok) return result.byResource;
  throw new CommandFailure('Nothing was imported: mend these records and run it again.', {
    details: result.problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
  });
}

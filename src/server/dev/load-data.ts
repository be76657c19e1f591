import { findDataFiles } from '../../transfer/import/files.ts';
import { importData, type ImportResult, type TakenIds } from '../../transfer/import/import.ts';
import { listedProblems } from '../../transfer/import/problems.ts';
import { writeStatements } from '../../sql/compile/write.ts';
import type { Api } from '../../model/api.ts';
import { shownPath, type Context } from '../context.ts';
import type { OpenDatabase } from '../database/target.ts';
import { CommandFailure, Stopped } from '../failure.ts';

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
        if (stop.aborted)
          throw new Stopped('Stopped: nothing was imported. Run it again to import everything.');
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

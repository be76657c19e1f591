import { constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseFailure } from '../../databases/database.ts';
import { ReaderProcesses } from '../../databases/sqlite/slow-reads/reader-processes.ts';
import {
  RefusedRecords,
  type SandboxCopy,
  type SandboxSource,
} from '../../http/sandboxes/sandboxes.ts';
import { writeStatements } from '../../sql/compile/write.ts';
import { importData } from '../../transfer/import/import.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Context } from '../context.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { fillEmpty, type FillOptions } from './fill.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { openTemporary } from '../database/sqlite.ts';

/**
 * Fills sandboxes with the data that `dev` gives an empty database, whatever the served database holds. The first sandbox
 * generates it as a file, and each sandbox is a copy of that file. The files are in a private folder, which `close`
 * deletes.
 */
export function sandboxSource(
  context: Context,
  specification: SpecificationFile,
  options: FillOptions,
): SandboxSource {
  // A request does this: no progress bar, and `dev` has already printed the same notes.
  const quiet: Context = {
    ...context,
    output: {
      ...context.output,
      note: () => undefined,
      progress: (_title, work) => work(() => undefined),
    },
  };
  let folder: string | undefined;
  let image: Promise<string> | undefined;
  let made = 0;
  // Sandboxes share the reader processes: fifty sandboxes with their own would fill the memory.
  const { statementTimeout = databaseDefaults.statementTimeout } =
    specification.api.settings.database ?? {};
  const readers = new ReaderProcesses('sandboxes', statementTimeout, context.memory);
  const fill = async (parent: string): Promise<string> => {
    const path = join(parent, 'image.db');
    const open = openTemporary(path);
    try {
      await open.migrate(specification.api);
      await fillEmpty(quiet, specification, open, options);
    } finally {
      await open.close();
    }
    return path;
  };
  const makeImage = async (): Promise<string> => {
    let parent: string | undefined;
    try {
      parent = mkdtempSync(join(tmpdir(), 'plinth-'));
      folder = parent;
      return await fill(parent);
    } catch (error) {
      if (parent !== undefined) rmSync(parent, { recursive: true, force: true });
      throw error instanceof CommandFailure ? inOne(error) : error;
    }
  };
  const copyOf = async (source: string): Promise<string> => {
    made += 1;
    const path = source.replace(/image\.db$/u, `${made}.db`);
    try {
      // If the file system can, both files share their blocks until one is written.
      await copyFile(source, path, constants.COPYFILE_FICLONE);
    } catch (error) {
      // A cleaner of temporary files has deleted it: the next sandbox generates it again.
      if (!existsSync(source)) image = undefined;
      throw error;
    }
    return path;
  };
  const openCopy = (path: string, remove: () => Promise<void>): SandboxCopy => {
    const { database } = openTemporary(path, { readers });
    const close = async (): Promise<void> => {
      await database.close();
      await remove();
    };
    return { database, close };
  };
  /** Opens a database with the records of a request, which are a file while they are loaded. */
  const openWith = async (records: Buffer): Promise<SandboxCopy> => {
    const own = mkdtempSync(join(tmpdir(), 'plinth-'));
    const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
    const path = join(own, 'sandbox.db');
    try {
      await loadRecords(context, specification, path, records);
      return openCopy(path, remove);
    } catch (error) {
      await remove();
      throw error;
    }
  };
  return {
    openWith: (records) =>
      openWith(records).catch((error: unknown) => {
        throw unavailable(error);
      }),
    open: async () => {
      const wanted = (image ??= makeImage());
      wanted.catch(() => {
        if (image === wanted) image = undefined;
      });
      const path = await wanted.then(copyOf).catch((error: unknown) => {
        throw unavailable(error);
      });
      return openCopy(path, () => rm(path, { force: true }));
    },
    close: async () => {
      await image?.catch(() => undefined);
      await readers.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a database with these records alone. Throws a `RefusedRecords`. */
async function loadRecords(
  { clockAndIds }: Context,
  { api }: SpecificationFile,
  path: string,
  records: Buffer,
): Promise<void> {
  const open = openTemporary(path);
  try {
    await open.migrate(api);
    const file = `${path}.json`;
    await writeFile(file, records, { mode: 0o600 });
    const data = {
      path: file,
      name: '',
      format: 'json',
      resource: '',
      size: records.length,
    } as const;
    const { database } = open;
    const statements = writeStatements(database.dialect);
    const ignore = (): void => undefined;
    const result = await importData([data], api, database, statements, clockAndIds, ignore);
    if (!result.ok) throw new RefusedRecords(result.problems);
  } finally {
    await open.close();
  }
}

/** A full disk or a missing folder is not the caller's fault: the response is 503. */
function unavailable(error: unknown): unknown {
  const reason = fileReason(error);
  if (reason === undefined) return error;
  return new DatabaseFailure(
    `The files of sandboxes cannot be written in ${tmpdir()}: ${reason}. Fix that, or name another folder in TMPDIR.`,
    { cause: error },
  );
}

/** Puts the details into the message: they go to the log of a request. */
function inOne({ message, details }: CommandFailure): Error {
  return new Error(['The data of sandboxes could not be made.', ...details, message].join('\n'));
}

import { constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseFailure } from '../../databases/database.ts';
import { ReaderProcesses } from '../../databases/sqlite/slow-reads/processes.ts';
import type { SandboxSource } from '../../http/sandboxes/sandboxes.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Context } from '../context.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { fillEmpty, type FillOptions } from './fill.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { openTemporary } from '../database/sqlite.ts';

/**
 * Gives sandboxes the data that `dev` fills an empty database with, whatever is in the one that it serves. The first
 * one waits until it is there, once; it is kept as a file, and each sandbox is a copy of this file. All of it is in a
 * private folder, which goes with the source.
 */
export function sandboxSource(
  context: Context,
  specification: SpecificationFile,
  options: FillOptions,
): SandboxSource {
  // Others are served meanwhile and have nothing to do with how far it is. What is odd was told when `dev` filled its own.
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
  // Fifty of them with processes of their own would fill the memory of the machine.
  const { statementTimeout = databaseDefaults.statementTimeout } =
    specification.api.settings.database ?? {};
  const readers = new ReaderProcesses('sandboxes', statementTimeout, context.memory);
  const fill = async (place: string): Promise<string> => {
    const path = join(place, 'image.db');
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
    let place: string | undefined;
    try {
      place = mkdtempSync(join(tmpdir(), 'plinth-'));
      folder = place;
      return await fill(place);
    } catch (error) {
      if (place !== undefined) rmSync(place, { recursive: true, force: true });
      throw error instanceof CommandFailure ? inOne(error) : error;
    }
  };
  const copyOf = async (source: string): Promise<string> => {
    made += 1;
    const path = source.replace(/image\.db$/u, `${made}.db`);
    try {
      // A file system that can lets both share their pages until one of them is written.
      await copyFile(source, path, constants.COPYFILE_FICLONE);
    } catch (error) {
      // Who clears temporary files takes this one, too: the next sandbox makes it again.
      if (!existsSync(source)) image = undefined;
      throw error;
    }
    return path;
  };
  return {
    open: async () => {
      const wanted = (image ??= makeImage());
      wanted.catch(() => {
        if (image === wanted) image = undefined;
      });
      const path = await wanted.then(copyOf).catch((error: unknown) => {
        throw unavailable(error);
      });
      const { database } = openTemporary(path, { readers });
      const close = async (): Promise<void> => {
        await database.close();
        await rm(path, { force: true });
      };
      return { database, close };
    },
    close: async () => {
      await image?.catch(() => undefined);
      await readers.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** No room or no folder for files is nobody's fault who asks. */
function unavailable(error: unknown): unknown {
  const reason = fileReason(error);
  if (reason === undefined) return error;
  return new DatabaseFailure(
    `The files of sandboxes cannot be written in ${tmpdir()}: ${reason}. Mend that, or name another folder in TMPDIR.`,
    { cause: error },
  );
}

/** A request has met it, so nobody prints its details. */
function inOne({ message, details }: CommandFailure): Error {
  return new Error(['The data of sandboxes could not be made.', ...details, message].join('\n'));
}

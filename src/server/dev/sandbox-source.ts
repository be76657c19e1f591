import { constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseFailure, type Database } from '../../databases/database.ts';
import { ReaderProcesses } from '../../databases/sqlite/slow-reads/reader-processes.ts';
import {
  RefusedRecords,
  type SandboxCopy,
  type SandboxSource,
} from '../../http/sandboxes/sandboxes.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import { writeStatements } from '../../sql/compile/write.ts';
import { importData } from '../../transfer/import/import.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Context } from '../context.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { fillEmpty, type FillOptions } from './fill.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { openTemporary } from '../database/sqlite.ts';
import type { OpenDatabase } from '../database/target.ts';

/**
 * Fills sandboxes with the data that `dev` gives an empty database, whatever the served database holds. The first sandbox
 * generates it as a file, and each sandbox is a copy of that file. The files are in a private folder, which `close` deletes.
 * `inMemory`: what is copied is held in memory, so that nothing is left when all sandboxes are closed.
 */
export function sandboxSource(
  context: Context,
  specification: SpecificationFile,
  options: FillOptions,
  { inMemory = false }: { readonly inMemory?: boolean } = {},
): SandboxSource & { readonly removeFiles: () => void } {
  // A request does this: no progress bar, and `dev` has already printed the same notes.
  const quiet: Context = {
    ...context,
    output: {
      ...context.output,
      note: () => undefined,
      progress: (_title, work) => work(() => undefined),
    },
  };
  // Sandboxes share the reader processes: fifty sandboxes with their own would fill the memory.
  const { statementTimeout = databaseDefaults.statementTimeout } =
    specification.api.settings.database ?? {};
  const readers = new ReaderProcesses('sandboxes', statementTimeout, context.memory);
  const folder = new PrivateFolder(inMemory);
  const image = (name: string, fill: (open: OpenDatabase) => Promise<unknown>): Image =>
    new Image(folder, name, async (path) => {
      const open = openTemporary(path);
      try {
        await open.migrate(specification.api);
        await fill(open);
      } finally {
        await open.close();
      }
    });
  const generated = image('generated', (open) => fillEmpty(quiet, specification, open, options));
  const empty = image('empty', async () => undefined);
  const openCopy = async (of: Image): Promise<SandboxCopy & { readonly path: string }> => {
    const path = await of.copy();
    const { database } = openTemporary(path, { readers });
    const close = async (): Promise<void> => {
      await database.close();
      await folder.release(path);
    };
    return { database, path, close };
  };
  const openWith = async (records: Buffer, now?: () => Date): Promise<SandboxCopy> => {
    const copy = await openCopy(empty);
    try {
      const clockAndIds = { ...context.clockAndIds, ...(now === undefined ? {} : { now }) };
      await loadRecords(clockAndIds, specification, copy, records);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  };
  const told = (opening: Promise<SandboxCopy>): Promise<SandboxCopy> =>
    opening.catch((error: unknown) => {
      throw unavailable(error);
    });
  return {
    openWith: (records, now) => told(openWith(records, now)),
    open: () => told(openCopy(generated)),
    close: async () => {
      await Promise.all([generated.settled(), empty.settled()]);
      await readers.close();
      folder.remove();
    },
    removeFiles: () => folder.remove(),
  };
}

/** A folder that this process alone reads, made when it is first needed. */
class PrivateFolder {
  /** Whether it keeps nothing but copies, and goes with the last of its files. */
  readonly hasOnlyCopies: boolean;
  private path: string | undefined;
  private made = 0;
  /** The files that are used. */
  private readonly files = new Set<string>();

  constructor(hasOnlyCopies: boolean) {
    this.hasOnlyCopies = hasOnlyCopies;
  }

  /** The path of a file, which is used until it is released. */
  take(name: string): string {
    // A cleaner of temporary files may have deleted it.
    if (this.path === undefined || !existsSync(this.path))
      this.path = mkdtempSync(join(tmpdir(), 'plinth-'));
    const path = join(this.path, name);
    this.files.add(path);
    return path;
  }

  /** The path of a new copy. */
  next(): string {
    this.made += 1;
    return this.take(`${this.made}.db`);
  }

  /** Deletes a file. */
  async release(path: string): Promise<void> {
    this.files.delete(path);
    await rm(path, { force: true });
    if (this.hasOnlyCopies && this.files.size === 0) this.remove();
  }

  remove(): void {
    if (this.path !== undefined) rmSync(this.path, { recursive: true, force: true });
    this.path = undefined;
  }
}

/** A file that sandboxes are copies of, made for the first of them. */
class Image {
  private readonly folder: PrivateFolder;
  private readonly name: string;
  private readonly make: (path: string) => Promise<void>;
  /** The path of the file, or what it holds. */
  private made: Promise<string | Buffer> | undefined;

  constructor(folder: PrivateFolder, name: string, make: (path: string) => Promise<void>) {
    this.folder = folder;
    this.name = name;
    this.make = make;
  }

  /** The path of a new copy. */
  async copy(): Promise<string> {
    const wanted = (this.made ??= this.begin());
    wanted.catch(() => this.forget(wanted));
    const source = await wanted;
    const path = this.folder.next();
    try {
      if (typeof source !== 'string') await writeFile(path, source, { mode: 0o600 });
      // If the file system can, both files share their blocks until one is written.
      else await copyFile(source, path, constants.COPYFILE_FICLONE);
    } catch (error) {
      // A cleaner of temporary files has deleted it: the next sandbox makes it again.
      if (typeof source === 'string' && !existsSync(source)) this.forget(wanted);
      await this.folder.release(path);
      throw error;
    }
    return path;
  }

  /** Resolves when it is not being made. */
  async settled(): Promise<void> {
    await this.made?.catch(() => undefined);
  }

  private forget(made: Promise<string | Buffer>): void {
    if (this.made === made) this.made = undefined;
  }

  private async begin(): Promise<string | Buffer> {
    const path = this.folder.take(`${this.name}.db`);
    try {
      rmSync(path, { force: true });
      await this.make(path);
      if (!this.folder.hasOnlyCopies) return path;
      const bytes = await readFile(path);
      await this.folder.release(path);
      return bytes;
    } catch (error) {
      await this.folder.release(path);
      throw error instanceof CommandFailure ? inOne(error) : error;
    }
  }
}

/** Loads records into an empty copy. Throws a `RefusedRecords`. */
async function loadRecords(
  clockAndIds: ClockAndIds,
  { api }: SpecificationFile,
  { database, path }: { readonly database: Database; readonly path: string },
  records: Buffer,
): Promise<void> {
  const file = `${path}.json`;
  await writeFile(file, records, { mode: 0o600 });
  try {
    const { length: size } = records;
    const data = { path: file, name: '', format: 'json', resource: '', size } as const;
    const statements = writeStatements(database.dialect);
    const ignore = (): void => undefined;
    const result = await importData([data], api, database, statements, clockAndIds, ignore);
    if (!result.ok) throw new RefusedRecords(result.problems);
  } finally {
    await rm(file, { force: true });
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

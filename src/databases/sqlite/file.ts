import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseFailure } from '../database.ts';

/** The device and inode of a file; undefined if there is none. */
function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new DatabaseFailure(
      `The database file ${file} cannot be reached (${code}). Check the permissions of the folder that it is in.`,
      { cause },
    );
  }
}

/**
 * The identity of an open database file. If the file is deleted, moved or replaced while the server runs, SQLite goes
 * on writing to the old one, and responses would promise writes that are lost with the process. The same holds for
 * the write-ahead log.
 */
export class OpenFile {
  private readonly identities: ReadonlyMap<string, string | undefined>;

  /** `isWritten`: the write-ahead log exists, and stays as long as the file is open. */
  constructor(file: string, isWritten: boolean) {
    const paths = isWritten ? [file, `${file}-wal`] : [file];
    this.identities = new Map(paths.map((path) => [path, identityOf(path)]));
  }

  /** Throws a `DatabaseFailure` if a path leads to another file now, or to none. */
  check(): void {
    for (const [path, identity] of this.identities) {
      const found = identityOf(path);
      if (found === identity) continue;
      const what = found === undefined ? 'deleted or moved' : 'replaced';
      throw new DatabaseFailure(
        `The database file ${path} was ${what} while it was open. Put it back, or start again with what is there.`,
      );
    }
  }
}

export function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A readable path, and the function that removes temporary files. */
export interface Readable {
  readonly path: string;
  readonly done: () => void;
}

/**
 * SQLite reads a file in WAL mode only if its two side files exist or can be created. If neither is possible, no
 * process has the file open, and a copy is read instead.
 */
export function toRead(path: string): Readable {
  const isReadable = mayWrite(dirname(path)) || existsSync(`${path}-wal`) || !isWal(path);
  if (isReadable) return { path, done: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'plinth-'));
  const done = (): void => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, 'copy.db');
  try {
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  } catch (error) {
    done();
    throw error;
  }
  return { path: copy, done };
}

/** Byte 19 of the header is 2 in WAL mode. */
function isWal(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header) === header.length && header[19] === 2;
  } finally {
    closeSync(file);
  }
}

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

/** What tells a file from all others of the machine; undefined where there is none. */
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
 * A file as it was opened. Deleted, moved or replaced under a running server, it stays open for those who have it, and
 * SQLite goes on writing to what nobody will find again: a write that was answered would be gone with the process. So it
 * would with the log beside it, which has what was written last.
 */
export class OpenFile {
  private readonly identities: ReadonlyMap<string, string | undefined>;

  /** `isWritten`: the log is there by now, and stays as long as the file is open. */
  constructor(file: string, isWritten: boolean) {
    const paths = isWritten ? [file, `${file}-wal`] : [file];
    this.identities = new Map(paths.map((path) => [path, identityOf(path)]));
  }

  /** Throws a `DatabaseFailure` where a name leads to another file by now, or to none. */
  mustBeThere(): void {
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

/** Where a file can be read, and what takes away again what was made for it. */
export interface Readable {
  readonly path: string;
  readonly done: () => void;
}

/**
 * SQLite reads a file in WAL mode only where it may make two others beside it, or finds them. Where it may not and they are
 * not there, nobody has the file open, and a copy of it is as good.
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

/** Byte 19 of a file says by which journal it is read. */
function isWal(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header) === header.length && header[19] === 2;
  } finally {
    closeSync(file);
  }
}

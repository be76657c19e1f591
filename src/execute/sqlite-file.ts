import { statSync } from 'node:fs';
import { DatabaseFailure } from './database.ts';

/** What tells a file from all others of the machine; undefined where there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * A file as it was opened. Deleted, moved or replaced under a running server, it stays open for those who have it, and
 * SQLite goes on writing to what nobody will find again: a write that was answered would be gone with the process.
 */
export class OpenFile {
  private readonly file: string;
  private readonly identity: string | undefined;

  constructor(file: string) {
    this.file = file;
    this.identity = identityOf(file);
  }

  /** Throws a `DatabaseFailure` where the name leads to another file by now, or to none. */
  mustBeThere(): void {
    const found = identityOf(this.file);
    if (found === this.identity) return;
    const what = found === undefined ? 'deleted or moved' : 'replaced';
    throw new DatabaseFailure(
      `The database file ${this.file} was ${what} while it was open. Put it back, or start again with what is there.`,
    );
  }
}

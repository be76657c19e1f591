import { DatabaseFailure } from '../databases/database.ts';
import { reasonOf } from '../databases/postgres/errors.ts';

interface Details {
  readonly exitCode?: 1 | 2;
  readonly details?: readonly string[];
  readonly data?: object;
  readonly cause?: unknown;
}

/** A command has failed: one sentence that says why, and the next step. */
export class CommandFailure extends Error {
  /** 1: it failed; 2: it was called wrongly. */
  readonly exitCode: 1 | 2;
  /** Lines before the sentence, such as the problems of a file. */
  readonly details: readonly string[];
  /** What `--json` prints in addition. */
  readonly data: object;

  constructor(message: string, { exitCode = 1, details = [], data = {}, cause }: Details = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.details = details;
    this.data = data;
  }
}

/** A signal has ended the run, which is rolled back. */
export class Stopped extends CommandFailure {}

/** The data that the specification describes cannot be generated. */
export class GenerationFailure extends CommandFailure {}

/** The meaning of file system errors. */
const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what should be a folder in its path is a file',
  EEXIST: 'something of that name already exists',
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EROFS: 'it is on a file system that may only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be longer than files may be here',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk reported an error',
};

/** The meaning of a file system error, as the end of a sentence; undefined for any other error. */
export function fileReason(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || (syscall === undefined && !code.startsWith('ERR_FS'))) return undefined;
  return fileErrors[code] ?? `the system says ${code}`;
}

const databaseErrors: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(?:BUSY|LOCKED)/u, 'is locked by another process. Stop that one, or try again later.'],
  [/^SQLITE_NOTADB/u, 'is not a SQLite database. Name another file.'],
  [/^SQLITE_CORRUPT/u, 'is damaged: SQLite cannot read it. Restore it from a backup.'],
  // IOERR_SHMSIZE: the -shm file could not be extended.
  [
    /^SQLITE_(?:FULL|IOERR_SHMSIZE)/u,
    'cannot be written: the disk is full. Make room and run it again.',
  ],
  [
    /^SQLITE_(?:READONLY|PERM|AUTH)/u,
    'cannot be written to. Check the permissions of its file, of those beside it (-wal, -shm) and of the folder that it is in.',
  ],
  [/^SQLITE_CANTOPEN/u, 'cannot be opened. Check its path and the permissions of its file.'],
  [/^SQLITE_(?:IOERR|PROTOCOL|NOMEM)/u, 'cannot be used: its disk reported an error.'],
];

/** An error on the database `name` as a failure of the command; any other error as it is. */
export function databaseFailure(error: unknown, name: string): unknown {
  if (!(error instanceof DatabaseFailure) && !isSqlite(error)) return error;
  const code = codeOf(error) || codeOf(error.cause);
  const [, meaning = reasonOf(error.cause)] =
    databaseErrors.find(([pattern]) => pattern.test(code)) ?? [];
  // The connection was lost during a commit: the unknown outcome matters more than the cause.
  const isUnclear = error instanceof DatabaseFailure && error.kind === 'outcomeUnknown';
  const message =
    meaning === undefined || isUnclear ? error.message : `The database ${name} ${meaning}`;
  return new CommandFailure(
    isUnclear ? `${message} Look whether it is done, then run it again if not.` : message,
    { cause: error },
  );
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

function isSqlite(error: unknown): error is Error {
  return error instanceof Error && codeOf(error).startsWith('SQLITE_');
}

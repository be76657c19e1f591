import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where Linux keeps files in memory, and how much has to be free there, in bytes: far more than the tests write. */
const memory = '/dev/shm';
const room = 2 * 1024 ** 3;

/**
 * The folder for files that are gone after the tests and that nobody runs as programs: in memory where there is room, since
 * a disk takes ten times as long to make the hundreds of files of a database.
 */
export function folderForData(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    accessSync(memory, constants.W_OK);
    return bavail * bsize > room ? memory : tmpdir();
  } catch {
    // Other systems have none.
    return tmpdir();
  }
}

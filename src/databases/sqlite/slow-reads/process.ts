/**
 * A process that reads SQLite files for another one, one statement at a time, and can be killed while it does: SQLite
 * runs a statement to its end, so that nothing else ends one at its deadline. Its arguments are whose files these are, and
 * the process that has started it, without which it ends.
 */
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../lib/message-of.ts';
import type { Row } from '../../database.ts';
import type { Job, Report } from './job.ts';
import { OwnTime } from '../../../lib/cpu-time.ts';
import { lengthOf } from '../../row-length.ts';
import { programBeside } from '../../../lib/sibling-program.ts';
import { SqliteConnection } from '../connection.ts';
import { busyPatience, codeOf } from '../errors.ts';

/** How many rows a message has at most, and after how many characters it is sent. */
const portionLength = 1_000;
const portionText = 1024 * 1024;
/** Pages that such a process may keep, in bytes. */
const cacheSize = 32 * 1024 * 1024;

let opened: { readonly file: string; readonly connection: SqliteConnection } | undefined;

/** Opened by the first job that reads the file, whose failure it then is when that cannot be opened. */
function open(file: string): SqliteConnection {
  if (opened?.file !== file) {
    opened?.connection.driver.close();
    opened = undefined;
    opened = { file, connection: new SqliteConnection(file, { readonly: true }, cacheSize) };
    // Nobody else waits in this process.
    opened.connection.driver.pragma(`busy_timeout = ${busyPatience}`);
  }
  return opened.connection;
}

/** Resolves when the report is on its way, so that no more than a portion waits here. */
function send(report: Report): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(report, () => resolve());
  });
}

async function run({ file, sql, parameters }: Job): Promise<void> {
  let own = new OwnTime();
  let took = 0;
  try {
    const statement = open(file).driver.prepare<unknown[], Row>(sql).raw();
    let rows: Row[] = [];
    let length = 0;
    for (const row of statement.iterate(...parameters)) {
      rows.push(row);
      length += lengthOf(row);
      if (rows.length < portionLength && length < portionText) continue;
      took += own.passed;
      await send({ kind: 'rows', rows });
      rows = [];
      length = 0;
      own = new OwnTime();
    }
    took += own.passed;
    if (rows.length > 0) await send({ kind: 'rows', rows });
    await send({ kind: 'done', took });
  } catch (error) {
    await send({ kind: 'failed', message: messageOf(error), code: codeOf(error) });
  }
}

// What is short, and answered by the server itself, goes first where processors are few.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// A signal to the whole group is the server's, which lets its requests end first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => void run(job));
new Worker(programBeside(import.meta.url, 'watch'), {
  workerData: Number(process.argv[3]),
}).unref();
await send({ kind: 'ready' });

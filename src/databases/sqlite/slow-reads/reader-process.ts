/**
 * A process that reads SQLite files for its parent, one statement at a time. It can be killed during a statement,
 * which is the only way to end one at its deadline. Arguments: a name for process listings, and the process id of the
 * parent, without which it ends.
 */
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../lib/message-of.ts';
import type { Row } from '../../database.ts';
import { OwnTime } from '../../../lib/cpu-time.ts';
import { lengthOf } from '../../database.ts';
import { packageModule } from '../../../lib/modules/package-files.ts';
import { SqliteConnection } from '../connection.ts';
import { busyPatience, codeOf } from '../errors.ts';
import type { Job, Report } from './reader-processes.ts';

/** The most rows in a message, and the number of characters after which it is sent. */
const portionLength = 1_000;
const portionText = 1024 * 1024;
/** The page cache, in bytes. */
const cacheSize = 32 * 1024 * 1024;

let opened: { readonly file: string; readonly connection: SqliteConnection } | undefined;

/** Opened by the first job that reads the file, so that the job fails if the file cannot be opened. */
function open(file: string): SqliteConnection {
  if (opened?.file !== file) {
    opened?.connection.driver.close();
    opened = undefined;
    opened = { file, connection: new SqliteConnection(file, { readonly: true }, cacheSize) };
    // Waiting blocks nothing else in this process.
    opened.connection.driver.pragma(`busy_timeout = ${busyPatience}`);
  }
  return opened.connection;
}

/** Resolves when the report was sent, so that only one portion is buffered. */
function send(report: Report): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(report, () => resolve());
  });
}

async function run({ file, sql, parameters, isExact }: Job): Promise<void> {
  let own = new OwnTime();
  let took = 0;
  try {
    const statement = open(file).driver.prepare<unknown[], Row>(sql).raw().safeIntegers(isExact);
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

// Short reads on the server's main thread go first if processors are few.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// A signal to the process group is meant for the server, which finishes its requests first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => void run(job));
new Worker(packageModule('databases/sqlite/slow-reads/parent-watch'), {
  workerData: Number(process.argv[3]),
}).unref();
await send({ kind: 'ready' });

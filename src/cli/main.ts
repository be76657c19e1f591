#!/usr/bin/env node
import { closeSync, openSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import process from 'node:process';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { packageFile } from '../lib/modules/package-files.ts';
import type { Context } from '../server/context.ts';
import { limitHeap } from './heap-limit.ts';
import { requireNode } from './node-version.ts';

const { version, engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  readonly version: string;
  readonly engines: { readonly node: string };
};
// Before any import that an older Node could not read.
await requireNode(engines.node.replace('>=', ''));
// Without a limit, `constrainedMemory` is 0 or larger than any machine's memory.
const memory = Math.min(process.constrainedMemory() || Infinity, totalmem());
limitHeap(memory);
// Before other modules are loaded: later starts need not compile them.
const { enableCompileCache } = await import('./compile-cache.ts');
enableCompileCache(process.env);
// After many requests have waited at once, V8 takes rows and records for long-lived objects and allocates them in the old
// generation from then on: reads then cost an eighth more.
setFlagsFromString('--no-allocation-site-pretenuring');
// Without it the heap may double repeatedly before a collection: 150 MiB more with a thousand clients.
setFlagsFromString('--heap-growing-percent=25');
const { userFolder } = await import('../server/context.ts');
const { processOutput } = await import('./process-output.ts');
const { endProcess } = await import('./process-end.ts');
const { runCommand } = await import('./run.ts');
const { uuidv7 } = await import('../lib/uuid.ts');

/** The folder of this process. It may have been deleted since the user changed to it, as by `git checkout`. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write(
      'Your current folder no longer exists. Change to another one, and run it again.\n',
    );
    return process.exit(1);
  }
}

/** Whether the terminal of this process was closed, which is told by the same signal. */
function hasLostTerminal(): boolean {
  if (!process.stdin.isTTY && !process.stdout.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

let stop: AbortController | undefined;
const context: Context = {
  folder: userFolder(process.env, currentFolder),
  environment: process.env,
  output: processOutput(process),
  clockAndIds: { now: () => new Date(), uuid: uuidv7 },
  memory,
  heapLimit: getHeapStatistics().heap_size_limit,
  stop: () => {
    if (stop === undefined) {
      const controller = new AbortController();
      stop = controller;
      process.once('SIGINT', () => controller.abort());
      process.once('SIGTERM', () => controller.abort());
    }
    return stop.signal;
  },
  onHangup: (listener) => {
    process.on('SIGHUP', () => {
      if (hasLostTerminal()) process.kill(process.pid, 'SIGTERM');
      else listener();
    });
  },
  onLeak: (listener) => {
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
  },
};
process.exitCode = await runCommand(context, version, process.argv);
if (stop?.signal.aborted === true) endProcess();

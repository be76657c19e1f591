#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { totalmem } from 'node:os';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import type { Context } from './context.ts';

const packageFile = new URL('../../package.json', import.meta.url);
const { version, engines } = JSON.parse(readFileSync(packageFile, 'utf8')) as {
  readonly version: string;
  readonly engines: { readonly node: string };
};
// An older Node would end with a stack, at the first thing that it does not have: so nothing is imported by name above.
const needed = Number.parseInt(engines.node.replace('>=', ''), 10);
if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `Plinth needs Node ${needed} or newer, and this is ${process.versions.node}. Run it with a newer one; "npm install --save-dev node" brings one to a project.\n`,
  );
  process.exit(1);
}
// Before anything else is loaded: the second start is faster by what compiling took.
modules.enableCompileCache();
// Once many requests have waited together, for a slow database or for their turn, the engine takes rows and records for
// things that stay, makes them where garbage is dear to find, and goes on doing so: reads then cost an eighth more.
setFlagsFromString('--no-allocation-site-pretenuring');
// By itself the heap may double and double again before it is looked through: 150 MiB more under a thousand clients.
setFlagsFromString('--heap-growing-percent=25');
const { userFolder } = await import('./context.ts');
const { processOutput } = await import('./output.ts');
const { runCommand } = await import('./run.ts');
const { uuidv7 } = await import('../lib/uuid.ts');

/** Where it was started. The folder may have been removed since the user went there, as by `git checkout`. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write(
      'The folder that you are in is not there any more. Change to another one, or to it anew, and run it again.\n',
    );
    return process.exit(1);
  }
}

let stop: AbortController | undefined;
const context: Context = {
  folder: userFolder(process.env, currentFolder),
  environment: process.env,
  output: processOutput(process),
  clockAndIds: { now: () => new Date(), uuid: uuidv7 },
  // Without a bound the first is 0, or more than any machine has.
  memory: Math.min(process.constrainedMemory() || Infinity, totalmem()),
  stop: () => {
    if (stop === undefined) {
      const controller = new AbortController();
      stop = controller;
      process.once('SIGINT', () => controller.abort());
      process.once('SIGTERM', () => controller.abort());
    }
    return stop.signal;
  },
};
process.exitCode = await runCommand(context, version, process.argv);

#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import type { Context } from './context.ts';

// Before anything else is loaded: the second start is faster by what compiling took.
enableCompileCache();
const { processOutput } = await import('./output.ts');
const { runCommand } = await import('./run.ts');
const { uuidv7 } = await import('../http/uuid.ts');

const context: Context = {
  folder: process.env['INIT_CWD'] ?? process.cwd(),
  environment: process.env,
  output: processOutput(process),
  draw: { now: () => new Date(), uuid: uuidv7 },
  stopped: new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  }),
};
const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
process.exitCode = await runCommand(context, version, process.argv);

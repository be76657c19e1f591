import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

// This module runs on every Node that knows modules: an older one must get the sentence below, not a stack.

/** Whether a version (`22.18.0`) is at least another (`22.18`). */
export function isAtLeast(version: string, least: string): boolean {
  const wanted = least.split('.').map(Number);
  const found = version.split('.').map(Number);
  for (const [index, number] of wanted.entries()) {
    const own = found[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

/** The program of a `node` package in the user's project or beside Plinth, if it is new enough. */
function nodeBeside(least: string): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url])
    try {
      const program = join(dirname(createRequire(from).resolve('node/package.json')), 'bin/node');
      const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      if (status === 0 && isAtLeast(stdout.trim().slice(1), least)) return program;
    } catch {
      // There is none.
    }
  return undefined;
}

/**
 * If this Node is older than `least`, runs the command with the `node` package of the project, or ends with a sentence
 * that says what to do. Returns if this Node is new enough.
 */
export async function requireNode(least: string): Promise<void> {
  if (isAtLeast(process.versions.node, least)) return;
  const program = nodeBeside(least);
  if (program === undefined) {
    process.stderr.write(
      `Plinth needs Node ${least} or newer, and this is ${process.versions.node}. Run it with a newer one; "npm install --save-dev node" brings one to a project.\n`,
    );
    process.exit(1);
  }
  const child = spawn(program, process.argv.slice(1), { stdio: 'inherit' });
  // The terminal sends SIGINT to both; the child decides when to end.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((done) => {
    child.on('close', (code, signal) => done(code ?? (signal === null ? 1 : 128)));
  });
  process.exit();
}

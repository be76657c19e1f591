import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server of another make that a test has for itself. */
export interface TestService {
  readonly url: string;
  /** Ends it at once, as a crash would. */
  readonly stop: () => Promise<void>;
}

/** How a program is started, and what it prints once it can be reached. */
export interface Started {
  readonly args: readonly string[];
  readonly ready: string;
  /** Whose process it is. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** Starts a program in a folder of its own, gone with it, and waits until it is ready; gives how to stop it. */
export async function startProgram(
  program: string,
  prepare: (folder: string) => Started,
): Promise<TestService['stop']> {
  const folder = mkdtempSync(join(tmpdir(), `plinth-${program}-`));
  const { args, ready, identity } = prepare(folder);
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], ...identity });
  const ended = new Promise<void>((done) => {
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
      done();
    });
  });
  let printed = '';
  await new Promise<void>((done, failed) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (printed.includes(ready)) done();
      });
    void ended.then(() => failed(new Error(printed)));
  });
  return () => {
    child.kill('SIGKILL');
    return ended;
  };
}

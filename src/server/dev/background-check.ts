import { fork } from 'node:child_process';
import { once } from 'node:events';
import { packageModule } from '../../lib/modules/package-files.ts';
import type { Problem } from '../../specification/problems.ts';
import type { Environment } from '../../specification/yaml/environment.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** The message to the process. */
export type CheckedFile = Pick<SpecificationFile, 'name' | 'folder' | 'text'> & {
  readonly environment: Environment;
};

const program = packageModule('server/dev/background-check-process');

/**
 * Runs `checkGeneration` in a process of its own: the words and libraries of generated data take 12 MiB that serving does
 * not need, and no request waits for the check. A thread would not give its memory back. `stop` ends the check without a
 * problem. Fails with the output of the process if that fails.
 */
export async function checkInBackground(
  { name, folder, text, environment }: CheckedFile,
  stop: AbortSignal,
): Promise<readonly Problem[]> {
  if (stop.aborted) return [];
  // A process with the terminal would reset it at its end, while the user may be answering a question.
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let [problems, errors]: [readonly Problem[], string] = [[], ''];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.on('message', (found) => (problems = found as readonly Problem[]));
  child.on('error', () => undefined);
  const file: CheckedFile = { name, folder, text, environment: { ...environment } };
  child.send(file, () => undefined);
  const end = (): void => void child.kill('SIGKILL');
  stop.addEventListener('abort', end);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0 && !stop.aborted) throw new Error(errors.trim());
  } finally {
    stop.removeEventListener('abort', end);
  }
  return problems;
}

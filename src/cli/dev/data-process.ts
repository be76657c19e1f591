import { fork } from 'node:child_process';
import { once } from 'node:events';
import { programBeside } from '../../lib/sibling-program.ts';
import type { Problem } from '../../specification/problems.ts';
import type { Environment } from '../../specification/yaml/environment.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** What the process is told. */
export type Asked = Pick<SpecificationFile, 'name' | 'folder' | 'text'> & {
  readonly environment: Environment;
};

const program = programBeside(import.meta.url, 'data-program');

/**
 * As `checkGeneration`, in a process of its own: the words and libraries of generated data are 12 MiB that serving does
 * not need, and no request waits for them. A thread would leave its memory behind. Ends with `stop`, without a problem;
 * fails with what the process has said where that fails.
 */
export async function checkGenerationApart(
  { name, folder, text, environment }: Asked,
  stop: AbortSignal,
): Promise<readonly Problem[]> {
  if (stop.aborted) return [];
  // A process that has the terminal leaves it as it was when it began, under whoever is asked something meanwhile.
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let [problems, said]: [readonly Problem[], string] = [[], ''];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.on('message', (found) => (problems = found as readonly Problem[]));
  child.on('error', () => undefined);
  child.send(
    { name, folder, text, environment: { ...environment } } satisfies Asked,
    () => undefined,
  );
  const end = (): void => void child.kill('SIGKILL');
  stop.addEventListener('abort', end);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0 && !stop.aborted) throw new Error(said.trim());
  } finally {
    stop.removeEventListener('abort', end);
  }
  return problems;
}

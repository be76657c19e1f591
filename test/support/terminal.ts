import { join } from 'node:path';
import { launch, root, type Running, type Surroundings } from './command.ts';

/** The one that takes a command and says how it ended. */
const { out } = await launch('sh', ['-c', 'script --version || true'], { cwd: root }).ended;

/** Whether this machine can run a command on a terminal. */
export const hasTerminal = out.includes('util-linux');

/** Starts `plinth` on a terminal, to which the test writes; what is printed and noted comes together. */
export function launchInTerminal(
  args: readonly string[],
  { cwd, env = {} }: Pick<Surroundings, 'cwd' | 'env'>,
): Running {
  const node = join(root, 'node_modules/.bin/node');
  const command = `stty cols 120; exec ${node} ${join(root, 'src/cli/main.ts')} ${args.join(' ')}`;
  return launch('script', ['-qfec', command, '/dev/null'], {
    cwd,
    env: { NO_COLOR: '1', TERM: 'dumb', ...env },
    isWritten: true,
  });
}

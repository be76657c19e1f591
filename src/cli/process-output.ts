import { visible } from '../lib/text/control-characters.ts';
import { loadOptional } from '../lib/modules/optional-package.ts';
import { fileReason } from '../server/failure.ts';
import type { Output } from '../server/output.ts';

const barWidth = 40;
const clearLine = '\r\u001B[K';

/**
 * Output to the streams of this process, and the only place that prints: results on standard output, everything else on
 * standard error. Names and values come from files and databases of others, so control characters are shown escaped. See
 * docs/contract/6-operation.md#command-line, rule 8.
 */
export function processOutput(process: NodeJS.Process): Output {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY && stdout.isTTY;
  let isServing = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe has closed it, as `head` does.
    if (isServing || error.code === 'EPIPE') return;
    const reason = fileReason(error) ?? error.message;
    stderr.write(`Standard output cannot be written: ${reason}. Fix that and run it again.\n`);
    process.exit(1);
  });
  // A warning that cannot be written cannot be reported elsewhere.
  stderr.on('error', () => undefined);
  return {
    print: (line) => stdout.write(`${visible(line)}\n`),
    document: (text) => stdout.write(`${stdout.isTTY ? visible(text) : text}\n`),
    serving: () => {
      isServing = true;
    },
    note: (line) => stderr.write(`${visible(line)}\n`),
    confirm: async (message, signal) => {
      if (!isInteractive) return false;
      const { confirm } = await loadOptional(
        'A question',
        ['@clack/prompts'],
        () => import('@clack/prompts'),
      );
      const answer = await confirm({
        message: visible(message),
        initialValue: false,
        ...(signal === undefined ? {} : { signal }),
      });
      return answer === true;
    },
    isInteractive,
    isTerminal: stdout.isTTY,
    progress: async (title, work) => {
      if (!stderr.isTTY) return work(() => undefined);
      let shown: number | undefined;
      const show = (share: number): void => {
        const percent = Math.floor(share * 100);
        if (percent === shown) return;
        shown = percent;
        const bar = '█'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '░');
        stderr.write(`\r${title} ${bar} ${percent}%`);
      };
      show(0);
      try {
        return await work((done, total) => show(total === 0 ? 1 : Math.min(1, done / total)));
      } finally {
        stderr.write(clearLine);
      }
    },
  };
}

import { fileReason } from './failure.ts';

/** The only place that prints: results on standard output, everything else on standard error. */
export interface Output {
  /** A line that cannot be written, as on a full disk, ends the command. */
  readonly print: (line: string) => void;
  /** From here on it ends nothing: who serves goes on, whoever hears of it. */
  readonly serving: () => void;
  readonly note: (line: string) => void;
  /** Runs `work` with a progress bar on a terminal, silently elsewhere. */
  readonly progress: <Value>(
    title: string,
    work: (report: (done: number, total: number) => void) => Promise<Value>,
  ) => Promise<Value>;
  readonly isInteractive: boolean;
  /** Whether somebody reads on a terminal what is printed. */
  readonly isTerminal: boolean;
}

/** Output to the streams of this process. */
export function processOutput(process: NodeJS.Process): Output {
  const { stdin, stdout, stderr } = process;
  let isServing = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it (`| head`) has seen enough.
    if (isServing || error.code === 'EPIPE') return;
    const reason = fileReason(error) ?? error.message;
    stderr.write(`Standard output cannot be written: ${reason}. Mend that and run it again.\n`);
    process.exit(1);
  });
  // There is nowhere else to tell that a warning cannot be told.
  stderr.on('error', () => undefined);
  return {
    print: (line) => stdout.write(`${line}\n`),
    serving: () => {
      isServing = true;
    },
    note: (line) => stderr.write(`${line}\n`),
    isInteractive: stdin.isTTY && stdout.isTTY,
    isTerminal: stdout.isTTY,
    progress: async (title, work) => {
      if (!stderr.isTTY) return work(() => undefined);
      const { Presets, SingleBar } = await import('cli-progress');
      const bar = new SingleBar(
        { format: `${title} {bar} {percentage}%`, stream: stderr, clearOnComplete: true },
        Presets.shades_classic,
      );
      bar.start(1, 0);
      try {
        return await work((done, total) => {
          bar.setTotal(total);
          bar.update(done);
        });
      } finally {
        bar.stop();
      }
    },
  };
}

/** Lines of two columns, the first padded, indented by two. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const right = Math.max(0, ...rows.map(([, text]) => text.length));
  return rows.map(([left, text]) => `  ${left.padEnd(width)}  ${text.padStart(right)}`);
}

/** `15,607`; the locale machinery would cost a start more than all else that the banner needs. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
}

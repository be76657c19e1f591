import { Presets, SingleBar } from 'cli-progress';

/** The only place that prints: results on standard output, everything else on standard error. */
export interface Output {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  /** Runs `work` with a progress bar on a terminal, silently elsewhere. */
  readonly progress: <Value>(
    title: string,
    work: (report: (done: number, total: number) => void) => Promise<Value>,
  ) => Promise<Value>;
  readonly isInteractive: boolean;
}

/** Output to the streams of this process. */
export function processOutput(process: NodeJS.Process): Output {
  return {
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
    isInteractive: process.stdin.isTTY && process.stdout.isTTY,
    progress: async (title, work) => {
      if (!process.stderr.isTTY) return work(() => undefined);
      const bar = new SingleBar(
        { format: `${title} {bar} {percentage}%`, stream: process.stderr, clearOnComplete: true },
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

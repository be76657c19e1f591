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
  /** Whether somebody reads on a terminal what is printed. */
  readonly isTerminal: boolean;
}

/** Output to the streams of this process. */
export function processOutput({ stdin, stdout, stderr }: NodeJS.Process): Output {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever read it (`| head`) has seen enough, and there is nowhere else to tell that a warning cannot be told.
      if (stream !== stderr && error.code !== 'EPIPE') throw error;
    });
  return {
    print: (line) => stdout.write(`${line}\n`),
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

import type { Output } from '../../src/server/output.ts';
import { runCommand } from '../../src/cli/run.ts';
import { until, type Folder } from '../support/command.ts';
import { endAfterFile } from '../support/leftovers.ts';
import { quietContext } from '../sandboxes/sandboxes.ts';

/** What a command has told, and its exit code. */
export interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly now?: () => Date;
  readonly stop?: AbortSignal;
  /** Told how far the command is. */
  readonly report?: (done: number, total: number) => void;
}

/** Runs a command within this process, for who stands in `folder`; this process itself stands elsewhere. */
export function runIn(
  folder: Folder,
  surroundings: Surroundings,
  ...args: readonly string[]
): Promise<Told> {
  return begin(folder, surroundings, args).ended;
}

/** A server within this process that has printed its banner. */
export interface ServingHere {
  readonly url: string;
  readonly err: () => string;
  /** Does what a signal does. */
  readonly stop: () => Promise<Told>;
}

/** Runs `plinth dev` or `plinth start` within this process until it serves. */
export async function serveIn(
  folder: Folder,
  surroundings: Pick<Surroundings, 'environment' | 'now'>,
  ...args: readonly string[]
): Promise<ServingHere> {
  const controller = new AbortController();
  const stop = controller.signal;
  const signal = (): void => controller.abort();
  endAfterFile(signal);
  const { out, err, ended } = begin(folder, { ...surroundings, stop }, args);
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  await until(() => isOver || out.join('\n').includes('Stop:'));
  const [, url] = /served at (\S+)/u.exec(out.join('\n')) ?? [];
  if (isOver || url === undefined) throw new Error(err.join('\n'));
  const end = (): Promise<Told> => {
    signal();
    return ended;
  };
  return { url, err: () => err.join('\n'), stop: end };
}

function begin(
  folder: Folder,
  { environment = {}, now, stop = new AbortController().signal, report }: Surroundings,
  args: readonly string[],
): { readonly out: string[]; readonly err: string[]; readonly ended: Promise<Told> } {
  const context = quietContext(folder.path, now);
  const [out, err]: [string[], string[]] = [[], []];
  const output: Output = {
    ...context.output,
    progress: (_title, work) => work(report ?? (() => undefined)),
    print: (line: string) => void out.push(line),
    document: (text: string) => void out.push(text),
    note: (line: string) => void err.push(line),
  };
  const own = { ...context, environment, stop: () => stop, output };
  const ended = runCommand(own, '0.0.0', ['node', 'plinth', ...args]).then((code) => ({
    code,
    out: out.join('\n'),
    err: err.join('\n'),
  }));
  return { out, err, ended };
}

import { CommanderError } from 'commander';
import type { Context } from './context.ts';
import { CommandFailure } from './failure.ts';
import { buildProgram } from './program.ts';

/** Runs one command; gives its exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCommand(
  context: Context,
  version: string,
  args: readonly string[],
): Promise<0 | 1 | 2> {
  const { output } = context;
  try {
    await buildProgram(context, version).parseAsync(args);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const verbose = args.includes('--verbose');
    if (error instanceof CommandFailure) {
      for (const line of error.details) output.note(line);
      output.note(verbose ? (error.stack ?? error.message) : error.message);
      return error.exitCode;
    }
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? error.stack : undefined;
    output.note(
      verbose
        ? (stack ?? message)
        : `Unexpected error: ${message}. Run it again with --verbose for more.`,
    );
    return 1;
  }
}

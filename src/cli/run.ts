import { CommanderError } from 'commander';
import { messageOf } from '../lib/message-of.ts';
import { MissingPackages } from '../lib/modules/optional-package.ts';
import type { Context } from '../server/context.ts';
import { CommandFailure, databaseFailure, fileReason } from '../server/failure.ts';
import { buildProgram } from './program.ts';

/** Runs one command; returns its exit code: 0 success, 1 failure, 2 wrong usage. */
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
    // Commander has printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = failureOf(error);
    for (const line of failure.details) output.note(line);
    if (args.includes('--json'))
      output.print(
        JSON.stringify({ ok: false, error: failure.message, ...failure.data }, undefined, 2),
      );
    output.note(args.includes('--verbose') ? (stackOf(error) ?? failure.message) : failure.message);
    return failure.exitCode;
  }
}

function failureOf(error: unknown): CommandFailure {
  const known = databaseFailure(error, 'file');
  if (known instanceof CommandFailure) return known;
  if (error instanceof MissingPackages)
    return new CommandFailure(
      `${error.message}, not installed here. Run "npm install ${error.names.join(' ')}" and try again.`,
      { cause: error },
    );
  const message = messageOf(error);
  const reason = fileReason(error);
  const { path } = error as NodeJS.ErrnoException;
  return new CommandFailure(
    reason === undefined
      ? `Unexpected error: ${message}. Run it again with --verbose for more.`
      : `${path ?? 'A file'} cannot be used: ${reason}. Fix that and run it again.`,
    { cause: error },
  );
}

/** The stack of an error and of its causes. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = stackOf(error.cause);
  return cause === undefined ? error.stack : `${error.stack}\nCaused by: ${cause}`;
}

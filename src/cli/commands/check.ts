import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { formatProblem, readSpecification } from '../specification.ts';

/** `plinth check [file]`: every problem with line and column; fails on an error. */
export async function check(
  context: Context,
  file: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const { name, problems, api } = readSpecification(context, file);
  if (json === true)
    context.output.print(JSON.stringify({ ok: api !== undefined, problems }, undefined, 2));
  else for (const problem of problems) context.output.print(formatProblem(problem));
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (api === undefined)
    throw new CommandFailure(
      `${name} has ${errors === 1 ? '1 error' : `${errors} errors`}. Mend ${errors === 1 ? 'it' : 'them'} and run "plinth check" again.`,
    );
  if (json !== true) context.output.print(`${name} is valid: ${api.resources.size} resources.`);
}

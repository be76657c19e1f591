import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { formatProblem, readSpecification, type Named } from '../specification.ts';

/** `plinth check [file]`: every problem with line and column; fails on an error. */
export function check(
  context: Context,
  { json, ...named }: Named & { readonly json?: boolean },
): void {
  const { output } = context;
  const { name, problems, api } = readSpecification(context, named);
  if (json !== true) for (const problem of problems) output.print(formatProblem(problem));
  if (api === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    throw new CommandFailure(
      `${name} has ${errors === 1 ? '1 error' : `${errors} errors`}. Mend ${errors === 1 ? 'it' : 'them'} and run "plinth check" again.`,
      { data: { problems } },
    );
  }
  const { size } = api.resources;
  if (json === true) output.print(JSON.stringify({ ok: true, problems }, undefined, 2));
  else output.print(`${name} is valid: ${size} ${size === 1 ? 'resource' : 'resources'}.`);
}

import type { Endpoint } from '../../extensions/endpoints/endpoint.ts';
import { loadCode, type LoadedCode } from '../../extensions/load.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Api } from '../../model/api.ts';
import { counted } from '../../model/values.ts';
import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { formatProblem, type SpecificationFile } from './specification.ts';

/** Loads and starts the own code of a specification that is to be served. Fails if it has errors; prints its warnings. */
export async function withCode(
  { output, onLeak }: Context,
  specification: SpecificationFile,
): Promise<SpecificationFile> {
  if (specification.api.settings.code === undefined) return specification;
  const { code, problems } = await loadCode(specification);
  if (code === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    throw new CommandFailure(
      `The own code of ${specification.name} has ${counted(errors.length, 'error')}. Fix ${errors.length === 1 ? 'it' : 'them'} and try again.`,
      { details: errors.map(formatProblem), data: { problems } },
    );
  }
  for (const problem of problems) output.note(formatProblem(problem));
  onLeak((error) =>
    output.note(
      `Own code has left a rejection to nobody; await what it starts: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`,
    ),
  );
  try {
    await code.start();
  } catch (error) {
    throw new CommandFailure(`${code.file} cannot be started: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { ...specification, code };
}

/** Runs work with the own code of a specification, which is stopped if the work fails. */
export async function withStartedCode<Value>(
  context: Context,
  specification: SpecificationFile,
  work: (started: SpecificationFile) => Promise<Value>,
): Promise<Value> {
  const started = await withCode(context, specification);
  try {
    return await work(started);
  } catch (error) {
    try {
      await started.code?.stop();
    } catch (other) {
      // The first error counts.
      context.output.note(`${started.code?.file} cannot be stopped: ${messageOf(other)}`);
    }
    throw error;
  }
}

/** What documents say of a specification with own code. */
export interface Documented {
  readonly api: Api;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Loads the own code of a specification for documents. Problems of the module are printed, and leave it out: the resources
 * are documented all the same. See docs/contract/10-own-code.md#reload, rule 5.
 */
export async function documentedOf(
  { output }: Context,
  specification: SpecificationFile,
): Promise<Documented> {
  const { code, problems } = await loadCode(specification);
  for (const problem of problems) output.note(formatProblem(problem));
  return documentedWith(specification.api, code);
}

export function documentedWith(api: Api, code: LoadedCode | undefined): Documented {
  return { api: code?.filling(api) ?? api, endpoints: code?.endpoints ?? [] };
}

/** Without `auth`, `start` wants to be told who may call each endpoint. */
export function requireEndpointAccess({ api, code }: SpecificationFile): void {
  if (api.settings.auth !== undefined) return;
  const unsaid = (code?.endpoints ?? []).filter(({ isAccessSaid }) => !isAccessSaid);
  if (code === undefined || unsaid.length === 0) return;
  const names = unsaid.map(({ name }) => name).join('; ');
  throw new CommandFailure(
    `${code.file} does not say who may call ${names}. Add access: 'public' if everyone may, "access" to the file, or an "auth" block.`,
  );
}

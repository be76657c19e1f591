import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ServedApi } from '../../http/server/served-api.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { TraceReader } from '../../observability/events.ts';
import { fromFolder, type Context } from '../context.ts';
import { withStoredForms } from '../database/database.ts';
import { migrationAdvice, missingSteps, stepLines } from '../database/schema.ts';
import { databaseTarget, type OpenDatabase } from '../database/target.ts';
import { restartSettings } from '../dev/edits.ts';
import { CommandFailure, databaseFailure } from '../failure.ts';
import { requireEndpointAccess, withStartedCode } from '../files/code.ts';
import {
  formatProblem,
  requireSpecification,
  type SpecificationFile,
} from '../files/specification.ts';
import { requireAccess, type Startable } from './start-rules.ts';
import { ServedVersions, type Reload } from './versions.ts';

/**
 * Reads the specification of `start` again; `given` is its text if another process has read it. Fails if it cannot take
 * the place of the served one: it has errors, names another database, or needs a migration. See
 * docs/contract/6-operation.md#reloading, rule 7.
 */
export async function rereadSpecification(
  context: Context,
  { specification: { name }, target, flag }: Startable,
  given?: string,
): Promise<SpecificationFile> {
  const path = fromFolder(context, name);
  if (given === undefined && statSync(path, { throwIfNoEntry: false })?.isFIFO() === true)
    throw new CommandFailure(`${name} is a pipe, which can be read only once.`);
  const read = requireSpecification(context, { file: path }, given === undefined ? {} : { given });
  requireAccess(read);
  if (!isDeepStrictEqual(databaseTarget(context, read, flag), target))
    throw new CommandFailure(`The database of ${name} has changed, which needs a restart.`);
  const specification = await withStoredForms(context, target, read);
  const steps = await missingSteps(context, target, specification.api);
  if (steps.length === 0) return specification;
  throw new CommandFailure(
    `The database does not fit ${name}. ${migrationAdvice(context, target, steps)}`,
    { details: stepLines(steps) },
  );
}

/** Prints why a specification was not taken. Returns the sentence. */
export function noteRefusal({ output }: Context, error: unknown, database: string): string {
  const failure = databaseFailure(error, database);
  const known = failure instanceof CommandFailure;
  if (known) for (const line of failure.details) output.note(line);
  const message = known ? failure.message : `Unexpected error: ${messageOf(error)}.`;
  output.note(`${message} The version from before stays in use.`);
  return message;
}

/** The versions of `start`: it reads the specification again when it is told to, one reading after another. */
export class Rereading implements Reload {
  private readonly context: Context;
  private readonly open: OpenDatabase;
  private readonly versions: ServedVersions;
  private served: Startable;
  private readers: readonly TraceReader[] = [];
  private running: Promise<void> = Promise.resolve();
  private isEnded = false;

  constructor(context: Context, served: Startable, open: OpenDatabase) {
    this.context = context;
    this.served = served;
    this.open = open;
    this.versions = new ServedVersions(this.servedApiOf(served.specification));
  }

  get current(): ServedApi {
    return this.versions.current;
  }

  begin(readers: readonly TraceReader[]): void {
    this.readers = readers;
  }

  /** Reads the file, or takes its text, and serves it if that is possible. */
  reread(given?: string): void {
    this.running = this.running.then(() => this.apply(given));
  }

  async end(): Promise<void> {
    this.isEnded = true;
    await this.running;
  }

  async close(): Promise<void> {
    await this.versions.close();
    await this.open.close();
  }

  private servedApiOf({ api, folder, code }: SpecificationFile): ServedApi {
    return new ServedApi(api, this.open.database, folder, undefined, code);
  }

  private async apply(given: string | undefined): Promise<void> {
    const { context, served } = this;
    const { output } = context;
    const { specification: before } = served;
    const { name } = before;
    const report = (messages: readonly string[]): void => {
      const problems = messages.map((message) => ({ message }));
      for (const { reloaded } of this.readers) reloaded?.({ file: name, problems });
    };
    try {
      if (this.isEnded) return;
      const found = await rereadSpecification(context, served, given);
      const next = await withStartedCode(context, found, async (started) => {
        requireEndpointAccess(started);
        return started;
      });
      for (const warning of next.warnings) output.note(formatProblem(warning));
      this.versions.swap(
        this.servedApiOf(next),
        async () => undefined,
        (error) => output.note(messageOf(error)),
      );
      this.served = { ...served, specification: next };
      output.note(`${name} was read again and is served.`);
      const left = restartSettings(before.api.settings, next.api.settings);
      if (left.length > 0) output.note(`Start again to use the changed ${left.join(', ')}.`);
      report([]);
    } catch (error) {
      report([noteRefusal(context, error, this.open.name)]);
    }
  }
}

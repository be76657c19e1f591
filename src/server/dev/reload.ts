import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { arePossible, neededSteps } from '../../migrations/steps.ts';
import { codeFiles } from '../../extensions/load.ts';
import { moduleFiles } from '../../generate/custom/modules.ts';
import { ServedApi } from '../../http/server/served-api.ts';
import { Sandboxes } from '../../http/sandboxes/sandboxes.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { ReloadProblem, TraceReader } from '../../observability/events.ts';
import { ServedVersions, type Reload } from '../serve/versions.ts';
import type { Context } from '../context.ts';
import { withStoredForms, openDatabase } from '../database/database.ts';
import { CommandFailure, databaseFailure } from '../failure.ts';
import { fillEmpty, fillLacking, generatingAnew, type FillOptions } from './fill.ts';
import { checkInBackground } from './background-check.ts';
import { Edits, restartSettings, type Edit } from './edits.ts';
import { migrateAndFill, nothingLacking, onceFilled, type Lacking } from './migrate-and-fill.ts';
import { servedOn } from './prepare.ts';
import { sandboxSource } from './sandbox-source.ts';
import type { Served } from './served.ts';
import {
  freshStart,
  migrationAdvice,
  migrationRefusal,
  missingSteps,
  stepLines,
} from '../database/schema.ts';
import { formatProblem, type SpecificationFile } from '../files/specification.ts';
import { withCode } from '../files/code.ts';
import { targetOrDevelopment, type Target } from '../database/target.ts';
import { watchFiles, type FileWatch } from './watch.ts';

/** How long a new version waits for its generated records, in ms. Longer work goes on while it is served. */
const fillTimeout = 500;
/** How long new requests wait for those in flight before the database is migrated, and the pause after that, in ms. */
const suspendFor = 1_000;
const resumeFor = 250;
/** After this time the database is migrated under requests in flight: a stream that no client reads must not block it. */
const suspendTimeout = 5_000;

/** Keeps a typed client that follows the specification. */
export interface ClientWriter {
  readonly writeFor: (specification: Pick<SpecificationFile, 'api' | 'code'>) => void;
}

/** What `dev` does with a specification, at the start and at each edit. */
export interface FollowOptions {
  /** The URL that the command line or the application gives. */
  readonly database?: string | undefined;
  /** Whether records are generated. */
  readonly generate: boolean;
  /** Whether edits are served. */
  readonly watch: boolean;
  /** The file of the typed client, which follows the specification. */
  readonly client?: ClientWriter | undefined;
}

/**
 * Follows the specification of `dev`: serves what is saved, on its own database, which is migrated with it. A file with
 * errors, or one that would lose values, leaves the last valid version in use. See
 * docs/contract/6-operation.md#reloading.
 */
export class LiveReload implements Reload {
  private readonly context: Context;
  private readonly fill: FillOptions;
  private readonly options: FollowOptions;
  private readonly edits: Edits;
  private served: Served;
  /** The last one that could be read, served or not. */
  private tried: SpecificationFile;
  private readonly versions: ServedVersions;
  private watch: FileWatch | undefined;
  private readers: readonly TraceReader[] = [];
  private isChanged = false;
  private running: Promise<void> | undefined;
  /** Ends a question to the user that has no answer yet. */
  private question: AbortController | undefined;
  private readonly ended = new AbortController();

  constructor(context: Context, options: FollowOptions, served: Served) {
    this.context = context;
    this.options = options;
    this.fill = { generates: options.generate };
    this.served = served;
    this.tried = served.specification;
    const { name } = served.specification;
    this.edits = new Edits(context, resolve(context.folder, name), served.specification);
    this.versions = new ServedVersions(this.makeServedApi(served));
  }

  /** The version that serves new requests. */
  get current(): ServedApi {
    return this.versions.current;
  }

  /** Starts to watch. `readers` get an event for each edit. */
  begin(readers: readonly TraceReader[]): void {
    this.readers = readers;
    this.options.client?.writeFor(this.served.specification);
    if (!this.options.watch) return;
    this.watch = watchFiles(this.files(), () => this.changed());
    void this.noteGeneration(this.served);
  }

  /** Stops watching, and waits for an edit that is being applied. */
  async end(): Promise<void> {
    this.ended.abort();
    this.question?.abort();
    this.watch?.close();
    await this.running;
  }

  /** Releases everything, the database last. Call it when no request is in flight. */
  async close(): Promise<void> {
    await this.versions.close();
    await this.served.open.close();
  }

  private get name(): string {
    return this.served.specification.name;
  }

  private files(): readonly string[] {
    const { api, folder } = this.tried;
    return [this.edits.path, ...moduleFiles(api, folder), ...codeFiles(api, folder)];
  }

  private makeServedApi({ specification, open }: Served): ServedApi {
    const { context, fill } = this;
    const { api, folder, code } = specification;
    const sandboxes = open.hasSandboxes
      ? new Sandboxes(sandboxSource(context, specification, fill), () =>
          Math.floor(performance.now()),
        )
      : undefined;
    return new ServedApi(api, open.database, folder, sandboxes, code);
  }

  private changed(): void {
    // One save may be noticed more than once; that must not end a question about it.
    if (this.running !== undefined && !this.edits.hasNews()) return;
    this.isChanged = true;
    // The question is about an older edit.
    this.question?.abort();
    this.running ??= this.follow().finally(() => {
      this.running = undefined;
    });
  }

  private async follow(): Promise<void> {
    while (this.isChanged && !this.ended.signal.aborted) {
      this.isChanged = false;
      const edit = this.edits.read();
      try {
        if (edit !== undefined) await this.apply(edit);
      } catch (error) {
        const failure = databaseFailure(error, this.served.open.name);
        // Any other error is a bug: its stack is printed, and the last version stays in use.
        const lines = failure instanceof CommandFailure ? failure.details : [];
        const message =
          failure instanceof CommandFailure
            ? failure.message
            : error instanceof Error
              ? (error.stack ?? error.message)
              : String(error);
        this.refuse(lines, message);
      }
    }
  }

  private async apply(edit: Edit): Promise<void> {
    const { output } = this.context;
    if (edit.kind === 'bad') {
      for (const line of edit.lines) output.note(line);
      output.note(`${edit.message} The last valid version stays in use.`);
      this.report(edit.problems);
    } else if (edit.kind === 'same') {
      output.note(`${this.name} has no errors again, and is served.`);
      this.report([]);
    } else await this.serve(edit.specification);
  }

  /** Serves a specification, unless the database cannot be migrated. */
  private async serve(read: SpecificationFile): Promise<void> {
    const { context } = this;
    for (const warning of read.warnings) context.output.note(formatProblem(warning));
    const target = targetOrDevelopment(context, read, this.options.database);
    this.tried = read;
    const specification = await this.withCode(await withStoredForms(context, target, read));
    try {
      await this.serveOn(target, specification);
    } finally {
      if (this.served.specification !== specification) await specification.code?.stop();
    }
  }

  /** Loads own code. If that fails, the files that it got to are watched. */
  private async withCode(specification: SpecificationFile): Promise<SpecificationFile> {
    try {
      return await withCode(this.context, specification);
    } catch (error) {
      this.edits.tried(specification);
      this.watch?.set(this.files());
      throw error;
    }
  }

  /** Serves a specification on a database, unless that cannot be migrated. */
  private async serveOn(target: Target, specification: SpecificationFile): Promise<void> {
    const { context, served } = this;
    if (isDeepStrictEqual(target, served.target))
      return this.migrateTo({ ...served, specification });
    const open = await openDatabase(context, target, target.isOwn ? 'create' : 'write');
    try {
      await this.migrateTo(await servedOn(specification, target, open, this.fill));
    } finally {
      if (this.served.open !== open) await open.close();
    }
  }

  /** Migrates the database. If it is the one that is served, requests have to end first. */
  private async migrateTo(next: Served): Promise<void> {
    const { context, served } = this;
    const { api } = next.specification;
    if (!next.target.isOwn) return this.serveUnchanged(next);
    if (await next.open.isUpToDate(api)) return this.fillAndSwap(next, [], nothingLacking);
    const fill = async (lacking: Lacking): Promise<void> => {
      for (const line of await this.fillAll(next, lacking)) context.output.note(line);
    };
    const isShared = next.open === served.open;
    const writtenIn = generatingAnew(next);
    const filling = this.fill.generates ? { fill, writtenIn } : undefined;
    const putBack = isShared ? (): Promise<unknown> => this.putBack() : undefined;
    let allowDataLoss = false;
    for (;;) {
      const options = { allowDataLoss };
      const migrate = async (): Promise<readonly MigrationStep[]> => {
        const { steps, lacking } = await migrateAndFill(next.open, api, options, filling, putBack);
        const shown = stepLines(allowDataLoss ? steps : neededSteps(steps), options);
        if (arePossible(steps, options)) await this.fillAndSwap(next, shown, lacking);
        return steps;
      };
      const steps = await (isShared ? withoutRequests(this.current, migrate) : migrate());
      if (arePossible(steps, options)) return;
      const isAsked = !allowDataLoss && (await this.mayLose(steps, next.open.name));
      if (!isAsked) return this.refuseSteps(next, steps);
      allowDataLoss = true;
    }
  }

  /** Serves a version on a database that `dev` may not change, if that has all that the version needs. */
  private async serveUnchanged(next: Served): Promise<void> {
    const { context, name } = this;
    const { specification, target, open } = next;
    const steps = await missingSteps(context, target, specification.api);
    if (steps.length === 0) return this.swap(next, []);
    const what = migrationAdvice(context, target, steps);
    this.refuse(
      stepLines(steps),
      `The database ${open.name} does not fit ${name}, and dev changes only its own. ${what}`,
    );
  }

  /** Migrates the database back to the served version, after a migration that failed halfway. */
  private async putBack(): Promise<void> {
    const { served } = this;
    const fill = (lacking: Lacking): Promise<unknown> => this.fillAll(served, lacking);
    const filling = { fill, writtenIn: async () => new Map() };
    const { lacking } = await migrateAndFill(served.open, served.specification.api, {}, filling);
    // Records may have values of the other version.
    if (lacking !== undefined) await fill(lacking);
  }

  /**
   * Generates new values, unless that is done (`lacking` is undefined), then serves the version. Values that take longer
   * than `fillTimeout` follow while it is served.
   */
  private async fillAndSwap(
    next: Served,
    steps: readonly string[],
    lacking: Lacking | undefined,
  ): Promise<void> {
    const all = lacking === undefined ? Promise.resolve([]) : this.fillAll(next, lacking);
    const filling = all.catch((error: unknown) => {
      const failure = databaseFailure(error, next.open.name);
      if (!(failure instanceof CommandFailure)) throw error;
      for (const line of failure.details) this.context.output.note(line);
      this.context.output.note(failure.message);
      return undefined;
    });
    const over = new AbortController();
    await Promise.race([
      filling,
      delay(fillTimeout, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
    over.abort();
    this.swap(next, steps);
    const { output } = this.context;
    const lines = await filling;
    for (const line of lines ?? []) output.note(line);
    if (lines !== undefined) void this.noteGeneration(next);
  }

  /** Prints the problems of generated data. The version is served in spite of them. */
  private async noteGeneration({ specification, target }: Served): Promise<void> {
    if (!this.fill.generates || !target.isOwn) return;
    const { output } = this.context;
    try {
      const { environment } = this.context;
      const problems = await checkInBackground(
        { ...specification, environment },
        this.ended.signal,
      );
      const errors = problems.filter(({ severity }) => severity === 'error');
      if (
        errors.length === 0 ||
        this.ended.signal.aborted ||
        this.served.specification !== specification
      )
        return;
      for (const error of errors) output.note(formatProblem(error));
      output.note(`${this.name} is served, but its data cannot be generated.`);
    } catch (error) {
      output.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  /**
   * Generates values for new fields and resources, and updates generated records to the new version. Returns lines for the
   * user.
   */
  private async fillAll(next: Served, lacking: Lacking): Promise<readonly string[]> {
    const { context, fill, served } = this;
    const { specification, open, provenance } = next;
    if (open === served.open) return fillLacking(context, next, lacking, fill);
    if (await fillEmpty(context, specification, open, fill, provenance)) return [];
    return fillLacking(context, next, lacking, fill);
  }

  private swap(next: Served, steps: readonly string[]): void {
    const { served, context } = this;
    const isShared = next.open === served.open;
    this.served = next;
    const release = async (): Promise<void> => {
      if (!isShared) await served.open.close();
    };
    this.versions.swap(this.makeServedApi(next), release, (error) =>
      context.output.note(String(error)),
    );
    this.edits.use(next.specification);
    this.watch?.set(this.files());
    const { output } = context;
    for (const line of steps) output.note(line);
    const where = steps.length === 0 ? '' : ` ${next.open.name} was changed as listed.`;
    output.note(`${this.name} was read again and is served.${where}`);
    this.options.client?.writeFor(next.specification);
    const { settings } = served.specification.api;
    const left = restartSettings(settings, next.specification.api.settings);
    if (left.length > 0) output.note(`Start dev again to use the changed ${left.join(', ')}.`);
    this.report([]);
  }

  /** On a terminal, asks the user whether values may be lost. */
  private async mayLose(steps: readonly MigrationStep[], database: string): Promise<boolean> {
    const { output } = this.context;
    const shown = this.fill.generates ? steps.map(onceFilled) : steps;
    const isLossAlone = shown.every(({ obstacle }) => obstacle === undefined);
    if (!isLossAlone || !output.isInteractive || this.isChanged || this.ended.signal.aborted)
      return false;
    const lines = stepLines(shown, { allowDataLoss: true });
    for (const line of lines) output.note(line);
    const question = new AbortController();
    this.question = question;
    const message = `Change the database ${database} so, and lose these values?`;
    this.report(itemsOf(lines), message);
    const answer = await output.confirm(message, question.signal);
    this.question = undefined;
    return answer;
  }

  private refuseSteps({ target }: Served, steps: readonly MigrationStep[]): void {
    // A newer edit is next; it may be this one again.
    if (this.isChanged || this.ended.signal.aborted) {
      this.edits.forget();
      return;
    }
    const needed = neededSteps(steps);
    const what = migrationRefusal(this.context, target, needed) ?? '';
    const anew = freshStart(this.context, this.name);
    this.refuse(stepLines(needed), `The database no longer fits ${this.name}. ${what} ${anew}`);
  }

  private refuse(lines: readonly string[], message: string): void {
    const { output } = this.context;
    this.edits.block();
    for (const line of lines) output.note(line);
    output.note(`${message} The last valid version stays in use; save ${this.name} to try again.`);
    this.report([...itemsOf(lines), { message }]);
  }

  private report(problems: readonly ReloadProblem[], question?: string): void {
    const event = { file: this.name, problems, ...(question === undefined ? {} : { question }) };
    for (const { reloaded } of this.readers) reloaded?.(event);
  }
}

/** Steps for the dashboard, which adds its own list markers. */
function itemsOf(lines: readonly string[]): readonly ReloadProblem[] {
  return lines.map((line) => ({ message: line.replace(/^- /u, '') }));
}

/** Runs `work` while no request is in flight, if that happens within `suspendTimeout`. */
async function withoutRequests<Value>(
  servedApi: ServedApi,
  work: () => Promise<Value>,
): Promise<Value> {
  const end = performance.now() + suspendTimeout;
  for (;;) {
    const resume = servedApi.suspend();
    try {
      const over = new AbortController();
      const late = delay(suspendFor, false, { signal: over.signal }).catch(() => false);
      const isIdle = await Promise.race([servedApi.inFlight.none().then(() => true), late]);
      over.abort();
      if (isIdle || performance.now() > end) return await work();
    } finally {
      resume();
    }
    await delay(resumeFor);
  }
}

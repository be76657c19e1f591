import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { moduleFiles } from '../generate/modules.ts';
import type { ReloadProblem } from '../trace/events.ts';
import type { Context } from './context.ts';
import { CommandFailure } from './failure.ts';
import { formatProblem, readSpecification, type SpecificationFile } from './specification.ts';

/** What an edit of a specification comes to. */
export type Edit =
  | { readonly kind: 'good'; readonly specification: SpecificationFile }
  /** A bad one was taken back. */
  | { readonly kind: 'same' }
  | {
      readonly kind: 'bad';
      readonly lines: readonly string[];
      readonly message: string;
      readonly problems: readonly ReloadProblem[];
    };

/** Reads a specification again and again, and tells of each edit once. */
export class Edits {
  readonly path: string;
  private readonly context: Context;
  /** What was told of last, and what is served: the text of the file and the state of its modules. */
  private told: string;
  private served: string;
  private isBlocked = false;
  private blockedAt = 0;

  /** `specification` is what `path` held when it was read for the first time. */
  constructor(context: Context, path: string, specification: SpecificationFile) {
    this.context = context;
    this.path = path;
    this.served = stateOf(specification);
    this.told = this.served;
  }

  /** What was saved; undefined where it is nothing new. */
  read(): Edit | undefined {
    let read: ReturnType<typeof readSpecification>;
    try {
      read = readSpecification(this.context, { file: this.path });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      if (!this.isNew(error.message)) return undefined;
      const { message } = error;
      return { kind: 'bad', lines: [], message, problems: [{ message }] };
    }
    const { name, path, text, api, problems, positionOf } = read;
    if (api === undefined) {
      if (!this.isNew(text)) return undefined;
      const errors = problems.filter(({ severity }) => severity === 'error');
      const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
      const lines = errors.map(formatProblem);
      return { kind: 'bad', lines, message: `${name} has ${count}.`, problems: errors };
    }
    const folder = dirname(path);
    const specification = { name, folder, text, api, warnings: problems, positionOf };
    const state = stateOf(specification);
    if (!this.isNew(state)) return undefined;
    return state === this.served ? { kind: 'same' } : { kind: 'good', specification };
  }

  /** From now on this is what is served. */
  use(specification: SpecificationFile): void {
    this.served = stateOf(specification);
    this.isBlocked = false;
  }

  /** The last edit was good, but could not be served: it is tried again when it is saved again, unchanged or not. */
  block(): void {
    this.isBlocked = true;
    this.blockedAt = savedAt(this.path);
  }

  private isNew(state: string): boolean {
    const isAgain = this.isBlocked && savedAt(this.path) !== this.blockedAt;
    const isNew = state !== this.told || isAgain;
    this.told = state;
    if (isNew) this.isBlocked = false;
    return isNew;
  }
}

/** Two specifications with the same state are the same, and so is what they generate. */
function stateOf({ text, api, folder }: SpecificationFile): string {
  const modules = moduleFiles(api, folder).map((file) => `${file} ${savedAt(file)}`);
  return [...modules, text].join('\0');
}

/** 0: it is not there. */
function savedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { counted } from '../../model/values.ts';
import { moduleFiles } from '../../generate/custom/modules.ts';
import type { ReloadProblem } from '../../observability/events.ts';
import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import {
  formatProblem,
  readSpecification,
  type SpecificationFile,
} from '../files/specification.ts';
import { stateOfFile } from './watch.ts';

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

/** A reading of the file. */
interface Look {
  readonly state: string;
  readonly edit: Edit;
  /** The file as it was when it was read. */
  readonly file: string;
}

/** Reads a specification again and again, and tells of each edit once. */
export class Edits {
  readonly path: string;
  private readonly context: Context;
  /** What a pipe has said: it cannot be read a second time, and who tries would wait for ever. */
  private readonly given: string | undefined;
  /** What was told of last, and what is served: the text of the file and the state of its modules. */
  private told: string | undefined;
  private served: string;
  /** News that were looked at and not read yet. */
  private seen: Look | undefined;
  private isBlocked = false;
  private blockedAt = '';

  /** `specification` is what `path` held when it was read for the first time. */
  constructor(context: Context, path: string, specification: SpecificationFile) {
    this.context = context;
    this.path = path;
    const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    this.given = isPipe ? specification.text : undefined;
    this.served = stateOf(specification);
    this.told = this.served;
  }

  /** What was saved; undefined where it is nothing new. */
  read(): Edit | undefined {
    const { seen } = this;
    const { state, edit } = seen?.file === stateOfFile(this.path) ? seen : this.look();
    this.seen = undefined;
    const isAgain = this.isBlocked && stateOfFile(this.path) !== this.blockedAt;
    if (state === this.told && !isAgain) return undefined;
    this.told = state;
    this.isBlocked = false;
    return edit;
  }

  /** Whether the file says anything else than when it was read last: one save may be seen more than once. */
  hasNews(): boolean {
    const look = { file: stateOfFile(this.path), ...this.look() };
    const isNews = look.state !== this.told;
    // It is read next, and need not be looked at again.
    this.seen = isNews ? look : undefined;
    return isNews;
  }

  /** What was read last was not taken: it is new when it is read again. */
  forget(): void {
    this.told = undefined;
  }

  private look(): Omit<Look, 'file'> {
    let read: ReturnType<typeof readSpecification>;
    try {
      read = readSpecification(this.context, { file: this.path }, { given: this.given });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const { message } = error;
      const edit = { kind: 'bad', lines: [], message, problems: [{ message }] } as const;
      return { state: message, edit };
    }
    const { name, path, text, api, problems, positionOf } = read;
    if (api === undefined) {
      const errors = problems.filter(({ severity }) => severity === 'error');
      const lines = errors.map(formatProblem);
      const message = `${name} has ${counted(errors.length, 'error')}.`;
      return { state: text, edit: { kind: 'bad', lines, message, problems: errors } };
    }
    const folder = dirname(path);
    const specification = { name, folder, text, api, warnings: problems, positionOf };
    const state = stateOf(specification);
    const edit: Edit = state === this.served ? { kind: 'same' } : { kind: 'good', specification };
    return { state, edit };
  }

  /** From now on this is what is served. */
  use(specification: SpecificationFile): void {
    this.served = stateOf(specification);
    this.isBlocked = false;
  }

  /** The last edit was good, but could not be served: it is tried again when it is saved again, unchanged or not. */
  block(): void {
    this.isBlocked = true;
    this.blockedAt = stateOfFile(this.path);
  }
}

/** Two specifications with the same state are the same, and so is what they generate. */
function stateOf({ text, api, folder }: SpecificationFile): string {
  const modules = moduleFiles(api, folder).map((file) => `${file} ${stateOfFile(file)}`);
  return [...modules, text].join('\0');
}

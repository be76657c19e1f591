import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { counted } from '../../model/values.ts';
import { codeFiles } from '../../extensions/load.ts';
import { moduleFiles } from '../../generate/custom/modules.ts';
import type { ReloadProblem } from '../../observability/events.ts';
import type { Specification } from '../../specification/specification.ts';
import type { Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import {
  formatProblem,
  readSpecification,
  type SpecificationFile,
} from '../files/specification.ts';
import { stateOfFile } from './watch.ts';

/** The result of reading an edited specification. */
export type Edit =
  | { readonly kind: 'good'; readonly specification: SpecificationFile }
  /** An edit with errors was undone. */
  | { readonly kind: 'same' }
  | {
      readonly kind: 'bad';
      readonly lines: readonly string[];
      readonly message: string;
      readonly problems: readonly ReloadProblem[];
    };

/** The file as it was read. */
interface ReadFile {
  readonly state: string;
  readonly edit: Edit;
  /** `stateOfFile` before it was read. */
  readonly file: string;
}

/** Reads a specification after each save, and returns each edit once. */
export class Edits {
  readonly path: string;
  private readonly context: Context;
  /** The text of a pipe: reading it again would block. */
  private readonly textOfPipe: string | undefined;
  /** The last edit that was returned, and the one that is served: text of the file and state of its modules. */
  private returned: string | undefined;
  private served: string;
  /** An edit that `hasNews` has read, for the next `read`. */
  private ahead: ReadFile | undefined;
  private isBlocked = false;
  private blockedAt = '';

  /** `specification` is the content of `path` at the start. */
  constructor(context: Context, path: string, specification: SpecificationFile) {
    this.context = context;
    this.path = path;
    const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    this.textOfPipe = isPipe ? specification.text : undefined;
    this.served = stateOf(specification);
    this.returned = this.served;
  }

  /** The latest edit; undefined if it was returned before. */
  read(): Edit | undefined {
    const { ahead } = this;
    const { state, edit } = ahead?.file === stateOfFile(this.path) ? ahead : this.readFile();
    this.ahead = undefined;
    const isAgain = this.isBlocked && stateOfFile(this.path) !== this.blockedAt;
    if (state === this.returned && !isAgain) return undefined;
    this.returned = state;
    this.isBlocked = false;
    return edit;
  }

  /** Whether the file differs from the last edit: one save may be noticed more than once. */
  hasNews(): boolean {
    const read = { file: stateOfFile(this.path), ...this.readFile() };
    const hasChanged = read.state !== this.returned;
    this.ahead = hasChanged ? read : undefined;
    return hasChanged;
  }

  /** The last edit was not used: `read` returns it again. */
  forget(): void {
    this.returned = undefined;
  }

  private readFile(): Omit<ReadFile, 'file'> {
    let read: ReturnType<typeof readSpecification>;
    try {
      read = readSpecification(this.context, { file: this.path }, { given: this.textOfPipe });
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

  /** This specification is served now. */
  use(specification: SpecificationFile): void {
    this.served = stateOf(specification);
    // To load the module of `code` may have shown further files.
    this.returned = this.served;
    this.isBlocked = false;
  }

  /** This specification was tried, and cannot be served: `read` returns it again once it or a module changes. */
  tried(specification: SpecificationFile): void {
    this.returned = stateOf(specification);
  }

  /** The last edit is valid, but could not be served: `read` returns it after the next save, even if unchanged. */
  block(): void {
    this.isBlocked = true;
    this.blockedAt = stateOfFile(this.path);
  }
}

/** Specifications with the same state are equal, and generate the same data. */
function stateOf({ text, api, folder }: SpecificationFile): string {
  const all = [...moduleFiles(api, folder), ...codeFiles(api, folder)];
  const modules = all.map((file) => `${file} ${stateOfFile(file)}`);
  return [...modules, text].join('\0');
}

/** Settings that a server reads only when it starts. */
const readAtStart: readonly (readonly [
  path: string,
  valueOf: (specification: Specification) => unknown,
])[] = [
  ['server.host', ({ server }) => server?.host],
  ['server.port', ({ server }) => server?.port],
  ['server.tls', ({ server }) => server?.tls],
  ['server.bodyLimit', ({ server }) => server?.bodyLimit],
  ['server.requestTimeout', ({ server }) => server?.requestTimeout],
  ['server.maxInFlight', ({ server }) => server?.maxInFlight],
  ['server.maxConnections', ({ server }) => server?.maxConnections],
  ['server.memory', ({ server }) => server?.memory],
  ['server.drainDelay', ({ server }) => server?.drainDelay],
  ['database.replicas', ({ database }) => database?.replicas],
  ['database.replicaLag', ({ database }) => database?.replicaLag],
  ['limits.urlLength', ({ limits }) => limits?.urlLength],
  ['logging', ({ logging }) => logging],
];

/** The changed settings that need a restart. */
export function restartSettings(before: Specification, after: Specification): readonly string[] {
  return readAtStart
    .filter(([, valueOf]) => !isDeepStrictEqual(valueOf(before), valueOf(after)))
    .map(([path]) => path);
}

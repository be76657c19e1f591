import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect } from 'vitest';
import { endAfterFile } from './leftovers.ts';

export const root = resolve(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');
/** The program, made by `program.ts` before each run. */
const main = join(root, 'dist/cli/main.js');
/** Where Node keeps what it has compiled: a command takes half as long to begin. */
const compiled = join(root, 'node_modules/.cache/compiled');

/** How a command ended, and what it has printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node itself. */
  readonly flags?: readonly string[];
  /** Whose process it is, where this one may say so. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Whether the test writes to its standard input; else that is empty. */
  readonly isWritten?: boolean;
  /** The file that its standard output goes to; else it is collected. */
  readonly output?: number;
}

/** A command that runs. */
export interface Running {
  /** The program and its arguments. */
  readonly called: readonly string[];
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<Ended>;
}

/**
 * The environment of the tests without what npm and the tests' own variables put into it, and without what makes programs
 * colour what they print to a pipe.
 */
function environment(own: Surroundings['env']): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD|PLINTH_|VITEST|NODE_OPTIONS|CI$|FORCE_COLOR$)/u.test(name),
  );
  return { NODE_COMPILE_CACHE: compiled, ...Object.fromEntries(inherited), ...own };
}

/** Starts any program. */
export function launch(
  program: string,
  args: readonly string[],
  { cwd, env, identity, isWritten = false, output }: Surroundings,
): Running {
  const child = spawn(program, [...args], {
    cwd,
    env: environment(env),
    stdio: [isWritten ? 'pipe' : 'ignore', output ?? 'pipe', 'pipe'],
    ...identity,
  });
  // Whatever a failed test has left running.
  endAfterFile(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code, signal) => done({ code, signal, out, err }));
  });
  return { called: [program, ...args], child, out: () => out, err: () => err, ended };
}

/** Starts `plinth` as a process of its own. */
export function launchPlinth(args: readonly string[], surroundings: Surroundings): Running {
  return launch(node, [...(surroundings.flags ?? []), main, ...args], surroundings);
}

/** Runs `plinth` to its end. */
export function plinth(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return launchPlinth(args, surroundings).ended;
}

/** The end of a command, which has to be a good one; it may warn. */
export async function endedWell({ ended, called }: Running): Promise<Ended> {
  const end = await ended;
  const told = end.code === 0 ? '' : `${end.out}${end.err}`;
  expect({ called, code: end.code, told }).toEqual({ called, code: 0, told: '' });
  return end;
}

/** Runs `plinth` to its end, which has to be a good one. */
export function good(args: readonly string[], cwd: string): Promise<Ended> {
  return endedWell(launchPlinth(args, { cwd }));
}

/** Gives a database the tables of a specification and generated records, as `dev` does with its own. */
export async function makeDatabase(
  url: string,
  cwd: string,
  specification = 'plinth.yaml',
): Promise<void> {
  const database = ['--database', url];
  await good(['migrate', specification, '--apply', ...database], cwd);
  await good(['generate', specification, '--reset', '--delete-all', ...database], cwd);
}

/** A server that has printed its banner. */
export interface Serving extends Running {
  readonly url: string;
  /** The URL that the banner suggests. */
  readonly example: string;
  /** Sends a signal and waits for the end. */
  readonly stop: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** Runs `plinth dev` or `plinth start` until it serves, on a port of its own. */
export async function servePlinth(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<Serving> {
  return untilServing(launchPlinth([...args, '--port', '0'], surroundings));
}

/** Waits for the banner. Fails with what was printed where the command ends before it. */
export async function untilServing(running: Running): Promise<Serving> {
  const { child, out, ended } = running;
  await new Promise<void>((done, failed) => {
    const look = (): void => {
      if (out().includes('Stop:')) done();
    };
    child.stdout?.on('data', look);
    look();
    void ended.then(({ code, err }) => failed(new Error(`ended with ${code}: ${err}`)));
  });
  const [, url = ''] = /served at (\S+)/u.exec(out()) ?? [];
  const [, example = ''] = /curl (?:--insecure )?"([^"]+)"/u.exec(out()) ?? [];
  const stop = (signal: NodeJS.Signals): Promise<Ended> => {
    child.kill(signal);
    return ended;
  };
  return { ...running, url, example, stop };
}

/** Waits until the condition holds; the test's own time limit ends it otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((done) => setTimeout(done, 20));
}

/** Changes files while the server does not look: between two steps it would, if this process had to wait there. */
export function atOnce({ child }: Running, change: () => void): void {
  child.kill('SIGSTOP');
  change();
  child.kill('SIGCONT');
}

/** A folder of this test file, gone after its tests. */
export interface Folder {
  readonly path: string;
  readonly at: (...names: string[]) => string;
  /** Writes a file, and the folders above it; gives its path. */
  readonly write: (name: string, content: string | Uint8Array) => string;
}

/** Makes a folder with files in it: name → content. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-cli-')));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  const at = (...names: string[]): string => join(path, ...names);
  const write: Folder['write'] = (name, content) => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
    return at(name);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { path, at, write };
}

/** Authors and their books: small, with a key, a unique field and a relation. */
export const library = `name: Library
access: public
resources:
  authors:
    fields:
      name: { type: string, required: true }
      email: { type: email, unique: true }
  books:
    fields:
      title: { type: string, required: true }
      authorId: { type: integer, required: true, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
`;

/** Lines of NDJSON. */
export function ndjson(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

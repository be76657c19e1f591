import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runScript, startServer, type Server } from './child.ts';
import type { DataSet } from './data.ts';
import type { DatabaseName } from './shapes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The program as users have it, made by `scripts/bundle.ts`: the sources would be compiled first. */
export const cli = join(root, 'dist/cli/main.js');
const handwritten = join(root, 'bench/handwritten.ts');

/** The files that are served. */
export const specifications = {
  blog: join(root, 'bench/blog.yaml'),
  events: join(root, 'bench/events.yaml'),
  people: join(root, 'bench/people.yaml'),
  chinook: join(root, 'examples/chinook/plinth.yaml'),
  shop: join(root, 'examples/shop/plinth.yaml'),
};

/** The databases of a run, equal at the start, and how the data came in. */
export type Databases = {
  readonly name: DatabaseName;
  /** With the version. */
  readonly title: string;
  /** A URL. */
  readonly plinth: string;
  /** A file, or the URL of a PostgreSQL database. */
  readonly handwritten: string;
  readonly importedPerSecond: number;
  /** Makes the database of the streamed list with so many records; gives its URL. */
  readonly makeEvents: (count: number) => Promise<string>;
  /** Removes what writes have left in both databases, and renews their statistics. */
  readonly tidy: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Makes the tables of a specification with Plinth's own command. */
export function migrate(specification: string, database: string): Promise<void> {
  return runScript([cli, 'migrate', specification, '--database', database, '--apply']);
}

/** Loads the data set into the tables of the blog with Plinth's own command; gives the records a second. */
export async function importBlog(database: string, { folder, rows }: DataSet): Promise<number> {
  const begin = performance.now();
  await runScript([cli, 'import', folder, '--spec', specifications.blog, '--database', database]);
  return rows / ((performance.now() - begin) / 1_000);
}

/** Starts Plinth on a database, in a control group if one is named. `flags` are those of Node, `more` those of the command. */
export function startPlinth(
  database: string,
  specification: string,
  flags: readonly string[] = [],
  more: readonly string[] = [],
  group?: string,
): Promise<Server> {
  const args = [...flags, cli, 'start', specification, '--database', database];
  return startServer('Plinth', (port) => [...args, '--port', String(port), ...more], { group });
}

/** Starts the hand-written server on a database of the blog, `more` behind the port. */
export function startHandwritten(
  database: string,
  flags: readonly string[] = [],
  more: readonly string[] = [],
): Promise<Server> {
  return startServer('hand-written', (port) => [
    ...flags,
    handwritten,
    database,
    String(port),
    ...more,
  ]);
}

/**
 * Starts `plinth dev`: on its own database beside the specification, which it makes and fills, or on a file, which is made
 * and filled before if it is not there.
 */
export async function startDev(specification: string, file?: string): Promise<Server> {
  const database = file === undefined ? [] : ['--database', `sqlite:${file}`];
  if (file !== undefined && !existsSync(file)) {
    await migrate(specification, `sqlite:${file}`);
    const [, data] = /^data: (.+)$/mu.exec(await readFile(specification, 'utf8')) ?? [];
    const filling =
      data === undefined
        ? ['generate', specification]
        : ['import', join(dirname(specification), data), '--spec', specification];
    await runScript([cli, ...filling, ...database]);
  }
  return startServer('Plinth dev', (port) => [
    cli,
    'dev',
    specification,
    ...database,
    '--port',
    String(port),
  ]);
}

/** Writes a specification as it is served in production, with `head` before it; gives the file. */
export async function writeSpecification(
  name: string,
  head: string,
  folder: string,
  specification = specifications.chinook,
): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  const text = await readFile(specification, 'utf8');
  const example = text.replaceAll(/^(?:data|access|rateLimit|logging): .*$/gmu, '');
  await writeFile(file, `${head}\nlogging: { enabled: false }\nrateLimit: false\n${example}`);
  return file;
}

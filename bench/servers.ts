import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, type Server } from './child.ts';
import type { DatabaseName } from './shapes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const handwritten = join(root, 'bench/handwritten.ts');
const chinook = join(root, 'examples/chinook/plinth.yaml');

/** Plinth's command line, and what stands for it on PostgreSQL. */
export const cli = join(root, 'src/cli/main.ts');
export const plinthPostgres = join(root, 'bench/plinth-postgres.ts');

/** The files that are served. */
export const specifications = {
  blog: join(root, 'bench/blog.yaml'),
  events: join(root, 'bench/events.yaml'),
};

/** The databases of a run, equal at the start, each a file or a URL, and how the data came in. */
export type Databases = {
  readonly name: DatabaseName;
  /** With the version. */
  readonly title: string;
  readonly plinth: string;
  readonly handwritten: string;
  readonly importedPerSecond: number;
  /** Makes the database of the streamed list with so many records. */
  readonly makeEvents: (count: number) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Starts Plinth on a database. */
export function startPlinth(
  name: DatabaseName,
  database: string,
  specification: string,
): Promise<Server> {
  return startServer('Plinth', (port) =>
    name === 'postgres'
      ? [plinthPostgres, 'start', database, specification, String(port)]
      : [cli, 'start', specification, '--database', `sqlite:${database}`, '--port', String(port)],
  );
}

/** Starts the hand-written server on a database of the blog. */
export function startHandwritten(database: string): Promise<Server> {
  return startServer('hand-written', (port) => [handwritten, database, String(port)]);
}

/** Starts `plinth dev` on the Chinook example; a database that is not there is made and filled. */
export function startChinook(file: string): Promise<Server> {
  return startServer('Plinth (Chinook)', (port) => [
    cli,
    'dev',
    chinook,
    '--database',
    `sqlite:${file}`,
    '--port',
    String(port),
  ]);
}

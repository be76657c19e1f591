import type { Api } from '../model/api.ts';
import { Generation } from '../http/generation.ts';
import { startServer } from '../http/server.ts';
import type { Statement } from '../sql/statement.ts';
import { quote } from '../sql/dialect.ts';
import type { Context } from './context.ts';
import type { OpenDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';
import { columns } from './output.ts';

const defaultPort = 4000;
const defaultHost = '127.0.0.1';

/** Flags that `dev` and `start` share. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
}

/** Serves until a signal comes, then lets requests end and closes the database. */
export async function serve(
  context: Context,
  api: Api,
  open: OpenDatabase,
  flags: ServeFlags,
): Promise<void> {
  const { output, environment } = context;
  const host = flags.host ?? environment['PLINTH_HOST'] ?? api.settings.server?.host ?? defaultHost;
  const port =
    readPort(flags.port ?? environment['PLINTH_PORT']) ?? api.settings.server?.port ?? defaultPort;
  const generation = new Generation(api, open.database);
  const counts = await rowCounts(api, open);
  try {
    const server = await startServer(() => generation, {
      host,
      port,
      draw: context.draw,
      trace: ({ requestId, method, path, error }) => {
        output.note(`${method} ${path} failed (request ${requestId}): ${describe(error)}`);
      },
    }).catch((error: unknown) => {
      throw listenFailure(error, host, port);
    });
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    banner(context, api, address, counts);
    await context.stopped;
    await server.close();
  } finally {
    await open.close();
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = /^\d{1,5}$/u.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new CommandFailure(`The port must be a whole number from 0 to 65535, not ${text}.`, {
    exitCode: 2,
  });
}

function listenFailure(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use. Choose another with --port, or stop what uses it.`,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
    ENOTFOUND: `The host ${host} is not known. Choose another with --host.`,
  };
  const reason = reasons[code ?? ''];
  return reason === undefined ? error : new CommandFailure(reason, { cause: error });
}

/** How many records each resource has. */
export async function rowCounts(
  api: Api,
  { database }: OpenDatabase,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, table } of api.resources.values()) {
    const count: Statement = { sql: `SELECT count(*) FROM ${quote(table)}`, parameters: [] };
    counts.set(name, await database.count(count, { bound: [] }));
  }
  return counts;
}

function banner(
  { output }: Context,
  api: Api,
  address: string,
  counts: ReadonlyMap<string, number>,
): void {
  output.print(`${api.name} is served at ${address}${api.basePath}\n`);
  for (const line of columns(
    [...counts].map(([name, count]) => [name, count.toLocaleString('en')]),
  ))
    output.print(line);
  output.print(`\nTry:   curl "${address}${exampleUrl(api, counts)}"\nStop:  Ctrl+C`);
}

/** A list that shows something: of the resource with the most records, with a record that it belongs to. */
function exampleUrl(api: Api, counts: ReadonlyMap<string, number>): string {
  const prefix = `${api.basePath}/v${api.defaultVersion}`;
  const belonging = [...api.resources.values()].flatMap((resource) => {
    const relation = [...resource.relations.values()].find(({ kind }) => kind === 'belongsTo');
    return relation === undefined ? [] : [{ name: resource.name, expand: relation.name }];
  });
  const size = ({ name }: { name: string }): number => counts.get(name) ?? 0;
  const [best] = belonging.sort((a, b) => size(b) - size(a));
  const [first = ''] = api.resources.keys();
  return best === undefined
    ? `${prefix}/${first}?limit=3`
    : `${prefix}/${best.name}?limit=3&expand=${best.expand}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

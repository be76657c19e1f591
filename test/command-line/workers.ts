import { request, type Agent } from 'node:http';
import { expect } from 'vitest';
import {
  makeFolder,
  plinth,
  servePlinth,
  until,
  type Folder,
  type Serving,
} from '../support/command.ts';
import { childrenOf } from '../support/processes.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request on a connection of its own, so that the workers take turns; or on one that an agent has. */
export function ask(
  url: string,
  path: string,
  body?: object,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What tests of workers want of a server. */
export const settings =
  'rateLimit: false\nlogging: { enabled: false }\nserver: { drainDelay: 0s }\n';

/** A folder with files and a database `a.db` that has the tables. */
export async function migrated(files: Readonly<Record<string, string>>): Promise<Folder> {
  const folder = makeFolder(files);
  const made = await plinth(['migrate', '--database', 'sqlite:a.db', '--apply'], {
    cwd: folder.path,
  });
  expect(made.code, made.err).toBe(0);
  return folder;
}

/** Serves with workers until all of them are there. */
export async function serveWorkers(folder: Folder, database: string, count = 2): Promise<Serving> {
  const args = ['start', '--database', database, '--workers', String(count)];
  const server = await servePlinth(args, { cwd: folder.path });
  await until(() => childrenOf(server.child.pid).length === count);
  return server;
}

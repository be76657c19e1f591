import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { SignJWT } from 'jose';
import type { Server } from './child.ts';
import { Pool } from './edge-clients.ts';
import {
  specifications,
  startHandwritten,
  startPlinth,
  writeSpecification,
  type Databases,
} from './servers.ts';

/** What a server has that a plain one has not, and who uses it. */
export type Feature = {
  readonly name: string;
  /** What stands before the blog's specification; absent of the hand-written server. */
  readonly head?: string;
  readonly sendsToken?: true;
  readonly isWatched?: true;
};

const secret = '0123456789abcdef0123456789abcdef';
const connections = 32;

export const features = {
  nothing: { name: 'nothing', head: 'access: public' },
  tokenAlone: { name: 'a token that nobody asked for', head: 'access: public', sendsToken: true },
  rule: {
    name: 'a token and a rule for rows',
    head: `auth: { jwt: { secret: ${secret} } }
access: { read: [{ role: clerk, where: 'id_gte={user.sub}' }], write: admin }`,
    sendsToken: true,
  },
  debug: { name: 'debug parameters that nobody sends', head: 'access: public\ndebug: true' },
  dashboard: { name: 'a dashboard', head: 'access: public\ndashboard: true' },
  watched: {
    name: 'a dashboard that is open',
    head: 'access: public\ndashboard: true',
    isWatched: true,
  },
  handwritten: { name: 'nothing, hand-written' },
  handwrittenRule: {
    name: 'a token and a rule for rows, hand-written',
    sendsToken: true,
  },
} as const satisfies Readonly<Record<string, Feature>>;

/** A server with a feature, and connections to it. */
export type Featured = {
  readonly server: Server;
  /** Asks so many times; throws where an answer is not 200. */
  readonly ask: (path: string, count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts one over a database of the blog. `flags` are those of Node. */
export async function startFeatured(
  { name, head, sendsToken, isWatched }: Feature,
  databases: Databases,
  folder: string,
  flags: readonly string[] = [],
): Promise<Featured> {
  const server =
    head === undefined
      ? await startHandwritten(databases.handwritten, flags, sendsToken === true ? [secret] : [])
      : await startPlinth(
          databases.plinth,
          await writeSpecification(name.replaceAll(' ', '-'), head, folder, specifications.blog),
          flags,
        );
  const unwatch = isWatched === true ? await watch(server) : undefined;
  const pool = await Pool.open(Number(new URL(server.url).port), connections);
  const headers = sendsToken === true ? `Authorization: Bearer ${await makeToken()}\r\n` : '';
  return {
    server,
    ask: async (path, count) => {
      let left = count;
      const outcomes = await pool.ask(path, () => left-- > 0, headers);
      const good = outcomes.filter(({ status }) => status === 200).length;
      if (good < count) throw new Error(`${path} was answered ${good} times of ${count}`);
    },
    stop: () => {
      unwatch?.();
      pool.close();
      return server.stop();
    },
  };
}

function makeToken(): Promise<string> {
  return new SignJWT({ roles: ['clerk'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('7')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));
}

/** Reads what an open page of the dashboard reads; gives what closes it. */
async function watch({ url }: Server): Promise<() => void> {
  const stream = get(`${url}/_dashboard/api/events`);
  const [incoming] = (await once(stream, 'response')) as [IncomingMessage];
  if (incoming.statusCode !== 200) throw new Error(`The dashboard says ${incoming.statusCode}`);
  stream.on('error', () => undefined);
  incoming.resume();
  return () => stream.destroy();
}

/**
 * `npm run bench:peers`: reads, lists and creates of Plinth beside those of other servers from npm that make an API of tables
 * or of a file, on the data of the benchmark, on PostgreSQL with ten connections each (json-server: in memory). Installs them into a
 * folder of its own, which it deletes. Adds the result to RESULTS.md and draws `docs/images/peers.svg`, unless it is run with
 * `--no-record`.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, type Server } from './child.ts';
import { ensureData } from './data.ts';
import { get } from './edge-clients.ts';
import { send } from './http.ts';
import { median } from './load.ts';
import { chartOf, type Bar } from './peers-chart.ts';
import { makePostgres } from './postgres.ts';
import { randomFrom, type Random } from './random.ts';
import { rate } from './rate.ts';
import { counts, recordsOf } from './records.ts';
import { machine, print, recordText, table } from './report.ts';
import { specifications, startPlinth, writeSpecification } from './servers.ts';

const connections = 32;
const rounds = 3;
const roundTime = 2_000;
const warmUp = 3_000;
const listed = 20;
/** How many posts, with their comments, json-server keeps: with all of them it ended while records were created. */
const inMemory = 1_000;

/** What the servers are asked for. */
const questions = ['one record', 'a list of 20 and its total', 'create'] as const;
type Question = (typeof questions)[number];

/** A server, and its words for what is asked. */
interface Peer {
  readonly name: string;
  /** With versions. The first one is its name. */
  readonly packages: readonly string[];
  /** Starts it; `program` gives the path of a file in its folder. */
  readonly args: (program: (file: string) => string, port: number) => readonly string[];
  readonly one: (id: number) => string;
  readonly list: (page: number) => string;
  readonly comments: string;
  /** What it does not do, for the table. */
  readonly but?: string;
  /** How many posts it has; default: all. */
  readonly posts?: number;
}

/** What a request is drawn from. */
type Words = Pick<Peer, 'one' | 'list' | 'comments' | 'posts'>;

const plinth = {
  one: (id: number) => `/v1/posts/${id}`,
  list: (page: number) => `/v1/posts?limit=${listed}&page=${page}`,
  comments: '/v1/comments',
};

const peers: readonly Peer[] = [
  {
    name: 'Platformatic DB',
    packages: ['@platformatic/db@3.67.0'],
    args: (program) => [program('platformatic.js')],
    one: (id) => `/posts/${id}`,
    list: (page) => `/posts?limit=${listed}&offset=${(page - 1) * listed}&totalCount=true`,
    comments: '/comments',
  },
  {
    name: 'Feathers, Koa, Knex',
    packages: [
      '@feathersjs/feathers@5.0.50',
      '@feathersjs/koa@5.0.50',
      '@feathersjs/knex@5.0.50',
      'knex@3.3.0',
      'pg@8.23.1',
    ],
    args: (program) => [program('feathers.js')],
    one: (id) => `/posts/${id}`,
    list: (page) => `/posts?$limit=${listed}&$skip=${(page - 1) * listed}`,
    comments: '/comments',
  },
  {
    name: 'Remult, Express',
    packages: ['remult@3.3.18', 'express@5.3.0', 'pg@8.23.1'],
    args: (program) => [program('remult.js')],
    one: (id) => `/api/posts/${id}`,
    list: (page) => `/api/posts?_limit=${listed}&_page=${page}`,
    comments: '/api/comments',
    but: 'its list has no total',
  },
  {
    name: 'json-server',
    packages: ['json-server@0.17.4'],
    args: (program, port) => [
      program('node_modules/json-server/lib/cli/bin.js'),
      program('db.json'),
      '--quiet',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    one: (id) => `/posts/${id}`,
    list: (page) => `/posts?_limit=${listed}&_page=${page}`,
    comments: '/comments',
    but: 'a fiftieth of the data, in memory; each create writes the whole file',
    posts: inMemory,
  },
];

/** Installs the packages of all peers into a folder, beside their programs and the data of json-server. */
async function install(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await cp(join(import.meta.dirname, 'peers'), folder, { recursive: true });
  const packages = new Set(peers.flatMap((peer) => peer.packages));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  await promisify(execFile)('npm', ['install', ...flags, ...packages], { cwd: folder });
  const data = {
    posts: [...recordsOf('posts')].slice(0, inMemory),
    comments: [...recordsOf('comments')].slice(0, inMemory * 4),
  };
  await writeFile(join(folder, 'db.json'), JSON.stringify(data));
}

/** Draws a request as it is sent. */
function drawn(
  question: Question,
  { one, list, comments, posts = counts.posts }: Words,
  random: Random,
): string {
  const post = 1 + random.below(posts);
  if (question !== 'create') {
    const path =
      question === 'one record' ? one(post) : list(1 + random.below(Math.min(500, posts / listed)));
    return get(path);
  }
  const body = JSON.stringify({
    postId: post,
    authorId: 1 + random.below(counts.users),
    body: `a comment with the number ${random.below(1_000_000)}`,
    rating: 1 + random.below(5),
    approved: random.below(2) === 0,
    writtenAt: '2026-01-01T12:00:00.000Z',
  });
  return `POST ${comments} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Fails unless a peer gives the same record as Plinth. Numbers may be texts: some drivers give those of 64 bits so. */
async function requireSame(peer: Peer, server: Server, own: Server): Promise<void> {
  const [theirs, ours] = await Promise.all([
    send(server.url, { method: 'GET', path: peer.one(7) }),
    send(own.url, { method: 'GET', path: plinth.one(7) }),
  ]);
  const titles = [theirs, ours].map(({ body }) => (JSON.parse(body) as { title?: string }).title);
  if (titles[0] === undefined || titles[0] !== titles[1])
    throw new Error(`${peer.name} answered ${theirs.status} ${theirs.body.slice(0, 200)}`);
}

/** Rates of a peer and of Plinth, which take turns. */
async function measure(
  peer: Peer,
  server: Server,
  own: Server,
): Promise<Map<Question, { theirs: number; ours: number }>> {
  const found = new Map<Question, { theirs: number; ours: number }>();
  for (const question of questions) {
    const random = randomFrom(1);
    const requestsOf = (words: Words): readonly string[] =>
      Array.from({ length: 2_000 }, () => drawn(question, words, random));
    const [theirs, ours] = [requestsOf(peer), requestsOf(plinth)];
    await rate(server.url, theirs, connections, warmUp);
    await rate(own.url, ours, connections, warmUp);
    const rates: { theirs: number[]; ours: number[] } = { theirs: [], ours: [] };
    for (let round = 0; round < rounds; round += 1) {
      rates.theirs.push(await rate(server.url, theirs, connections, roundTime));
      rates.ours.push(await rate(own.url, ours, connections, roundTime));
    }
    found.set(question, { theirs: median(rates.theirs), ours: median(rates.ours) });
  }
  return found;
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-peers-'));
const databases = await makePostgres(await ensureData());
try {
  print('Installing …');
  await install(folder);
  const specification = await writeSpecification(
    'blog',
    'access: public\ndatabase: { poolSize: 10 }',
    folder,
    specifications.blog,
  );
  const own = await startPlinth(databases.plinth, specification);
  const rows: string[][] = [];
  const bars: Bar[] = [];
  try {
    for (const peer of peers) {
      print(`${peer.name} …`);
      const server = await startServer(
        peer.name,
        (port) => peer.args((file) => join(folder, file), port),
        {
          ready: peer.one(1),
          environment: (port) => ({ DATABASE_URL: databases.handwritten, PORT: String(port) }),
        },
      );
      try {
        await requireSame(peer, server, own);
        const found = await measure(peer, server, own);
        const whole = (value = NaN): string =>
          value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
        const name = peer.but === undefined ? peer.name : `${peer.name} (${peer.but})`;
        for (const question of questions) {
          const { theirs = NaN, ours = NaN } = found.get(question) ?? {};
          rows.push([name, question, whole(theirs), whole(ours), (ours / theirs).toFixed(1)]);
          bars.push({ peer: peer.name, question, share: theirs / ours });
        }
      } finally {
        await server.stop();
      }
    }
  } finally {
    await own.stop();
  }
  const versions = peers.flatMap(({ packages }) => packages.slice(0, 1)).join(', ');
  const text = [
    `\`npm run bench:peers\`: ${machine()}; ${databases.title}; ${versions}; ${connections} connections, ${rounds} rounds of ${roundTime / 1_000} s in turns.`,
    '',
    ...table(['server', 'request', 'requests/s', 'Plinth/s', 'ratio'], rows),
  ].join('\n');
  print(text);
  if (!process.argv.includes('--no-record')) {
    await recordText(text, 'beside other servers');
    const image = join(import.meta.dirname, '../docs/images/peers.svg');
    await writeFile(image, chartOf(bars));
    print(`${image}: ${(await readFile(image)).length} bytes`);
  }
} finally {
  await databases.stop();
  await rm(folder, { recursive: true, force: true });
}

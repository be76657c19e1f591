/**
 * `npm run bench:search`: a search of two words over 50,000 texts by the index of `searchIndex`, beside a server written by
 * hand over an index of FTS5 or pg_trgm that gives the same rows, on both databases; and what a write costs with an index.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from './child.ts';
import { get } from './edge-clients.ts';
import { send } from './http.ts';
import { randomFrom } from './random.ts';
import { rate } from './rate.ts';
import { migrate, startPlinth } from './servers.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

const records = 50_000;
const pairsOfWords = 400;
const connections = 8;
const rounds = 5;
const roundTime = 1_500;
const perWrite = 300;

const random = randomFrom(1);
const syllables = 'b c d f g h k l m n p r s t v w z'
  .split(' ')
  .flatMap((one) => 'a e i o u é ö'.split(' ').map((vowel) => `${one}${vowel}`));
const vocabulary = Array.from({ length: 3_000 }, () =>
  Array.from({ length: 2 + random.below(3) }, () => syllables[random.below(syllables.length)]).join(
    '',
  ),
);
const sentence = (words: number): string =>
  Array.from({ length: words }, () => vocabulary[random.below(vocabulary.length)]).join(' ');

const specification = `rateLimit: false
logging: { enabled: false }
limits: { batchItems: 1000 }
access: public
resources:
  articles: { searchIndex: true, fields: { title: { type: string }, body: { type: text } } }
  notes: { fields: { title: { type: string }, body: { type: text } } }
`;

const articles = Array.from({ length: records }, () => ({
  title: sentence(4),
  body: sentence(12),
}));
/** Two words of one article, so that each search finds something. */
const paths = Array.from({ length: pairsOfWords }, () => {
  const { body } = articles[random.below(records)] ?? { body: '' };
  const words = body.split(' ');
  const pair = [words[random.below(12)] ?? '', words[random.below(12)] ?? ''];
  return `/v1/articles?search=${encodeURIComponent(pair.join(' '))}`;
});
const requests = paths.map((path) => get(path));

/** How long it takes to create that many records one by one, in ms. */
async function writes(server: Server, resource: string): Promise<number> {
  const begin = performance.now();
  for (let index = 0; index < perWrite; index += 1) {
    const body = JSON.stringify(articles[index]);
    const { status } = await send(server.url, { method: 'POST', path: `/v1/${resource}`, body });
    if (status !== 201) throw new Error(`POST was answered ${status}`);
  }
  return performance.now() - begin;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Makes the records without an index, as it is made at once by a migration. */
async function fill(database: string, folder: string): Promise<void> {
  const file = join(folder, 'without.yaml');
  await writeFile(file, specification.replace('searchIndex: true, ', ''));
  await migrate(file, database);
  const plinth = await startPlinth(database, file);
  try {
    for (let first = 0; first < records; first += 500) {
      const body = JSON.stringify(articles.slice(first, first + 500));
      const answer = await send(plinth.url, { method: 'POST', path: '/v1/articles', body });
      if (answer.status !== 201) throw new Error(answer.body.slice(0, 300));
    }
  } finally {
    await plinth.stop();
  }
}

async function measure(name: string, database: string, folder: string): Promise<string> {
  await fill(database, folder);
  const file = join(folder, 'plinth.yaml');
  await writeFile(file, specification);
  await migrate(file, database);
  const plinth = await startPlinth(database, file);
  try {
    const byHand = await startServer('hand-written', (port) => [
      join(import.meta.dirname, 'handwritten-search.ts'),
      database.replace(/^sqlite:/u, ''),
      String(port),
    ]);
    try {
      for (const path of paths) {
        const [one, other] = await Promise.all(
          [plinth, byHand].map(({ url }) => send(url, { method: 'GET', path })),
        );
        const total = (answer = one): string | undefined => answer?.headers.get('x-total-count');
        if (one?.body !== other?.body || total(one) !== total(other))
          throw new Error(`${path} is answered in two ways`);
      }
      for (const server of [plinth, byHand])
        await rate(server.url, requests, connections, roundTime);
      const [own, hand]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        hand.push(await rate(byHand.url, requests, connections, roundTime));
        own.push(await rate(plinth.url, requests, connections, roundTime));
      }
      const plain: number[] = [];
      const indexed: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        plain.push(await writes(plinth, 'notes'));
        indexed.push(await writes(plinth, 'articles'));
      }
      const [a, b] = [median(hand), median(own)];
      const cost = median(indexed) / median(plain);
      return `| ${name} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(b / a).toFixed(2)} | ${cost.toFixed(2)} |`;
    } finally {
      await byHand.stop();
    }
  } finally {
    await plinth.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
const only = process.argv[2];
const lines: string[] = [];
try {
  if (only !== 'postgres')
    lines.push(await measure('SQLite', `sqlite:${join(folder, 'search.db')}`, folder));
  if (only !== 'sqlite') {
    const postgres = await startPostgres({ durable: true });
    try {
      lines.push(await measure('PostgreSQL', postgres.url, folder));
    } finally {
      await postgres.stop();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(
  `| database | hand-written/s | Plinth/s | ratio | write with an index |\n| --- | --: | --: | --: | --: |\n${lines.join('\n')}\n`,
);

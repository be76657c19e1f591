/**
 * `npm run bench:groups`: 50,000 posts grouped by status and month, and a list sorted by a computed count of 200,000 comments,
 * beside a server written by hand that gives the same answers, on both databases. Adds the result to RESULTS.md, unless it is
 * run with `--no-record`.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';
import { ensureData } from './data.ts';
import { get } from './edge-clients.ts';
import { send } from './http.ts';
import { median } from './load.ts';
import { makePostgres } from './postgres.ts';
import { rate } from './rate.ts';
import { machine, print, recordText, table } from './report.ts';
import { specifications, startPlinth, writeSpecification, type Databases } from './servers.ts';
import { makeSqlite } from './sqlite.ts';

const connections = 8;
const rounds = 5;
const roundTime = 2_000;

const questions = {
  'grouped by status and month, counted and summed':
    '/v1/posts?group=status,publishedAt:month&aggregate=count,sum:views&sort=status,publishedAt:month&limit=200',
  'the first 20 by a computed count':
    '/v1/posts?sort=-commentCount,id&limit=20&fields=id,title,commentCount',
};

async function measure(databases: Databases, folder: string): Promise<string[][]> {
  const file = await writeSpecification('blog', 'access: public', folder, specifications.blog);
  const relation = /^( +)comments: .*$/mu;
  const counted = '$&\n$1commentCount: { type: integer, computed: { count: comments } }';
  await writeFile(file, (await readFile(file, 'utf8')).replace(relation, counted));
  const plinth = await startPlinth(databases.plinth, file);
  const byHand = await startServer('hand-written', (port) => [
    join(import.meta.dirname, 'handwritten-groups.ts'),
    databases.handwritten,
    String(port),
  ]);
  try {
    const rows: string[][] = [];
    for (const [what, path] of Object.entries(questions)) {
      const [own, hand] = await Promise.all(
        [plinth, byHand].map(({ url }) => send(url, { method: 'GET', path })),
      );
      const total = (answer = own): string | undefined => answer?.headers.get('x-total-count');
      if (own?.body !== hand?.body || total(own) !== total(hand))
        throw new Error(
          `${path} is answered in two ways:\n${own?.body.slice(0, 500)}\n${hand?.body.slice(0, 500)}`,
        );
      const measured = (url: string, time = roundTime): Promise<number> =>
        rate(url, [get(path)], connections, time);
      for (const { url } of [plinth, byHand]) await measured(url);
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        theirs.push(await measured(byHand.url));
        ours.push(await measured(plinth.url));
      }
      const ratio = median(ours.map((one, index) => one / (theirs[index] ?? Number.NaN)));
      const rates = [theirs, ours].map((all) => median(all).toFixed(1));
      rows.push([databases.title, what, ...rates, ratio.toFixed(2), '0.90']);
    }
    return rows;
  } finally {
    await byHand.stop();
    await plinth.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
try {
  const data = await ensureData();
  const rows: string[][] = [];
  for (const make of [() => makeSqlite(folder, data), () => makePostgres(data)]) {
    const databases = await make();
    try {
      rows.push(...(await measure(databases, folder)));
    } finally {
      await databases.stop();
    }
  }
  const text = [
    `\`npm run bench:groups\`: ${machine()}; ${connections} connections, ${rounds} rounds of ${roundTime / 1_000} s in turns.`,
    '',
    ...table(['database', 'request', 'hand-written/s', 'Plinth/s', 'ratio', 'wanted'], rows),
  ].join('\n');
  print(text);
  if (!process.argv.includes('--no-record')) await recordText(text, 'groups and computed counts');
} finally {
  await rm(folder, { recursive: true, force: true });
}

import Driver from 'better-sqlite3';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, plinth, servePlinth, until, type Serving } from '../support/command.ts';
import { Writers } from './crash-writers.ts';

/** How many times the server is killed; more with PLINTH_TEST_CRASHES=1000. */
const rounds = Number(process.env['PLINTH_TEST_CRASHES'] ?? 20);
const seed = Number(process.env['PLINTH_TEST_CRASH_SEED'] ?? 20_260_101);

const specification = `access: public
resources:
  posts:
    fields:
      title: { type: string, required: true }
      views: { type: integer, required: true, default: 0 }
      token: { type: string, unique: true }
      seriesId: { type: integer, nullable: true, reference: series.id }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
  series: { fields: { posts: { type: relation, relation: hasMany, resource: posts } } }
  tags:
    fields:
      name: { type: string, required: true }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
    unique: [[postId, tagId]]
`;

const folder = makeFolder({ 'plinth.yaml': specification });
const here = { cwd: folder.path };
const database = folder.at('crash.db');
/** From the start of the process until it answers, in ms. */
const readyAgain: number[] = [];

/** Numbers from 0 to 1 that follow from the seed. */
function drawing(from: number): () => number {
  let state = from;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function started(): Promise<Serving> {
  const since = performance.now();
  const server = await servePlinth(['start', '--database', 'sqlite:crash.db'], here);
  expect((await fetch(`${server.url}/_ready`)).status).toBe(200);
  readyAgain.push(performance.now() - since);
  return server;
}

/** What a copy of the file as it lies there holds: the next server has to repair the file itself. */
function stored(): {
  readonly posts: ReadonlyMap<number, { title: string; views: number; tags: string }>;
  readonly faults: readonly unknown[];
} {
  const copy = folder.at('copy.db');
  for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  for (const end of ['', '-wal'])
    if (existsSync(`${database}${end}`)) copyFileSync(`${database}${end}`, `${copy}${end}`);
  const driver = new Driver(copy);
  try {
    const rows = driver
      .prepare<[], { id: number; title: string; views: number; tags: string }>(
        `SELECT id, title, views, (SELECT json_group_array(tagId ORDER BY tagId) FROM "post-tags"` +
          ` WHERE postId = posts.id) AS tags FROM posts`,
      )
      .all();
    return {
      posts: new Map(rows.map(({ id, ...row }) => [id, row])),
      faults: [
        ...(driver.pragma('foreign_key_check') as unknown[]),
        driver.pragma('integrity_check', { simple: true }),
      ],
    };
  } finally {
    driver.close();
  }
}

describe('a server that is killed while it writes', () => {
  beforeAll(async () => {
    await plinth(['migrate', '--apply', '--database', 'sqlite:crash.db'], here);
    const driver = new Driver(database);
    for (let id = 1; id <= 8; id += 1)
      driver.prepare('INSERT INTO tags (id, name) VALUES (?, ?)').run(id, `tag ${id}`);
    driver.close();
  });

  afterAll(() => {
    const sorted = readyAgain.toSorted((a, b) => a - b);
    const [most = 0, middle = 0] = [sorted.at(-1), sorted[Math.floor(sorted.length / 2)]];
    process.stdout.write(
      `Ready again after kill -9: ${middle.toFixed(0)} ms in the middle, ${most.toFixed(0)} ms at most, of ${sorted.length}\n`,
    );
  });

  test(
    `keeps all that it has answered, and nothing in half (${rounds} times, seed ${seed})`,
    { timeout: 60_000 + rounds * 20_000 },
    async () => {
      const draw = drawing(seed);
      const writers = new Writers(draw);
      for (let round = 1; round <= rounds; round += 1) {
        const server = await started();
        const { acknowledged } = writers;
        const writing = writers.run(server.url);
        // Every other one has answered something, however slow the machine is.
        if (round % 2 === 0) await until(() => writers.acknowledged > acknowledged);
        // Spread evenly over the time in which writes of all kinds are under way, however few rounds there are.
        const moment = ((round * 0.618_033_988_75) % 1) * 120;
        await new Promise((done) => setTimeout(done, 5 + moment));
        await server.stop('SIGKILL');
        await writing;

        const { posts, faults } = stored();
        expect(faults, `round ${round}`).toEqual(['ok']);
        expect(writers.differences(posts), `round ${round}`).toEqual([]);
      }
      expect(writers.acknowledged).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
    },
  );
});

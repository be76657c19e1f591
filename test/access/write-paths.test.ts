import { expect, test } from 'vitest';
import { serveApi, type Answer, type TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { seed } from '../support/seed.ts';
import { patience } from '../oracle/world.ts';
import { callers, newsroom, newsroomRecords, type Who } from './newsroom.ts';
import { type Draw, drawOf } from '../oracle/draw.ts';

/** How many writes are tried. */
const writes = Number(process.env['REQUESTS'] ?? 250);

type Drawn = (draw: Draw) => unknown;
const oneOf =
  (...values: readonly unknown[]): Drawn =>
  (draw) =>
    draw.pick(values);

/** What the fields of each resource are written with: good values, forbidden ones, and keys to rows of every kind. */
const fields: Readonly<Record<string, Readonly<Record<string, Drawn>>>> = {
  users: { name: oneOf('Dan', null), team: oneOf('red', 'blue'), salary: oneOf(1, 2) },
  desks: { floor: oneOf(1, 2), free: oneOf(true, false), userId: oneOf(null, 1, 2, 3, 99) },
  posts: {
    title: oneOf('p', 'q', null),
    status: oneOf('draft', 'published', 'nope'),
    authorId: oneOf(1, 2, 3, 99, null),
    tags: oneOf(
      [1],
      [3, 1],
      [2],
      { add: [1] },
      { add: [3], remove: [1] },
      { remove: [2] },
      [{ id: 1, pivot: { position: 7 } }],
      [{ id: 3, pivot: { position: 200 } }],
    ),
  },
  comments: { text: oneOf('a', 1), approved: oneOf(true, false), postId: oneOf(1, 2, 3, 4, 99) },
  tags: { name: (draw) => `tag ${draw.below(5)}`, secret: oneOf(true, false) },
  'post-tags': { postId: oneOf(1, 2, 3), tagId: oneOf(1, 2, 3), position: oneOf(7, 100, 3, -1) },
  notes: {
    text: oneOf('hidden', 'b'),
    onType: oneOf('posts', 'users', null),
    onId: oneOf(1, 2, 3, 99, null),
  },
  messages: { text: oneOf('m', null), open: oneOf(true, false), authorId: oneOf(null, 1) },
};

function bodyOf(resource: string, draw: Draw): object {
  const members = Object.entries(fields[resource] ?? {}).filter(() => draw.chance(70));
  return Object.fromEntries(members.map(([name, value]) => [name, value(draw)]));
}

/** Over both databases; but where answers tell times, which never agree, over SQLite. */
async function serveFilled(mode: 'dev' | 'start'): Promise<TestApi> {
  const serveOn = mode === 'dev' ? serveApi : serveBoth;
  const api = await serveOn(newsroom, {}, undefined, { mode });
  for (const [resource, list] of Object.entries(newsroomRecords))
    expect((await api.send('POST', `/v1/${resource}`, list, callers.root)).status).toBe(201);
  return api;
}

/** What two ways of asking the same have to agree on. */
function verdict({ status, body }: Answer): object {
  if (status < 400) return { status };
  const { code, message, validationErrors, errors, dependents } = body as Record<string, unknown>;
  return { status, code, message, validationErrors, errors, dependents };
}

async function all(api: TestApi): Promise<string> {
  const texts: string[] = [];
  for (const resource of Object.keys(newsroomRecords))
    if (resource !== 'messages')
      texts.push((await api.get(`/v1/${resource}?limit=1000`, callers.root)).text);
  return texts.join('\n');
}

test(
  `a write is decided the same on every way that it may go (seed ${seed}, ${writes} writes)`,
  async () => {
    const draw = drawOf(seed);
    const [plain, watched, guarded] = [
      await serveFilled('start'),
      await serveFilled('dev'),
      await serveFilled('start'),
    ] as const;
    const statuses = new Set<number>();
    for (let turn = 0; turn < writes; turn += 1) {
      const who = draw.pick(Object.keys(callers) as Who[]);
      const resource = draw.pick(Object.keys(fields));
      const method = draw.pick(['POST', 'POST', 'PATCH', 'PATCH', 'PUT', 'DELETE']);
      const isMany = method === 'POST' && draw.chance(20);
      const one = method === 'DELETE' ? undefined : bodyOf(resource, draw);
      const body = isMany ? [one, bodyOf(resource, draw)] : one;
      const own = `/v1/${resource}/${1 + draw.below(8)}`;
      const path = method === 'POST' ? `/v1/${resource}` : own;
      const headers: Record<string, string> = callers[who];
      const tag = method === 'POST' ? null : (await guarded.get(path, headers)).headers.get('etag');
      const guard: Record<string, string> =
        method === 'POST' ? { 'idempotency-key': `k${turn}` } : { 'if-match': tag ?? '*' };
      const told = `${turn}: ${who} ${method} ${path} ${JSON.stringify(body)}`;

      const answer = await plain.send(method, path, body, headers);
      const seen = await watched.send(method, `${path}?_debug=true&_trace=true`, body, headers);
      const again = await guarded.send(method, path, body, { ...headers, ...guard });
      expect(verdict(seen), `${told}, debugged`).toEqual(verdict(answer));
      expect(verdict(again), `${told}, guarded`).toEqual(verdict(answer));
      statuses.add(answer.status);
      if (answer.status < 300) {
        expect(again.text, told).toBe(answer.text);
        expect(again.headers.get('etag'), told).toBe(answer.headers.get('etag'));
        if (answer.text !== '') expect(seen.body.data, told).toEqual(answer.body);
      }
      if (answer.status === 201) {
        const replayed = await guarded.send(method, path, body, { ...headers, ...guard });
        expect([replayed.status, replayed.text], `${told}, replayed`).toEqual([201, answer.text]);
      } else if (method !== 'DELETE' && answer.status < 300) {
        const read = await plain.get(path, headers);
        if (answer.status === 200) expect(read.text, told).toBe(answer.text);
        else expect(read.status, told).toBeGreaterThanOrEqual(400);
      }
      if (turn % 100 === 99) {
        const expected = await all(plain);
        expect(await all(watched)).toBe(expected);
        expect(await all(guarded)).toBe(expected);
      }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 403, 404, 422]));
    for (const api of [plain, watched, guarded]) {
      expect(api.failures).toEqual([]);
      await api.stop();
    }
  },
  patience,
);

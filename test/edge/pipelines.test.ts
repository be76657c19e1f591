import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goOn, halt } from '../../src/http/load/halts.ts';
import { Pipelines } from '../../src/http/load/pipelining.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, fill, makeSqlite, serve, type TestApi } from '../support/api.ts';
import { getBytes, Wire } from '../support/wire.ts';

const count = 12;
let api: TestApi;
let remove: () => void;
/** Which pages were read, in their order. */
const read: unknown[] = [];

beforeAll(async () => {
  const model = buildValid(`
resources:
  posts:
    fields:
      title: { type: string, required: true }
`);
  const made = await makeSqlite(model);
  ({ remove } = made);
  const { database } = made;
  const all = database.all.bind(database);
  database.all = (statement, values) => {
    const rows = all(statement, values);
    if (!Array.isArray(rows)) return rows;
    // Each takes longer than all of one connection may in a turn.
    for (const end = performance.now() + 20; performance.now() < end;);
    read.push(rows[0]?.[0]);
    return rows;
  };
  api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
  await fill(api, { posts: Array.from({ length: count + 1 }, () => ({ title: 'one' })) });
});
afterAll(async () => {
  await api.stop();
  remove();
});

test('many requests of one connection let others be heard, and are answered in their order', async () => {
  const [many, other] = [await Wire.open(api.url), await Wire.open(api.url)];
  for (const wire of [many, other]) {
    await wire.send(getBytes());
    await wire.answer();
  }
  read.length = 0;
  const pages = Array.from({ length: count }, (_, index) => index + 1);
  void many.send(pages.map((id) => getBytes(`/v1/posts/${id}`)).join(''));
  void other.send(getBytes(`/v1/posts/${count + 1}`));
  expect((await other.answer())?.status).toBe(200);
  expect(read.length).toBeLessThan(count / 2);
  for (const id of pages) expect((await many.answer())?.body).toMatchObject({ id });
  expect(read.filter((id) => id !== count + 1)).toEqual(pages);
  // Its connection is read again.
  await many.send(getBytes('/v1/posts/1'));
  expect((await many.answer())?.status).toBe(200);
  for (const wire of [many, other]) wire.close();
});

test('a connection that two have halted is read again when both are done', () => {
  const told: string[] = [];
  const connection = {
    pause: () => told.push('pauses'),
    resume: () => told.push('goes on'),
  } as unknown as Socket;
  halt(connection);
  halt(connection);
  goOn(connection);
  expect(told).not.toContain('goes on');
  goOn(connection);
  expect(told.at(-1)).toBe('goes on');
});

test('what a slice has no time for waits, in its order, one connection a turn; nothing more is read meanwhile', async () => {
  let now = 0;
  const pipelines = new Pipelines(() => now);
  const told: string[] = [];
  const socketOf = (name: string): Socket => {
    const tell = (what: string) => (): void => void told.push(`${name} ${what}`);
    return { pause: tell('pauses'), resume: tell('goes on') } as unknown as Socket;
  };
  for (const name of ['a', 'b']) {
    const socket = socketOf(name);
    for (const number of [1, 2, 3, 4, 5])
      pipelines.begin(socket, () => {
        told.push(`${name}${number}`);
        now += 10;
      });
  }
  expect(told).toEqual(['a1', 'a2', 'b1', 'b2']);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  const halted = ['a pauses', 'b pauses'];
  const begun = ['a3', 'a4', 'b3', 'b4', 'a5', 'a goes on', 'b5', 'b goes on'];
  expect(told.slice(4)).toEqual([...halted, ...begun]);
  // In a later turn it has a slice of its own again.
  const socket = socketOf('c');
  for (const number of [1, 2, 3]) {
    pipelines.begin(socket, () => {
      told.push(`c${number}`);
      now += 100;
    });
    await nextTurn();
  }
  expect(told.slice(-3)).toEqual(['c1', 'c2', 'c3']);
});

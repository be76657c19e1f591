import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, fill, makeSqlite, serve, type TestApi } from '../support/api.ts';
import { getBytes, postBytes, Wire } from '../support/wire.ts';

const specification = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
      made: { type: datetime, default: now }
`;
const channel = 'http.server.response.created';

let api: TestApi;
let remove: () => void;
let wires: readonly Wire[];
/** Responses that were begun. */
let answers: ServerResponse[] = [];
/** Whether the first of them was sent when the work of the second one began. */
let hadLeft: boolean | undefined;
const look = (): void => void (hadLeft ??= answers[0]?.writableEnded);
/** The turns of the event loop in which records of bodies were made. */
let turns = new Set<number>();
let atRecord: (() => void) | undefined;
const begin = (message: unknown): void =>
  void answers.push((message as { response: ServerResponse }).response);

beforeAll(async () => {
  const model = buildValid(specification);
  const made = await makeSqlite(model);
  ({ remove } = made);
  const { database } = made;
  const all = database.all.bind(database);
  database.all = (statement, values) => {
    if (answers.length > 1) look();
    return all(statement, values);
  };
  const now = (): Date => {
    if (answers.length > 1) look();
    turns.add(performance.nodeTiming.uvMetricsInfo.loopCount);
    atRecord?.();
    return new Date();
  };
  api = await serve(model, database, { now, uuid: uuidv7 }, []);
  await fill(api, { posts: [{ title: 'one' }] });
  wires = await Promise.all(Array.from({ length: 6 }, () => Wire.open(api.url)));
  subscribe(channel, begin);
});
afterAll(async () => {
  unsubscribe(channel, begin);
  for (const wire of wires) wire.close();
  await api.stop();
  remove();
});

const record = { title: 'x'.repeat(1_000) };
const records = JSON.stringify(Array.from({ length: 40 }, () => record));
test.each([
  ['a long list is read', getBytes('/v1/posts?limit=1000'), 200],
  ['a long body is parsed', postBytes(records), 201],
])('what was answered in a turn is sent before %s', async (_, bytes, status) => {
  const [first, second] = wires;
  // Both are known to the server, and idle.
  for (const wire of wires) {
    await wire.send(getBytes());
    await wire.answer();
  }
  [answers, hadLeft] = [[], undefined];
  void first?.send(getBytes());
  void second?.send(bytes);
  expect((await first?.answer())?.status).toBe(200);
  expect((await second?.answer())?.status).toBe(status);
  expect(hadLeft).toBe(true);
});

test('of long bodies that come together one is parsed in a turn, so that others are served between them', async () => {
  turns = new Set();
  for (const wire of wires) void wire.send(postBytes(records));
  for (const wire of wires) expect((await wire.answer())?.status).toBe(201);
  expect(turns.size).toBeGreaterThanOrEqual(wires.length);
});

test('a long body whose client has gone before its turn is not parsed', async () => {
  const leaving = await Promise.all(Array.from({ length: 6 }, () => Wire.open(api.url)));
  for (const wire of leaving) {
    await wire.send(getBytes());
    await wire.answer();
  }
  turns = new Set();
  atRecord = () => {
    if (turns.size === 2) for (const wire of leaving) wire.leave();
  };
  for (const wire of leaving) void wire.send(postBytes(records));
  for (const wire of leaving) await wire.rest();
  const [last] = wires;
  void last?.send(postBytes(records));
  expect((await last?.answer())?.status).toBe(201);
  expect(turns.size).toBeLessThan(leaving.length);
});

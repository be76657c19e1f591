import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, fill, makeSqlite, serve, type TestApi } from '../support/api.ts';
import { until } from '../support/command.ts';
import { getBytes, postBytes, Wire } from '../support/wire.ts';

const count = 64;
let api: TestApi;
let remove: () => void;
/** The ids of the pages that were read, in their order. */
const read: unknown[] = [];

beforeAll(async () => {
  const model = buildValid(`
resources:
  posts:
    fields:
      title: { type: string, required: true }
      text: { type: text }
`);
  const made = await makeSqlite(model);
  ({ remove } = made);
  const { database } = made;
  const all = database.all.bind(database);
  database.all = (statement, values) => {
    const rows = all(statement, values);
    if (!Array.isArray(rows)) return rows;
    // As long as a large page takes.
    for (const end = performance.now() + 10; performance.now() < end;);
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

const pages = Array.from({ length: count }, (_, index) => index + 1);
/** Two connections that the server knows. */
async function openTwo(): Promise<readonly [Wire, Wire]> {
  const wires = [await Wire.open(api.url), await Wire.open(api.url)] as const;
  for (const wire of wires) {
    await wire.send(getBytes());
    await wire.answer();
  }
  read.length = 0;
  return wires;
}

test('64 pipelined pages let another connection in between, and are answered in their order', async () => {
  const [many, other] = await openTwo();
  void many.send(pages.map((id) => getBytes(`/v1/posts/${id}`)).join(''));
  await until(() => read.length > 0);
  void other.send(getBytes(`/v1/posts/${count + 1}`));
  expect((await other.answer())?.status).toBe(200);
  expect(read.length).toBeLessThan(count / 2);
  for (const id of pages) expect((await many.answer())?.body).toMatchObject({ id });
  expect(read.filter((id) => id !== count + 1)).toEqual(pages);
  // Its socket is read again.
  await many.send(getBytes('/v1/posts/1'));
  expect((await many.answer())?.status).toBe(200);
  for (const wire of [many, other]) wire.close();
});

test('a client that reads nothing does not make the server begin all that it has sent', async () => {
  const [, other] = await openTwo();
  const text = 'x'.repeat(900_000);
  await other.send(postBytes(JSON.stringify({ title: 'long', text })));
  const id = Number((await other.answer())?.body.id);
  const { hostname, port } = new URL(api.url);
  const silent = connect(Number(port), hostname);
  silent.on('error', () => undefined).pause();
  silent.write(getBytes(`/v1/posts/${id}`).repeat(500));
  const begun = (): number => read.filter((one) => one === id).length;
  await until(() => begun() > 0);
  // Until no more of them begin.
  for (let before = 0; begun() > before;) {
    before = begun();
    for (let turn = 0; turn < 10; turn += 1) {
      await other.send(getBytes('/v1/posts/1'));
      expect((await other.answer())?.status).toBe(200);
    }
  }
  expect(begun()).toBeLessThan(100);
  silent.destroy();
  other.close();
});

test('writes behind waiting reads arrive whole', async () => {
  const [many, other] = await openTwo();
  const text = 'x'.repeat(200_000);
  const half = pages.slice(0, 20).map((id) => getBytes(`/v1/posts/${id}`));
  await many.send(
    `${half.join('')}${postBytes(JSON.stringify({ title: 'long', text }))}${half.join('')}`,
  );
  const statuses: unknown[] = [];
  for (let number = 0; number < 41; number += 1) statuses.push((await many.answer())?.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(40);
  expect(statuses[20]).toBe(201);
  for (const wire of [many, other]) wire.close();
});

import { afterEach } from 'vitest';
import type { Hello, RequestRow } from '../../src/http/dashboard/wire.ts';
import type { Mode } from '../../src/http/edge/edge.ts';
import { serveApi, type Answer, type TestApi } from '../support/api.ts';
import { readEvents, type EventReader } from '../support/events.ts';
import { hashOf } from '../support/tokens.ts';

export const things = `
access: public
resources:
  things:
    fields:
      name: { type: string, required: true, maxLength: 20 }
      secret: { type: string, writeOnly: true }
      boxId: { type: integer, reference: boxes.id }
      box: { type: relation, relation: belongsTo, resource: boxes, foreignKey: boxId }
  boxes:
    fields:
      label: { type: string }
      things: { type: relation, relation: hasMany, resource: things, foreignKey: boxId }
  papers:
    access: { read: admin, write: admin }
    fields:
      title: { type: string }
`;
export const keys = `auth:
  apiKeys:
    - { name: boss, hash: "${hashOf('boss-key')}", roles: [admin] }
    - { name: hand, hash: "${hashOf('hand-key')}", roles: [user] }`;
/** Both of them may open the dashboard, whatever else they may do. */
export const openToBoth = `${keys}
dashboard: { roles: [admin, user] }`;
export const boss = { authorization: 'Bearer boss-key' };
export const hand = { 'x-api-key': 'hand-key' };

/** What is stopped after the test, in a file that calls `stopAfterEach`. */
export const open: TestApi[] = [];
const streams: EventReader[] = [];

/** Stops the servers of each test of a file, and before them what reads their streams. */
export function stopAfterEach(): void {
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    for (const api of open.splice(0)) await api.stop();
  });
}

/** Serves the things, with a head of the file before them. */
export async function serving(head = '', mode: Mode = 'dev'): Promise<TestApi> {
  const api = await serveApi(`${head}\n${things}`, {}, undefined, { mode });
  open.push(api);
  return api;
}

/** Opens a stream, which is closed after the test. */
export async function watching(
  api: TestApi,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const stream = await readEvents(`${api.url}/_dashboard/api/events`, headers);
  streams.push(stream);
  return stream;
}
/** Looks on once: what comes in the minute after is recorded. */
export async function look(api: TestApi, headers: Record<string, string> = {}): Promise<Hello> {
  const stream = await watching(api, headers);
  const hello = (await stream.next('hello')) as Hello;
  stream.close();
  return hello;
}

/** Asks for what a page shows. */
export const ask = (
  api: TestApi,
  path: string,
  headers?: Record<string, string>,
): Promise<Answer> => api.get(`/_dashboard/api/${path}`, headers);

/** The requests that a page gets first. */
export const rowsOf = async (api: TestApi, headers = {}): Promise<readonly RequestRow[]> => {
  const stream = await watching(api, headers);
  const rows = (await stream.next('requests')) as readonly RequestRow[];
  stream.close();
  return rows;
};

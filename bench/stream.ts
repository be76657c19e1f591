import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from './http.ts';
import { mostMemory, residentMemory } from './memory.ts';
import { specifications, startPlinth, type Databases } from './servers.ts';

/** What streaming a large list to a slow reader took. */
export type StreamResult = {
  /** The most resident memory above that before the request, in bytes; undefined where it is unknown. */
  readonly growth: number | undefined;
  readonly seconds: number;
};

/** How many records the list has: as many as a stream may have. */
export const streamedRecords = 1_000_000;
/** The most that the server's memory should grow, in bytes. */
export const wantedGrowth = 64 * 1_048_576;

const bytesPerSecond = 8 * 1_048_576;
const sampleEvery = 50;
const warmUps = 300;

/**
 * Streams all records as NDJSON to a reader that takes 8 MiB a second, far less than could be sent, and samples
 * Plinth's memory meanwhile. An answer that is not whole throws.
 */
export async function measureStream(databases: Databases): Promise<StreamResult> {
  const database = await databases.makeEvents(streamedRecords);
  const server = await startPlinth(database, specifications.events);
  try {
    for (let index = 0; index < warmUps; index++)
      await send(server.url, { method: 'GET', path: '/v1/events?limit=100' });
    const before = await residentMemory(server.pid);
    const begin = performance.now();
    const reading = readSlowly(`${server.url}/v1/events?limit=${streamedRecords}`);
    const most = await mostMemory(server.pid, reading);
    const seconds = (performance.now() - begin) / 1_000;
    const lines = await reading;
    if (lines !== streamedRecords) throw new Error(`the stream ended after ${lines} records`);
    return { growth: before === undefined ? undefined : most - before, seconds };
  } finally {
    await server.stop();
  }
}

/** Reads an answer at a steady pace and gives its number of lines. */
async function readSlowly(url: string): Promise<number> {
  const outgoing = request(url, { agent: false, headers: { accept: 'application/x-ndjson' } });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  if (incoming.statusCode !== 200) {
    outgoing.destroy();
    throw new Error(`the stream was answered with ${incoming.statusCode}`);
  }
  const begin = performance.now();
  let bytes = 0;
  let lines = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === newline) lines += 1;
    const early = (bytes / bytesPerSecond) * 1_000 - (performance.now() - begin);
    if (early > sampleEvery) await wait(early);
  }
  return lines;
}

const newline = 10;

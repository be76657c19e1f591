import { expect, test } from 'vitest';
import { compareApis } from '../../src/openapi/compatibility/changes.ts';
import { build, buildValid, mostlyInProcess } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import type { Document } from '../support/oracle-model.ts';
import { seed as firstSeed } from '../support/seed.ts';
import { drawOf, type Draw } from './draw.ts';
import { expectHarmless, HostileRequests, type HostileRequest } from './hostile.ts';
import { checkReads, variants } from './reading.ts';
import { assertOften, patience, uncompressed } from './world.ts';
import { now, Recorder } from './random-records.ts';
import { randomSpecification } from './random-specifications.ts';
import { inStorage, overStorage, randomStorage } from './random-storage.ts';
import { inFewerWords } from './random-terse.ts';
import { randomOverlay, VersionFace, type Overlay } from './random-versions.ts';
import { Writer } from './random-writes.ts';

/**
 * Random specifications with random records: what random requests give, over both databases and in two versions, is
 * what the oracle says, between random writes; half of them are stored under names of which no version tells. Hostile
 * requests get the same from both databases, and no 5xx. `PLINTH_TEST_RUNS=500 REQUESTS=3000 SEED=…` looks longer, and
 * elsewhere; what fails names its seed, which `PLINTH_TEST_RUNS=1 SEED=…` with the same REQUESTS tries again.
 */
const runs = Number(process.env['PLINTH_TEST_RUNS'] ?? 3);
/** To each specification. */
const requests = Number(process.env['REQUESTS'] ?? 200);
/** How often it writes and then reads again. */
const rounds = Math.max(1, Math.round(requests / 400));
const writes = Math.ceil(requests / 10 / rounds);
/** Of each version, before the writes and after those of each round. */
const shapes = Math.ceil(requests / 2 / variants / 2 / (rounds + 1));
const hostileReads = Math.ceil((requests * 0.35) / 2 / (rounds + 1));
/** After all others: what they have changed, the oracle does not know. */
const hostileWrites = Math.ceil(requests / 20);

/** Requests that have been answered. */
let answered = 0;

/** The same servers, their requests counted. */
function counted(both: Both): Both {
  const send: Both['send'] = (...request) => {
    answered += 1;
    return both.send(...request);
  };
  return { ...both, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

/** Sends a hostile request to both, which have to agree. */
async function sendHostile(
  both: Both,
  { method, path, body, headers }: HostileRequest,
): Promise<void> {
  // As a request of Fetch has it: without a fragment, and without line breaks.
  const { pathname, search } = new URL(path, 'http://localhost');
  const target = `${pathname}${search}`;
  try {
    const given = { ...uncompressed, ...headers };
    const { status, text } = await both.send(method, target, body, given);
    expectHarmless(status, text);
  } catch (cause) {
    const told = `${method} ${target}\n${JSON.stringify(headers)} ${body?.slice(0, 1000)}`;
    throw new Error(`${told}\n${String(cause)}`, { cause });
  }
}

/** Makes a specification, fills it, reads, writes, and reads again. */
async function tryOne(draw: Draw): Promise<void> {
  const document = randomSpecification(draw);
  const overlay = randomOverlay(draw, document);
  const written = draw.chance(50) ? inFewerWords(draw, document) : document;
  const textOf = (stored: Document, first: Overlay, second: Overlay): string => {
    const api = { versions: { 1: { resources: first }, 2: { resources: second } } };
    return JSON.stringify({ ...stored, api }, undefined, 1);
  };
  const plain = textOf(written, {}, overlay);
  const stored = draw.chance(50) ? randomStorage(draw, document) : undefined;
  const text =
    stored === undefined
      ? plain
      : textOf(
          inStorage(document, stored),
          overStorage(document, {}, stored),
          overStorage(document, overlay, stored),
        );
  const errors = build(text).problems.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ message }) => message).join('\n'), text).toBe('');
  // Who uses it does not see how it is stored.
  const changes = compareApis(buildValid(plain), buildValid(text), now());
  expect(changes.map(({ path, message }) => `${path}: ${message}`).join(), text).toBe('');
  const both = counted(mostlyInProcess(await serveBoth(text, {}, now)));
  try {
    const recorder = new Recorder(document, draw);
    const data = recorder.records();
    for (const [name, items] of Object.entries(data)) {
      if (items.length === 0) continue;
      const sent = items.map((item) => recorder.body(name, item));
      const answer = await both.send('POST', `/v1/${name}`, sent);
      expect(answer.status, `${name} ${answer.text}`).toBe(201);
      expect(answer.body, name).toEqual(items.map((item) => recorder.shown(name, item)));
    }
    const face = new VersionFace(document, overlay);
    const readAll = async (): Promise<void> => {
      recorder.fill(data);
      for (const [index, world] of [recorder.world, face.world(data)].entries()) {
        if ([...world.resources.keys()].every((name) => world.rowsOf(name).length === 0)) continue;
        const base = `/v${index + 1}`;
        const hostile = new HostileRequests(world, base);
        const start = draw.below(2 ** 31);
        await assertOften(shapes, (own) => checkReads(own, { both, world, base }), start);
        await assertOften(
          hostileReads,
          (own) => sendHostile(both, { method: 'GET', path: hostile.target(own) }),
          start + 1,
        );
      }
    };
    await readAll();
    const writer = new Writer(draw, both, recorder, data);
    for (let round = rounds; round > 0; round -= 1) {
      for (let more = writes; more > 0; more -= 1) await writer.write();
      await writer.check();
      await readAll();
    }
    const hostile = new HostileRequests(recorder.world, '/v1');
    for (let more = hostileWrites; more > 0; more -= 1) {
      const change = writer.draft();
      if (change === undefined) continue;
      await sendHostile(both, hostile.write(draw, change.name, change.id, change.body));
    }
    // Both hold the same.
    await writer.stored();
    expect(both.failures).toEqual([]);
  } finally {
    await both.stop();
  }
}

test(
  `${runs} random specifications are served as the oracle says, on both databases (seed ${firstSeed})`,
  async ({ annotate }) => {
    const failures: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + runs; seed += 1)
      await tryOne(drawOf(seed)).catch((cause: unknown) => {
        failures.push(`seed ${seed}: ${String(cause)}`);
      });
    await annotate(`${answered} requests, each to both databases`);
    expect(failures.join('\n\n')).toBe('');
  },
  patience,
);

import { expect, test } from 'vitest';
import { compareApis } from '../../src/openapi/compatibility/changes.ts';
import { build, buildValid } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import type { Document, World } from '../support/oracle-model.ts';
import type { Query } from '../support/oracle-query.ts';
import { answerOf } from '../support/oracle.ts';
import { seed as firstSeed } from '../support/seed.ts';
import type { Draw } from './records.ts';
import { randomQuery } from './requests.ts';
import { nextOf, placeAfter, seenOf } from './seen.ts';
import { drawOf, patience, read } from './world.ts';
import { writeQuery } from './writing.ts';
import { now, Recorder } from './random-records.ts';
import { randomSpecification } from './random-specifications.ts';
import { inStorage, overStorage, randomStorage } from './random-storage.ts';
import { inFewerWords } from './random-terse.ts';
import { randomOverlay, VersionFace, type Overlay } from './random-versions.ts';
import { Writer } from './random-writes.ts';

/**
 * Random specifications with random records: what random requests give, over both databases and in two versions, is
 * what the oracle says, before random writes and after them; half of them are stored under names of which no version tells. `PLINTH_TEST_RUNS=500 SEED=…` looks longer, and elsewhere;
 * what fails names its seed, which `PLINTH_TEST_RUNS=1 SEED=…` tries again.
 */
const runs = Number(process.env['PLINTH_TEST_RUNS'] ?? 3);
/** Of each version, before the writes and after them. */
const reads = 10;
const writes = 20;

/** One read, and sometimes the page after it, as the oracle says. */
async function readOnce(draw: Draw, both: Both, world: World, base: string): Promise<void> {
  const query = randomQuery(draw, world);
  const { target, headers } = writeQuery(draw, world, query, base);
  const answer = await read(both, target, headers);
  expect(answer.status, `${target}\n${answer.text}`).toBe(200);
  expect(seenOf(answer, query, target), target).toEqual(answerOf(world, query));
  if (!answer.headers.has('x-next-cursor') || !draw.chance(30)) return;
  const next = nextOf(world, answer, target, query);
  const onwards: Query = { ...query, paging: { ...query.paging, mode: 'cursor', start: 0 } };
  const following = await read(both, next, headers);
  expect(seenOf(following, onwards, next), `${target}\n${next}`).toEqual(
    answerOf(world, onwards, placeAfter(world, query)),
  );
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
  expect(errors, text).toEqual([]);
  // Who uses it does not see how it is stored.
  expect(compareApis(buildValid(plain), buildValid(text), now()), text).toEqual([]);
  const both = await serveBoth(text, {}, now);
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
        const isEmpty = [...world.resources.keys()].every(
          (name) => world.rowsOf(name).length === 0,
        );
        for (let more = isEmpty ? 0 : reads; more > 0; more -= 1)
          await readOnce(draw, both, world, `/v${index + 1}`);
      }
    };
    await readAll();
    const writer = new Writer(draw, both, recorder, data);
    for (let more = writes; more > 0; more -= 1) await writer.write();
    await writer.check();
    await readAll();
    expect(both.failures).toEqual([]);
  } finally {
    await both.stop();
  }
}

test(
  `${runs} random specifications are served as the oracle says, on both databases (seed ${firstSeed})`,
  async () => {
    for (let seed = firstSeed; seed < firstSeed + runs; seed += 1)
      await tryOne(drawOf(seed)).catch((cause: unknown) => {
        throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
      });
  },
  patience,
);

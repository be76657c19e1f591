import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { computedValue } from '../support/oracle-computed.ts';
import { World, type Item } from '../support/oracle-model.ts';
import { seed } from '../support/seed.ts';
import { drawFrom, recordsOf, type Draw } from './records.ts';
import { computing } from './specification.ts';

/** What a long test may take on a machine that has other work. */
export const patience = 3_600_000;
/** As many clients at once as keep both databases busy. */
const clients = 8;

/** Runs a property this many times, over several clients. What fails names its request, so none looks for a shorter one. */
export async function assertOften(
  runs: number,
  property: (draw: Draw) => Promise<void>,
): Promise<void> {
  const checked = fc.asyncProperty(fc.gen(), (g) => property(drawFrom(g)));
  await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      fc.assert(checked, {
        numRuns: Math.ceil(runs / clients),
        seed: seed + index,
        endOnFailure: true,
      }),
    ),
  );
}

/** How often the long tests try; `REQUESTS=50000 SEED=random` looks longer, and elsewhere. */
export const requests = Number(process.env['REQUESTS'] ?? 6_000);

/** A draw for what is random outside of properties. */
export function drawOf(number: number): Draw {
  const [g] = fc.sample(fc.gen(), { numRuns: 1, seed: number });
  if (g === undefined) throw new Error('fast-check gives nothing');
  return drawFrom(g);
}

/** What a client sends of a record: an integer id is never sent, it counts from 1. */
export function bodyOf({ id = null, ...item }: Item): Item {
  return typeof id === 'number' ? item : { id, ...item };
}

/** Asks for a body that is not compressed: that is a tenth of the work of a request. */
export const uncompressed = { 'accept-encoding': 'identity' };

/** A read on both databases, which have to agree; a disagreement says about what. */
export async function read(
  both: Both,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  try {
    return await both.get(path, { ...uncompressed, ...headers });
  } catch (cause) {
    throw new Error(`${path}\n${String(cause)}`, { cause });
  }
}

/** Both databases and the oracle with the same random records. */
export async function serveWorld(): Promise<{ readonly both: Both; readonly world: World }> {
  const world = new World(computing, computedValue);
  const both = await serveBoth(computing);
  const data = recordsOf(drawOf(seed), world);
  world.fill(data);
  for (const [resource, items] of Object.entries(data)) {
    const { body } = await both.send('POST', `/v1/${resource}`, items.map(bodyOf));
    expect(body).toMatchObject(items);
  }
  return { both, world };
}

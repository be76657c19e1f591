import { expect } from 'vitest';
import { mostlyInProcess, type Answer } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { computedValue } from '../support/oracle-computed.ts';
import { World, type Item } from '../support/oracle-model.ts';
import { seed } from '../support/seed.ts';
import { recordsOf } from './records.ts';
import { computing } from './specification.ts';
import { drawOf, type Draw } from './draw.ts';

/** What a long test may take on a machine that has other work. */
export const patience = 3_600_000;
/** As many clients at once as keep both databases busy. */
const clients = 8;

/**
 * Runs a property this many times, over several clients, each time with a draw that follows from `start` and the number of the
 * run: the same seed fails again.
 */
export async function assertOften(
  runs: number,
  property: (draw: Draw) => Promise<void>,
  start = seed,
): Promise<void> {
  const failures: Error[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < runs && failures.length === 0) {
      const number = next;
      next += 1;
      await property(drawOf(start * 2 ** 20 + number)).catch((cause: unknown) => {
        failures.push(new Error(`run ${number} of seed ${start}: ${String(cause)}`, { cause }));
      });
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  const [failure] = failures;
  if (failure !== undefined) throw failure;
}

/** How often the long tests try; `REQUESTS=50000 SEED=random` looks longer, and elsewhere. */
export const requests = Number(process.env['REQUESTS'] ?? 6_000);

/** What a client sends of a record: an integer id is never sent, it counts from 1. */
export function bodyOf({ id = null, ...item }: Item): Item {
  return typeof id === 'number' ? item : { id, ...item };
}

/** Asks for a body that is not compressed: that is a tenth of the work of a request. */
export const uncompressed = { 'accept-encoding': 'identity' };

/** A read on both databases, which have to agree; a disagreement says about what. */
export async function read(
  both: Pick<Both, 'get'>,
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
  const both = mostlyInProcess(await serveBoth(computing));
  const data = recordsOf(drawOf(seed), world);
  world.fill(data);
  for (const [resource, items] of Object.entries(data)) {
    const { body } = await both.send('POST', `/v1/${resource}`, items.map(bodyOf));
    expect(body).toMatchObject(items);
  }
  return { both, world };
}

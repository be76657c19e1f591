import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import type { World } from '../support/oracle-model.ts';
import { seed } from '../support/seed.ts';
import { checkReads, variants } from './reading.ts';
import { assertOften, patience, requests, serveWorld } from './world.ts';

let world: World;
let both: Both;
beforeAll(async () => {
  ({ both, world } = await serveWorld());
});
afterAll(() => both?.stop());

test(
  `${requests} random reads are what the oracle says, on both databases (seed ${seed})`,
  async () => {
    await assertOften(Math.ceil(requests / variants), (draw) =>
      checkReads(draw, { both, world, base: '/v1' }),
    );
    expect(both.failures).toEqual([]);
  },
  patience,
);

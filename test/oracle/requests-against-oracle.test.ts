import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { Both } from '../support/both.ts';
import type { World } from '../support/oracle-model.ts';
import type { Query } from '../support/oracle-query.ts';
import { answerOf } from '../support/oracle.ts';
import { randomQuery } from './requests.ts';
import { seed } from '../support/seed.ts';
import { nextOf, placeAfter, seenOf } from './seen.ts';
import { assertOften, patience, read, requests, serveWorld } from './world.ts';
import { writeQuery } from './writing.ts';

let world: World;
let both: Both;
beforeAll(async () => {
  ({ both, world } = await serveWorld());
});
afterAll(() => both?.stop());

/** Both databases say the same, to the byte. */
async function ask(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const answer = await read(both, path, headers);
  expect(answer.status, `${path}\n${answer.text}`).toBe(200);
  return answer;
}

test(
  `${requests} random reads are what the oracle says, on both databases (seed ${seed})`,
  async () => {
    await assertOften(requests, async (draw) => {
      const { query, target, headers } = writeQuery(draw, world, randomQuery(draw, world));
      const answer = await ask(target, headers);
      expect(seenOf(answer, query, target), target).toEqual(answerOf(world, query));
      if (!answer.headers.has('x-next-cursor') || !draw.chance(30)) return;
      const next = nextOf(world, answer, target, query);
      const onwards: Query = { ...query, paging: { ...query.paging, mode: 'cursor', start: 0 } };
      expect(seenOf(await ask(next, headers), onwards, next), `${target}\n${next}`).toEqual(
        answerOf(world, onwards, placeAfter(world, query)),
      );
    });
    expect(both.failures).toEqual([]);
  },
  patience,
);

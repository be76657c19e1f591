import { expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { randomQuery } from '../oracle/requests.ts';
import { seed } from '../support/seed.ts';
import { assertOften, patience, read, uncompressed } from '../oracle/world.ts';
import { writeQuery } from '../oracle/writing.ts';
import { serveReduced } from './row-rules-reduced.ts';
import { drawOf } from '../oracle/draw.ts';

/** How many services with rules of their own are tried, and how many requests each. */
const services = Number(process.env['SERVICES'] ?? 8);
const requests = Number(process.env['REQUESTS'] ?? 200);

/** What of an answer a client can tell apart; `Vary` says only whether there are credentials. */
function seen({ status, headers, text }: Answer): object {
  const fleeting = new Set(['date', 'x-request-id', 'keep-alive', 'connection', 'vary']);
  return {
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !fleeting.has(name))),
    text: text.replace(/"requestId":"[^"]*"/u, ''),
  };
}

test.each(Array.from({ length: services }, (_, index) => seed + 1000 * index))(
  `what a caller sees is what anyone sees of data without the rest (seed %i, ${requests} reads)`,
  async (own) => {
    const { both, reduced, world, headers: mine, told, stop } = await serveReduced(drawOf(own));
    try {
      await assertOften(requests, async (draw) => {
        const { target, headers } = writeQuery(draw, world, randomQuery(draw, world));
        const answer = await read(both, target, { ...headers, ...mine });
        const expected = await reduced.get(target, { ...uncompressed, ...headers });
        expect(seen(answer), `${target}\n${told}`).toEqual(seen(expected));
        const cursor = answer.headers.get('x-next-cursor');
        if (cursor === null || !draw.chance(30)) return;
        const next = `${target.split('?')[0]}?cursor=${cursor}&limit=3`;
        expect(seen(await read(both, next, mine)), `${next}\n${told}`).toEqual(
          seen(await reduced.get(next, uncompressed)),
        );
      });
      expect(both.failures).toEqual([]);
    } finally {
      await stop();
    }
  },
  patience,
);

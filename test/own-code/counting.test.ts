import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { serveOwn } from '../support/own-code.ts';

const specification = `
resources:
  counters: { fields: { value: { type: integer, default: 0 }, last: { type: integer } } }
`;

const code: Code = {
  resources: {
    counters: {
      async beforeUpdate(change, { before }) {
        await new Promise((resolve) => setImmediate(resolve));
        change['value'] = (before['value'] as number) + 1;
      },
    },
  },
};

const count = 60;

/** Sends that many changes of one record at once to servers in turn; returns their statuses, and the value after them. */
async function raise(servers: readonly TestApi[]): Promise<readonly [number[], number]> {
  const [first] = servers;
  if (first === undefined) throw new TypeError('no server');
  const { body } = await first.send('POST', '/v1/counters', {});
  const path = `/v1/counters/${String(body.id)}`;
  const change = async (last: number): Promise<number> =>
    (await (servers[last % servers.length] ?? first).send('PATCH', path, { last })).status;
  const statuses = await Promise.all(Array.from({ length: count }, (_, last) => change(last)));
  const after = await first.get(path);
  return [statuses, (after.body as { value: number }).value];
}

test('changes at once that count in a hook lose none, on one server and on two', async () => {
  const own = await serveOwn(specification, code);
  const clock = { now: () => new Date(), uuid: randomUUID };
  const model = buildValid(`code: ./api.ts\n${specification}`);
  const second = await serve(model, own.postgres, clock, [], { code });
  try {
    for (const side of own.sides) {
      const [statuses, value] = await raise([side]);
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(value).toBe(count);
    }
    const [, postgres] = own.sides;
    // Servers do not wait for each other: some changes may find the record changed five times.
    const [statuses, value] = await raise(postgres === undefined ? [] : [postgres, second]);
    expect([...new Set(statuses)].filter((status) => status !== 409)).toEqual([200]);
    expect(value).toBe(statuses.filter((status) => status === 200).length);
  } finally {
    await second.stop();
    await own.stop();
  }
});

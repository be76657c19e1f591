import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serveOwn } from '../support/own-code.ts';

test('each part of an export has the time of a request for what it computes', async () => {
  const own = await serveOwn(
    `
server: { requestTimeout: 1s }
resources:
  items: { fields: { name: { type: string }, long: { type: string, computed: true } } }
`,
    {
      resources: {
        items: {
          computed: {
            long: {
              needs: ['name'],
              values: async (items) => {
                await delay(600);
                return items.map(({ name }) => `long ${name}`);
              },
            },
          },
        },
      },
    },
  );
  try {
    await own.send(
      'POST',
      '/v1/items?fields=id',
      Array.from({ length: 15 }, (_, index) => ({ name: String(index) })),
    );
    const { text } = await own.raw('/v1/items', {
      headers: { accept: 'application/x-ndjson' },
    });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(15);
    for (const line of lines) expect(line).toMatch(/"long":"long \d+"/u);
  } finally {
    await own.stop();
  }
});

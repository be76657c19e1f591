import { createServer as createReceiver } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { testServer } from '../../src/test.ts';
import { root } from '../support/command.ts';

const guide = readFileSync(join(root, 'docs/how-to/own-code.md'), 'utf8');

/** The first block of the guide in a language that has a text. */
function blockWith(language: string, text: string): string {
  const blocks = guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gmsu'));
  const found = [...blocks].find(([, block = '']) => block.includes(text))?.[1];
  if (found === undefined) throw new Error(`The guide has no ${language} with ${text}`);
  return found;
}

afterEach(() => void vi.unstubAllEnvs());

test('a message that must not be lost is sent until it arrives', async () => {
  const arrived: unknown[] = [];
  let status = 503;
  const receiver = createReceiver((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (status === 200) arrived.push(JSON.parse(text));
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  vi.stubEnv('WEBHOOK', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  const outbox = blockWith('yaml', 'outbox:').replaceAll(/^/gmu, '  ');
  const folder = mkdtempSync(join(tmpdir(), 'plinth-code-'));
  writeFileSync(join(folder, 'api.ts'), blockWith('ts', 'POST /outbox/send'));
  writeFileSync(
    join(folder, 'plinth.yaml'),
    `code: ./api.ts
auth: { jwt: { secret: a secret of more than 32 bytes for tests } }
access: { read: public, write: authenticated }
resources:
  orders: { fields: { name: { type: string } } }
${outbox}`,
  );
  const api = await testServer({ folder });
  try {
    const box = api.sandbox({ records: {} });
    const send = async (): Promise<unknown> => {
      const worker = box.as({ sub: 'cron', roles: ['worker'] });
      return (await worker.fetch('/v1/outbox/send', { method: 'POST' })).json();
    };
    const { orders, outbox: messages } = box.as({ sub: 'ann' }).db;
    for (const name of ['a', 'b']) await orders?.create({ name });
    await expect(messages?.list()).rejects.toThrow();
    expect(await send()).toEqual({ sent: false });
    status = 200;
    expect(await send()).toEqual({ sent: true });
    const event = 'order.created';
    expect(arrived).toEqual([
      { id: 1, event, orderId: 1 },
      { id: 2, event, orderId: 2 },
    ]);
    expect(await box.db['outbox']?.list()).toMatchObject({ data: [] });
  } finally {
    await api.close();
    receiver.close();
    receiver.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
});

import { expect, test } from 'vitest';
import { Wire } from '../support/wire.ts';
import { notes, serveEdge } from './edge.ts';

/** What the head of a request may say of its body. See docs/contract/4-errors-and-limits.md#strictness, rule 3. */
test.each([
  ['chunked', 201],
  ['Chunked', 201],
  ['gzip, chunked', 501],
  ['identity, chunked', 501],
  ['deflate,chunked', 501],
])('Transfer-Encoding: %s is %i', async (coding, status) => {
  const server = await serveEdge(notes);
  const wire = await Wire.open(`http://127.0.0.1:${server.running.port}`);
  const body = '{"text":"a"}';
  await wire.send(
    `POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n` +
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  const answer = await wire.answer();
  expect(answer?.status).toBe(status);
  const kept = await server.ask();
  expect(kept.text).toBe(status === 201 ? '[{"id":1,"text":"a"}]' : '[]');
  if (status === 501) {
    expect(answer?.body).toMatchObject({ code: 'NOT_SUPPORTED' });
    // What follows is not taken for a request.
    expect(answer?.headers.get('connection')).toBe('close');
  }
  wire.close();
  await server.stop();
});

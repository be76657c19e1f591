import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

const specification = `
resources:
  drops:
    access: { read: none, create: public, update: public, delete: public }
    fields: { text: { type: string, required: true } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(async () => {
  await both?.stop();
});

test('who may write but not read learns the id of a new record and nothing else', async () => {
  const { status, body, headers } = await both.send('POST', '/v1/drops', { text: 'a' });
  expect([status, body]).toEqual([201, { id: 1 }]);
  expect(headers.get('location')).toBe('/v1/drops/1');
  expect(headers.get('etag')).toBeNull();
  const many = await both.send('POST', '/v1/drops', [{ text: 'b' }, { text: 'c' }]);
  expect([many.status, many.body]).toEqual([201, [{ id: 2 }, { id: 3 }]]);
});

test.each(['PUT', 'PATCH'])('%s is 204', async (method) => {
  const answer = await both.send(method, '/v1/drops/1', { text: 'z' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect((await both.send(method, '/v1/drops/99', { text: 'z' })).status).toBe(404);
  expect(both.failures).toEqual([]);
});

test.each([
  ['*', 204],
  ['"x"', 412],
  ['"x",', 412],
  ['', 412],
])('nobody has a tag of what cannot be read: If-Match %j is %i', async (tag, status) => {
  const answer = await both.send('PATCH', '/v1/drops/1', { text: 'z' }, { 'if-match': tag });
  expect(answer.status).toBe(status);
});

test('nothing of it can be read', async () => {
  expect((await both.get('/v1/drops/1')).status).toBe(403);
  expect((await both.get('/v1/drops')).status).toBe(403);
});

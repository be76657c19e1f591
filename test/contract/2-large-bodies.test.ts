import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { ask, expectError, testExchanges } from './2-exchanges.ts';

const specification = `
resources:
  things:
    fields:
      text: { type: text }
      integer: { type: integer }
      decimal: { type: decimal }
      json: { type: json }
      object: { type: object, properties: { texts: { type: array, items: { type: string } } } }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: taggings, withPivot: [all] }
  tags: { fields: { name: { type: string } } }
  taggings:
    fields:
      thingId: { type: integer, reference: things.id }
      tagId: { type: integer, reference: tags.id }
      all: { type: json }
`;

let api: Both;
beforeAll(async () => {
  api = await serveBoth(specification, { tags: [{}], things: [{}] });
});
afterAll(() => api.stop());

describe('a body as large as it may be', () => {
  const limit = 1024 * 1024;
  const sized = (size: number): string => `{"text":"${'x'.repeat(size - '{"text":""}'.length)}"}`;
  testExchanges(
    () => api,
    [
      {
        name: 'at the limit',
        request: 'POST /v1/things?fields=id',
        body: sized(limit),
        status: 201,
      },
      {
        name: 'a byte more',
        request: 'POST /v1/things',
        body: sized(limit + 1),
        status: 413,
        code: 'BODY_TOO_LARGE',
      },
    ],
  );

  test.each([
    ['at the limit', 0, 201],
    ['a byte more', 1, 413],
  ])('in chunks, which tell no length: %s', async (_, more, status) => {
    for (const { url } of api.sides) {
      const answer = await fetch(`${url}/v1/things?fields=id`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Blob([sized(limit + more)]).stream(),
        duplex: 'half',
      });
      expect(answer.status).toBe(status);
    }
  });

  test('full of unknown members: all of them are named', async () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `"f${index}":0`);
    const answer = await ask(api, 'POST /v1/things', `{${names.join(',')}}`);
    expect(answer.status).toBe(400);
    expect(answer.body.validationErrors).toHaveLength(50_000);
  });

  const many = Array.from({ length: 130_000 }, (_, index) => index + 9);
  const numbers = `[${many.map(() => '1e999').join(',')}]`;
  test.each([
    ['items in an object', 'POST', '/v1/things', { object: { texts: many } }],
    [
      'numbers in a pivot',
      'PATCH',
      '/v1/things/1',
      `{"tags":[{"id":1,"pivot":{"all":${numbers}}}]}`,
    ],
    ['links to what there is not', 'POST', '/v1/things', { tags: many }],
  ])('full of %s that are wrong: all of them are named', async (_, method, path, body) => {
    const { body: answer } = await api.send(method, path, body);
    expect(answer.errors ?? answer.validationErrors, answer.message).toHaveLength(many.length);
  });

  test('of links to add and links to remove: all of them are named', async () => {
    const [add, remove] = [1, 2].map((half) =>
      many.slice(0, 70_000).map((_, index) => half * 100_000 + index),
    );
    const answer = await ask(api, 'PATCH /v1/things/1', { tags: { add, remove } });
    expect(answer.body.errors).toHaveLength(70_000);
  });

  test('of one endless number, name or text', async () => {
    const digits = '9'.repeat(1_000_000);
    for (const body of [
      `{"integer":${digits}}`,
      `{"decimal":${digits}}`,
      `{"decimal":"${digits}"}`,
      `{"json":0.${digits}e${digits}}`,
    ])
      expect((await ask(api, 'POST /v1/things', body)).status).toBeLessThan(500);
    expectError(
      await ask(api, 'POST /v1/things', `{"${digits}":1}`),
      'VALIDATION_FAILED',
      '/v1/things',
    );
    expect(api.failures).toEqual([]);
  });
});

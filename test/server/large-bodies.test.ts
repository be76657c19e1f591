import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { ask, expectError, testExchanges } from './exchanges.ts';

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

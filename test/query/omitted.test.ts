import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
resources:
  things:
    fields:
      must: { type: string, required: true, nullable: true }
      never: { type: integer, nullable: false }
      usual: { type: integer, nullable: false, default: 3 }
      given: { type: string, required: true, default: d }
      free: { type: string }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, { things: [{ must: 'm', never: 1, usual: 5, free: 'f' }] });
});
afterAll(() => both?.stop());

// A required field has to be named, and may be null when it is nullable. See
// docs/contract/1-specification-file.md#constraint-attributes, rule 2 and, for PUT,
// docs/contract/3-writing.md#replace, rule 1.
test('what is left out takes its default, else null where that is allowed, else is missed', async () => {
  for (const [method, path, status] of [
    ['POST', '/v1/things', 201],
    ['PUT', '/v1/things/1', 200],
  ] as const) {
    const none = await both.send(method, path, {});
    expect([none.status, none.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(problemsOf(none)).toEqual(['must: is required', 'never: is required']);
    const least = await both.send(method, path, { must: null, never: 2 });
    expect([least.status, least.body]).toEqual([
      status,
      { id: expect.any(Number), must: null, never: 2, usual: 3, given: 'd', free: null },
    ]);
  }
});

test.each(['POST', 'PUT', 'PATCH'])('null is 400 where it is not allowed: %s', async (method) => {
  const path = method === 'POST' ? '/v1/things' : '/v1/things/1';
  const body = { must: null, never: null, usual: null, given: null, free: null };
  const answer = await both.send(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(problemsOf(answer)).toEqual([
    'never: must not be null',
    'usual: must not be null',
    'given: must not be null',
  ]);
});

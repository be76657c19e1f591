import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { ask, expectError } from '../server/exchanges.ts';

const specification = `
resources:
  things:
    fields: { integer: { type: integer }, number: { type: number }, text: { type: text }, json: { type: json } }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
});
afterAll(() => api.stop());

const twice: readonly (readonly [text: string, name: string, place: string])[] = [
  ['{"integer":1,"integer":2}', 'integer', 'line 1, column 14'],
  ['{"integer":1,\n "integer":1}', 'integer', 'line 2, column 2'],
  ['{"text":"a","t\\u0065xt":"b"}', 'text', 'line 1, column 13'],
  ['{"json":{"a":[{"b":1,"c":{"b":2},"b":3}]}}', 'b', 'line 1, column 34'],
  ['{"number":12345678901234567890,"json":[],"json":[]}', 'json', 'line 1, column 42'],
  ['{"__proto__":1,"__proto__":2}', '__proto__', 'line 1, column 16'],
  ['[{"integer":1},{"":1,"":2}]', '', 'line 1, column 22'],
];
test.each(twice)('one member twice: %s', async (body, name, place) => {
  const answer = await ask(api, 'POST /v1/things', body);
  expectError(answer, 'INVALID_JSON', '/v1/things');
  expect(answer.body?.message).toBe(
    `The body has the member ${JSON.stringify(name)} twice in one object, again at ${place}`,
  );
});

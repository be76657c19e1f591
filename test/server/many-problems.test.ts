import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectError } from './exchanges.ts';

const specification = `
access: public
resources:
  lists:
    fields:
      name: { type: string, required: true }
      words: { type: array, items: { type: string, maxLength: 3 } }
      parts: { type: array, items: { type: object, properties: { size: { type: integer, required: true } } } }
      any: { type: json }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(() => both?.stop());

const path = '/v1/lists';
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const unknown = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(times(count, (index) => [`k${index}`, 1]));
/** No database takes it. */
const unsafe = '\0';

test.each<readonly [string, unknown, 'VALIDATION_FAILED' | 'INVALID_VALUE', string]>([
  ['unknown fields', { name: 'a', ...unknown(12_000) }, 'VALIDATION_FAILED', 'k9999'],
  ['items of a wrong type', { words: times(12_000, () => 1) }, 'VALIDATION_FAILED', 'words[9999]'],
  [
    'items that are too long',
    { name: 'a', words: times(12_000, () => 'abcd') },
    'INVALID_VALUE',
    'words[9999]',
  ],
  ['parts of items', { parts: times(12_000, () => ({})) }, 'VALIDATION_FAILED', 'parts[9999].size'],
  [
    'texts inside JSON',
    { name: 'a', any: times(12_000, () => unsafe) },
    'INVALID_VALUE',
    'any[9999]',
  ],
  [
    'members inside JSON',
    { name: 'a', any: Object.fromEntries(times(12_000, (index) => [10_000 + index, unsafe])) },
    'INVALID_VALUE',
    'any.19999',
  ],
  [
    'fields of many records',
    times(200, () => ({ name: 'a', ...unknown(60) })),
    'VALIDATION_FAILED',
    '[166].k39',
  ],
])('of a body with 12,000 problems 10,000 are told: %s', async (_, body, code, last) => {
  const answer = await both.send('POST', path, body);
  expectError(answer, code, path);
  const { validationErrors, errors } = answer.body as Readonly<
    Record<string, readonly { readonly field: string }[]>
  >;
  const told = validationErrors ?? errors ?? [];
  expect([told.length, told.at(-1)?.field]).toEqual([10_000, last]);
});

test('of 10,000 problems all are told, and one behind them is not', async () => {
  const tell = async (body: unknown): Promise<unknown> => {
    const { body: told } = await both.send('POST', path, body);
    return (told as { validationErrors: readonly unknown[] }).validationErrors.at(-1);
  };
  expect(await tell({ ...unknown(9_999) })).toEqual({
    field: 'name',
    error: 'is required',
    rule: 'required',
    params: {},
  });
  expect(await tell({ ...unknown(10_000) })).toMatchObject({ field: 'k9999' });
});

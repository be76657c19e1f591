import { expect, test } from 'vitest';
import { equalityOf, parameterNames } from '../../packages/common/conditions.ts';
import { fieldNames } from '../../src/specification/parsers/names.ts';
import { reservedParameters } from '../../src/specification/reserved.ts';

// The packages take nothing from the service, so they have a list of their own of what it reads otherwise.
test('the fields that need their operator are those that are called like a parameter', () => {
  const possible = reservedParameters.filter((name) => fieldNames.pattern.test(name));
  expect([...parameterNames]).toEqual(possible);
});

test.each([
  ['limit', 'limit_eq'],
  ['author.limit', 'author.limit_eq'],
  ['limit.author', 'limit.author'],
  ['limits', 'limits'],
  ['title', 'title'],
])('%s is asked for as %s', (field, name) => {
  expect(equalityOf(field)).toBe(name);
});

import { expect, test } from 'vitest';
import { thirdParties, unknownLicences } from '../../scripts/licences.ts';

const packages = thirdParties();

test('every package of an install or in the build has a licence that a release accepts', () => {
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['better-sqlite3', 'react', '@fontsource-variable/inter']),
  );
  expect(unknownLicences(packages)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR Apache-2.0)', true],
  ['OFL-1.1', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', false],
  ['unknown', false],
])('%s', (licence, isAccepted) => {
  const problems = unknownLicences([{ name: 'one', version: '1.0.0', licence, text: '' }]);
  expect(problems).toEqual(isAccepted ? [] : [`one (${licence})`]);
});

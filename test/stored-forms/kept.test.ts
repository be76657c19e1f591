import { expect, test } from 'vitest';
import { existingPostgres, existingSqlite } from '../support/existing.ts';

const fileOf = (field: string): string =>
  `access: public\nresources: { things: { fields: { value: { type: decimal${field} } } } }`;
const [scaled, plain, real] = [', storedAs: scaled', '', ', storedAs: real'];

/** In what form a migration makes a column, what the file says after that, and what that changes. */
test.each([
  ['SQLite', existingSqlite, scaled, plain, []],
  ['SQLite', existingSqlite, plain, scaled, []],
  ['SQLite', existingSqlite, real, real, []],
  ['SQLite', existingSqlite, plain, real, ['change things.value from decimal(18,2) to number']],
  ['PostgreSQL', existingPostgres, scaled, plain, []],
  ['PostgreSQL', existingPostgres, scaled, scaled, []],
  ['PostgreSQL', existingPostgres, real, real, []],
] as const)('%s: %#', async (_, over, made, said, changes) => {
  const existing = await over(fileOf(made), '');
  await existing.api.send('POST', '/v1/things', [{ value: '19.99' }, { value: '-0.05' }]);
  const steps = await existing.next(fileOf(said));
  // The server that was started on the former file reads what has changed no more.
  const read = changes.length > 0 ? undefined : await existing.api.get('/v1/things');
  await existing.stop();
  expect(steps.map(({ summary }) => summary)).toEqual(changes);
  if (read !== undefined)
    expect(read.body).toEqual([
      { id: 1, value: '19.99' },
      { id: 2, value: '-0.05' },
    ]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

/** What the database fills is left to it. See docs/contract/8-existing-databases.md#managed-and-not, rule 6. */
const specification = `
access: public
database: { managed: false }
resources:
  notes:
    fields:
      text: { type: string }
      state: { type: string }
      rank: { type: integer, default: 5 }
      kind: { type: string, required: true }
      place: { type: integer, nullable: false }
      doubled: { type: integer, nullable: false, default: 3 }
`;
const sql = (
  id: string,
): string => `CREATE TABLE notes (id ${id}, text text, state text DEFAULT 'new',
  rank integer DEFAULT 1, kind text NOT NULL DEFAULT 'none', place integer NOT NULL DEFAULT 7,
  doubled integer GENERATED ALWAYS AS (place * 2) STORED)`;

describe.each([
  ['SQLite', () => existingSqlite(specification, sql('INTEGER PRIMARY KEY'))],
  ['PostgreSQL', () => existingPostgres(specification, sql('serial PRIMARY KEY'))],
] as const)('%s', (_name, open) => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await open();
  });
  afterAll(() => existing?.stop());

  const filled = { text: 'a', state: 'new', rank: 5, kind: 'k', place: 7 };

  test('a create leaves out what its body leaves out', async () => {
    const { api } = existing;
    const { body } = await api.send('POST', '/notes', { text: 'a', kind: 'k' });
    expect(body).toMatchObject(filled);
    const given = { text: null, state: null, rank: null, kind: 'k', place: 1 };
    expect((await api.send('POST', '/notes', given)).body).toMatchObject(given);
  });

  test('the items of an array may leave out different fields', async () => {
    const items = [
      { text: 'a', kind: 'k' },
      { text: 'b', kind: 'k', state: 'old', place: 2 },
      { text: 'c', kind: 'k', state: null },
    ];
    const { status, body } = await existing.api.send('POST', '/notes', items);
    expect([status, body]).toMatchObject([
      201,
      [
        filled,
        { ...filled, text: 'b', state: 'old', place: 2 },
        { ...filled, text: 'c', state: null },
      ],
    ]);
  });

  test('what the file requires is required all the same', async () => {
    expect((await existing.api.send('POST', '/notes', { text: 'a' })).status).toBe(400);
  });

  test('a column that the database computes is read-only, whatever the file says', async () => {
    const { api } = existing;
    const made = await api.send('POST', '/notes', { kind: 'k', doubled: 5 });
    expect([made.status, made.body.validationErrors]).toEqual([
      400,
      [{ field: 'doubled', error: 'is read-only', rule: 'readOnly', params: {} }],
    ]);
    const { body } = await api.send('POST', '/notes', { kind: 'k', place: 4 });
    expect(body).toMatchObject({ place: 4, doubled: 8 });
    const at = `/notes/${body.id}`;
    expect((await api.send('PATCH', at, { place: 5, doubled: 1 })).body.doubled).toBe(10);
    expect((await api.send('PUT', at, { kind: 'k', place: 6, doubled: 1 })).body.doubled).toBe(12);
  });
});
